/* The functions of muSPARSE that are not simulated, as MUSA_SIM_REFUSED(name, parameters): musparse.h declares them,
 * libmusparse defines them from the same list. No guard: it is read for each meaning of that macro. */
#ifdef MUSA_SIM_REFUSED

/* Matrices of the older interface */
MUSA_SIM_REFUSED(musparseCreateMatDescr, (musparseMatDescr_t *))
MUSA_SIM_REFUSED(musparseDestroyMatDescr, (musparseMatDescr_t))
MUSA_SIM_REFUSED(musparseSetMatType, (musparseMatDescr_t, musparseMatrixType_t))
MUSA_SIM_REFUSED(musparseSetMatFillMode, (musparseMatDescr_t, musparseFillMode_t))
MUSA_SIM_REFUSED(musparseSetMatDiagType, (musparseMatDescr_t, musparseDiagType_t))
MUSA_SIM_REFUSED(musparseSetMatIndexBase, (musparseMatDescr_t, musparseIndexBase_t))
MUSA_SIM_REFUSED(musparseCreateBsrsv2Info, (bsrsv2Info_t *))
MUSA_SIM_REFUSED(musparseDestroyBsrsv2Info, (bsrsv2Info_t))
MUSA_SIM_REFUSED(musparseCreateBsrsm2Info, (bsrsm2Info_t *))
MUSA_SIM_REFUSED(musparseDestroyBsrsm2Info, (bsrsm2Info_t))
MUSA_SIM_REFUSED(musparseXcsrgeam2Nnz,
                 (musparseHandle_t, int, int, musparseMatDescr_t, int, const int *, const int *, musparseMatDescr_t,
                  int, const int *, const int *, musparseMatDescr_t, int *, int *, void *))

/* Attributes of sparse matrices */
MUSA_SIM_REFUSED(musparseSpMatSetAttribute, (musparseSpMatDescr_t, musparseSpMatAttribute_t, void *, size_t))

/* Other products, and solvers */
MUSA_SIM_REFUSED(musparseSDDMM_bufferSize,
                 (musparseHandle_t, musparseOperation_t, musparseOperation_t, const void *,
                  const struct musparseDnMatDescr *, const struct musparseDnMatDescr *, const void *,
                  musparseSpMatDescr_t, musaDataType, musparseSDDMMAlg_t, size_t *))
MUSA_SIM_REFUSED(musparseSDDMM, (musparseHandle_t, musparseOperation_t, musparseOperation_t, const void *,
                                 const struct musparseDnMatDescr *, const struct musparseDnMatDescr *, const void *,
                                 musparseSpMatDescr_t, musaDataType, musparseSDDMMAlg_t, void *))
MUSA_SIM_REFUSED(musparseSpGEMM_createDescr, (musparseSpGEMMDescr_t *))
MUSA_SIM_REFUSED(musparseSpGEMM_destroyDescr, (musparseSpGEMMDescr_t))
MUSA_SIM_REFUSED(musparseSpSV_createDescr, (musparseSpSVDescr_t *))
MUSA_SIM_REFUSED(musparseSpSV_destroyDescr, (musparseSpSVDescr_t))
MUSA_SIM_REFUSED(musparseSpSM_createDescr, (musparseSpSMDescr_t *))
MUSA_SIM_REFUSED(musparseSpSM_destroyDescr, (musparseSpSMDescr_t))

#endif
