/* The functions of muSPARSE that are not simulated, as MUSA_SIM_REFUSED(name, parameters): musparse.h declares them,
 * libmusparse defines them from the same list. No guard: it is read for each meaning of that macro. */
#ifdef MUSA_SIM_REFUSED

/* Incomplete factorisations of matrices of blocks */
MUSA_SIM_REFUSED(musparseCreateBsric02Info, (bsric02Info_t *))
MUSA_SIM_REFUSED(musparseDestroyBsric02Info, (bsric02Info_t))
MUSA_SIM_REFUSED(musparseCreateBsrilu02Info, (bsrilu02Info_t *))
MUSA_SIM_REFUSED(musparseDestroyBsrilu02Info, (bsrilu02Info_t))

#endif
