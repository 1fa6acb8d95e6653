/* The functions of muSPARSE that are not simulated, as MUSA_SIM_REFUSED(name, parameters): musparse.h declares them,
 * libmusparse defines them from the same list. No guard: it is read for each meaning of that macro. */
#ifdef MUSA_SIM_REFUSED

/* Solvers with matrices of blocks */
MUSA_SIM_REFUSED(musparseCreateBsrsv2Info, (bsrsv2Info_t *))
MUSA_SIM_REFUSED(musparseDestroyBsrsv2Info, (bsrsv2Info_t))
MUSA_SIM_REFUSED(musparseCreateBsrsm2Info, (bsrsm2Info_t *))
MUSA_SIM_REFUSED(musparseDestroyBsrsm2Info, (bsrsm2Info_t))

#endif
