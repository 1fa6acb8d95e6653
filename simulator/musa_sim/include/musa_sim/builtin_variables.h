/* threadIdx, blockIdx, blockDim, gridDim and warpSize.
 *
 * mcc only. Each component is a property whose getter is a function that mcc defines: while mcc
 * optimises, the getters are opaque constants, so it can make a loop over threadIdx out of a
 * kernel; at the end they become loads from the context of the running thread.
 */
#ifndef MUSA_SIM_BUILTIN_VARIABLES_H
#define MUSA_SIM_BUILTIN_VARIABLES_H

#include <musa_sim/runtime_functions.h>
#include <vector_types.h>

#define MUSA_SIM_ACCESSORS(name)                                                               \
    struct __musa_sim_##name##_t {                                                             \
        __declspec(property(get = get_x)) unsigned x;                                          \
        __declspec(property(get = get_y)) unsigned y;                                          \
        __declspec(property(get = get_z)) unsigned z;                                          \
        static __device__ __forceinline__ unsigned get_x() { return __musa_sim_##name##_x(); } \
        static __device__ __forceinline__ unsigned get_y() { return __musa_sim_##name##_y(); } \
        static __device__ __forceinline__ unsigned get_z() { return __musa_sim_##name##_z(); } \
        __device__ operator dim3() const { return dim3(get_x(), get_y(), get_z()); }           \
        __device__ operator uint3() const { return uint3{get_x(), get_y(), get_z()}; }         \
    }

MUSA_SIM_ACCESSORS(thread_idx);
MUSA_SIM_ACCESSORS(block_idx);
MUSA_SIM_ACCESSORS(block_dim);
MUSA_SIM_ACCESSORS(grid_dim);
#undef MUSA_SIM_ACCESSORS

/* Declared, never defined: nothing but the getters is ever used. */
extern const __device__ __attribute__((weak)) __musa_sim_thread_idx_t threadIdx;
extern const __device__ __attribute__((weak)) __musa_sim_block_idx_t blockIdx;
extern const __device__ __attribute__((weak)) __musa_sim_block_dim_t blockDim;
extern const __device__ __attribute__((weak)) __musa_sim_grid_dim_t gridDim;

struct __musa_sim_warp_size_t {
    __musa_sim_warp_size_t() = default;
    /* So that passing warpSize itself to printf is an error and not a wrong number. */
    __musa_sim_warp_size_t(const __musa_sim_warp_size_t&) = delete;
    __device__ __forceinline__ operator int() const {
        return static_cast<int>(__musa_sim_warp_size());
    }
};
extern const __device__ __attribute__((weak)) __musa_sim_warp_size_t warpSize;

#endif
