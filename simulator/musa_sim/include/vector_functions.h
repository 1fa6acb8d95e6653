/* Constructors of the short vectors: make_float4(x, y, z, w) and so on. */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include <vector_types.h>

#define MUSA_SIM_MAKE_VECTORS(name, T)                                                 \
    static __inline__ __host__ __device__ name##1 make_##name##1(T x) {                \
        name##1 v = {x};                                                               \
        return v;                                                                      \
    }                                                                                  \
    static __inline__ __host__ __device__ name##2 make_##name##2(T x, T y) {           \
        name##2 v = {x, y};                                                            \
        return v;                                                                      \
    }                                                                                  \
    static __inline__ __host__ __device__ name##3 make_##name##3(T x, T y, T z) {      \
        name##3 v = {x, y, z};                                                         \
        return v;                                                                      \
    }                                                                                  \
    static __inline__ __host__ __device__ name##4 make_##name##4(T x, T y, T z, T w) { \
        name##4 v = {x, y, z, w};                                                      \
        return v;                                                                      \
    }

MUSA_SIM_MAKE_VECTORS(char, signed char)
MUSA_SIM_MAKE_VECTORS(uchar, unsigned char)
MUSA_SIM_MAKE_VECTORS(short, short)
MUSA_SIM_MAKE_VECTORS(ushort, unsigned short)
MUSA_SIM_MAKE_VECTORS(int, int)
MUSA_SIM_MAKE_VECTORS(uint, unsigned int)
MUSA_SIM_MAKE_VECTORS(long, long)
MUSA_SIM_MAKE_VECTORS(ulong, unsigned long)
MUSA_SIM_MAKE_VECTORS(longlong, long long)
MUSA_SIM_MAKE_VECTORS(ulonglong, unsigned long long)
MUSA_SIM_MAKE_VECTORS(float, float)
MUSA_SIM_MAKE_VECTORS(double, double)

#undef MUSA_SIM_MAKE_VECTORS

#endif
