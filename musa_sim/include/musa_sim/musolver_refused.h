/* The functions of muSOLVER that are not simulated, as MUSA_SIM_REFUSED(name, parameters): musolverDn.h declares them,
 * libmusolver defines them from the same list. No guard: it is read for each meaning of that macro. */
#ifdef MUSA_SIM_REFUSED

/* L: the letter in the names; T: the elements; R, further down: their real type */
#define MUSA_SIM_OF_TYPE(L, T)                                                                                     \
    MUSA_SIM_REFUSED(musolverDn##L##potrf_bufferSize,                                                              \
                     (musolverDnHandle_t, mublasFillMode_t, int, T *, int, int *))                                 \
    MUSA_SIM_REFUSED(musolverDn##L##potrf, (musolverDnHandle_t, mublasFillMode_t, int, T *, int, T *, int, int *)) \
    MUSA_SIM_REFUSED(musolverDn##L##potrs,                                                                         \
                     (musolverDnHandle_t, mublasFillMode_t, int, int, const T *, int, T *, int, int *))            \
    MUSA_SIM_REFUSED(musolverDn##L##getrf_bufferSize, (musolverDnHandle_t, int, int, T *, int, int *))             \
    MUSA_SIM_REFUSED(musolverDn##L##getrf, (musolverDnHandle_t, int, int, T *, int, T *, int *, int *))            \
    MUSA_SIM_REFUSED(musolverDn##L##getrs, (musolverDnHandle_t, mublasOperation_t, int, int, const T *, int,       \
                                            const int *, T *, int, int *))                                         \
    MUSA_SIM_REFUSED(musolverDn##L##geqrf_bufferSize, (musolverDnHandle_t, int, int, T *, int, int *))             \
    MUSA_SIM_REFUSED(musolverDn##L##geqrf, (musolverDnHandle_t, int, int, T *, int, T *, T *, int, int *))         \
    MUSA_SIM_REFUSED(musolverDn##L##gesvd_bufferSize, (musolverDnHandle_t, int, int, int *))
MUSA_SIM_OF_TYPE(S, float)
MUSA_SIM_OF_TYPE(D, double)
MUSA_SIM_OF_TYPE(C, muComplex)
MUSA_SIM_OF_TYPE(Z, muDoubleComplex)
#undef MUSA_SIM_OF_TYPE

#define MUSA_SIM_OF_TYPES(L, eigenvalues, T, R)                                                                      \
    MUSA_SIM_REFUSED(musolverDn##L##gesvd, (musolverDnHandle_t, signed char, signed char, int, int, T *, int, R *, \
                                            T *, int, T *, int, T *, int, R *, int *))                             \
    MUSA_SIM_REFUSED(musolverDn##L##eigenvalues##_bufferSize,                                                      \
                     (musolverDnHandle_t, musolverEigMode_t, mublasFillMode_t, int, const T *, int, const R *,     \
                      int *))                                                                                      \
    MUSA_SIM_REFUSED(musolverDn##L##eigenvalues, (musolverDnHandle_t, musolverEigMode_t, mublasFillMode_t, int, T *, \
                                                  int, R *, T *, int, int *))
MUSA_SIM_OF_TYPES(S, syevd, float, float)
MUSA_SIM_OF_TYPES(D, syevd, double, double)
MUSA_SIM_OF_TYPES(C, heevd, muComplex, float)
MUSA_SIM_OF_TYPES(Z, heevd, muDoubleComplex, double)
#undef MUSA_SIM_OF_TYPES

#endif
