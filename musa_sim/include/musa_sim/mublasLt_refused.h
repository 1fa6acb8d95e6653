/* The functions of muBLASLt that are not simulated, as MUSA_SIM_REFUSED(name, parameters): mublasLt.h declares them,
 * libmublasLt defines them from the same list. No guard: it is read for each meaning of that macro. */
#ifdef MUSA_SIM_REFUSED

MUSA_SIM_REFUSED(mublasLtMatmulDescCreate, (mublasLtMatmulDesc_t *, mublasComputeType_t, musaDataType_t))
MUSA_SIM_REFUSED(mublasLtMatmulDescDestroy, (mublasLtMatmulDesc_t))
MUSA_SIM_REFUSED(mublasLtMatmulDescSetAttribute,
                 (mublasLtMatmulDesc_t, mublasLtMatmulDescAttributes_t, const void *, size_t))
MUSA_SIM_REFUSED(mublasLtMatrixLayoutCreate, (mublasLtMatrixLayout_t *, musaDataType_t, uint64_t, uint64_t, int64_t))
MUSA_SIM_REFUSED(mublasLtMatrixLayoutDestroy, (mublasLtMatrixLayout_t))
MUSA_SIM_REFUSED(mublasLtMatrixLayoutSetAttribute,
                 (mublasLtMatrixLayout_t, mublasLtMatrixLayoutAttribute_t, const void *, size_t))
MUSA_SIM_REFUSED(mublasLtMatmulPreferenceCreate, (mublasLtMatmulPreference_t *))
MUSA_SIM_REFUSED(mublasLtMatmulPreferenceDestroy, (mublasLtMatmulPreference_t))
MUSA_SIM_REFUSED(mublasLtMatmulPreferenceSetAttribute,
                 (mublasLtMatmulPreference_t, mublasLtMatmulPreferenceAttributes_t, const void *, size_t))
MUSA_SIM_REFUSED(mublasLtMatmulAlgoGetHeuristic,
                 (mublasLtHandle_t, mublasLtMatmulDesc_t, mublasLtMatrixLayout_t, mublasLtMatrixLayout_t,
                  mublasLtMatrixLayout_t, mublasLtMatrixLayout_t, mublasLtMatmulPreference_t, int,
                  mublasLtMatmulHeuristicResult_t *, int *))
MUSA_SIM_REFUSED(mublasLtMatmul, (mublasLtHandle_t, mublasLtMatmulDesc_t, const void *, const void *,
                                  mublasLtMatrixLayout_t, const void *, mublasLtMatrixLayout_t, const void *,
                                  const void *, mublasLtMatrixLayout_t, void *, mublasLtMatrixLayout_t,
                                  const mublasLtMatmulAlgo_t *, void *, size_t, musaStream_t))

#endif
