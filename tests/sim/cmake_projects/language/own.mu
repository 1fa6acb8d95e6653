#if __cplusplus != 201703L || defined(__STRICT_ANSI__)
#error a wrong standard
#endif
__global__ void nothing() {}
int own() { nothing<<<1, 1>>>(); return musaDeviceSynchronize(); }
