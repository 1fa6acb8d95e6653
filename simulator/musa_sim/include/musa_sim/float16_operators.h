/* The operators of half and bfloat16, which each of the two classes names in its body.
 *
 * They are found for operands of these types only, not for a class that converts to one of them, as c10::Half does to __half and
 * to float: comparing two such would be ambiguous. torch_musa compiles PyTorch's kernels, which compare them, without a flag
 * that hides the operators.
 */
#ifndef MUSA_SIM_FLOAT16_OPERATORS_H
#define MUSA_SIM_FLOAT16_OPERATORS_H

/* Before the class: what its operators call. */
#define MUSA_SIM_DECLARE_FLOAT16(T)                                  \
    struct T;                                                        \
    __host__ __device__ __forceinline__ T __hadd(T a, T b);          \
    __host__ __device__ __forceinline__ T __hsub(T a, T b);          \
    __host__ __device__ __forceinline__ T __hmul(T a, T b);          \
    __host__ __device__ __forceinline__ T __hdiv(T a, T b);          \
    __host__ __device__ __forceinline__ T __hneg(T a);               \
    __host__ __device__ __forceinline__ bool __heq(T a, T b);        \
    __host__ __device__ __forceinline__ bool __hneu(T a, T b);       \
    __host__ __device__ __forceinline__ bool __hlt(T a, T b);        \
    __host__ __device__ __forceinline__ bool __hle(T a, T b);        \
    __host__ __device__ __forceinline__ bool __hgt(T a, T b);        \
    __host__ __device__ __forceinline__ bool __hge(T a, T b);

#define MUSA_SIM_FLOAT16_OPERATOR(T, symbol, function)                                              \
    friend __host__ __device__ __forceinline__ T operator symbol(const T& a, const T& b) {          \
        return function(a, b);                                                                      \
    }                                                                                               \
    friend __host__ __device__ __forceinline__ T& operator symbol##=(T& a, const T& b) {            \
        return a = function(a, b);                                                                  \
    }
#define MUSA_SIM_FLOAT16_COMPARISON(T, symbol, function)                                            \
    friend __host__ __device__ __forceinline__ bool operator symbol(const T& a, const T& b) {       \
        return function(a, b);                                                                      \
    }
#define MUSA_SIM_FLOAT16_STEP(T, RAW, ONE, symbol, function)                                        \
    friend __host__ __device__ __forceinline__ T& operator symbol(T& a) {                           \
        return a = function(a, T(RAW{ONE}));                                                        \
    }                                                                                               \
    friend __host__ __device__ __forceinline__ T operator symbol(T& a, int) {                       \
        const T before = a;                                                                         \
        symbol a;                                                                                   \
        return before;                                                                              \
    }

/* In the class. ONE: the bits of 1. */
#define MUSA_SIM_FLOAT16_OPERATORS(T, RAW, ONE)                                                     \
    MUSA_SIM_FLOAT16_OPERATOR(T, +, __hadd)                                                         \
    MUSA_SIM_FLOAT16_OPERATOR(T, -, __hsub)                                                         \
    MUSA_SIM_FLOAT16_OPERATOR(T, *, __hmul)                                                         \
    MUSA_SIM_FLOAT16_OPERATOR(T, /, __hdiv)                                                         \
    friend __host__ __device__ __forceinline__ T operator+(const T& a) { return a; }                \
    friend __host__ __device__ __forceinline__ T operator-(const T& a) { return __hneg(a); }        \
    MUSA_SIM_FLOAT16_STEP(T, RAW, ONE, ++, __hadd)                                                  \
    MUSA_SIM_FLOAT16_STEP(T, RAW, ONE, --, __hsub)                                                  \
    MUSA_SIM_FLOAT16_COMPARISON(T, ==, __heq)                                                       \
    MUSA_SIM_FLOAT16_COMPARISON(T, !=, __hneu)                                                      \
    MUSA_SIM_FLOAT16_COMPARISON(T, <, __hlt)                                                        \
    MUSA_SIM_FLOAT16_COMPARISON(T, <=, __hle)                                                       \
    MUSA_SIM_FLOAT16_COMPARISON(T, >, __hgt)                                                        \
    MUSA_SIM_FLOAT16_COMPARISON(T, >=, __hge)

#endif
