/* MUSA's own arithmetic of two and four floats: mate and TileLang call it for mp_31. `v` is a vector, `s` a scalar; here
 * every architecture has them. mcc only.
 */
#ifndef MUSA_SIM_BURST_FUNCTIONS_H
#define MUSA_SIM_BURST_FUNCTIONS_H

#include <host_defines.h>
#include <math_functions.h>

namespace musa_sim_detail {
typedef float float_vector2 __attribute__((ext_vector_type(2)));
typedef float float_vector4 __attribute__((ext_vector_type(4)));
}  // namespace musa_sim_detail

#define MUSA_SIM_BURST(N)                                                                                                    \
    __device__ __forceinline__ musa_sim_detail::float_vector##N __musa_exp2_f_bst##N##_v(musa_sim_detail::float_vector##N a) { \
        for (int i = 0; i < N; ++i) a[i] = exp2f(a[i]);                                                                      \
        return a;                                                                                                            \
    }                                                                                                                        \
    MUSA_SIM_BURST_BINARY(N, vv, musa_sim_detail::float_vector##N, a[i])                                                     \
    MUSA_SIM_BURST_BINARY(N, sv, float, a)                                                                                   \
    MUSA_SIM_BURST_FUSED(N, vvv, musa_sim_detail::float_vector##N, a[i], musa_sim_detail::float_vector##N, c[i])             \
    MUSA_SIM_BURST_FUSED(N, svv, float, a, musa_sim_detail::float_vector##N, c[i])                                           \
    MUSA_SIM_BURST_FUSED(N, vvs, musa_sim_detail::float_vector##N, a[i], float, c)                                           \
    MUSA_SIM_BURST_FUSED(N, svs, float, a, float, c)
#define MUSA_SIM_BURST_BINARY(N, FORM, A, FIRST)                                                                  \
    __device__ __forceinline__ musa_sim_detail::float_vector##N __musa_add_f_bst##N##_##FORM(                     \
        A a, musa_sim_detail::float_vector##N b) {                                                                \
        for (int i = 0; i < N; ++i) b[i] = FIRST + b[i];                                                          \
        return b;                                                                                                 \
    }                                                                                                             \
    __device__ __forceinline__ musa_sim_detail::float_vector##N __musa_mul_f_bst##N##_##FORM(                     \
        A a, musa_sim_detail::float_vector##N b) {                                                                \
        for (int i = 0; i < N; ++i) b[i] = FIRST * b[i];                                                          \
        return b;                                                                                                 \
    }                                                                                                             \
    __device__ __forceinline__ musa_sim_detail::float_vector##N __musa_max_f_bst##N##_##FORM(                     \
        A a, musa_sim_detail::float_vector##N b) {                                                                \
        for (int i = 0; i < N; ++i) b[i] = fmaxf(FIRST, b[i]);                                                    \
        return b;                                                                                                 \
    }
#define MUSA_SIM_BURST_FUSED(N, FORM, A, FIRST, C, LAST)                                                          \
    __device__ __forceinline__ musa_sim_detail::float_vector##N __musa_fma_f_bst##N##_##FORM(                     \
        A a, musa_sim_detail::float_vector##N b, C c) {                                                           \
        for (int i = 0; i < N; ++i) b[i] = fmaf(FIRST, b[i], LAST);                                               \
        return b;                                                                                                 \
    }
MUSA_SIM_BURST(2)
MUSA_SIM_BURST(4)
#undef MUSA_SIM_BURST
#undef MUSA_SIM_BURST_BINARY
#undef MUSA_SIM_BURST_FUSED

#endif
