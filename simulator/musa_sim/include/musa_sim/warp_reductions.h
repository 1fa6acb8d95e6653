/* __reduce_add_sync and the other reductions over the lanes of a mask, whose result all of them get.
 *
 * mcc only. Over the caller's own 32 lanes, also where MUSA_SIM_WARP=128 makes warps wider.
 */
#ifndef MUSA_SIM_WARP_REDUCTIONS_H
#define MUSA_SIM_WARP_REDUCTIONS_H

#include <musa_sim/lane_functions.h>

namespace musa_sim_detail {

/* After a step, all lanes of the mask in an aligned group of 2 * size lanes know the group's result. They take that of the
 * other half from its first lane, if it has one. */
template <class T, class Operation>
__device__ __forceinline__ T reduce_lanes(unsigned mask, T value, Operation operation) {
    for (unsigned size = 1; size < 32; size *= 2) {
        const unsigned other_half = (lane() & ~(size - 1)) ^ size;
        const unsigned others = mask & (((1u << size) - 1) << other_half);
        const unsigned source = others ? static_cast<unsigned>(__ffs(static_cast<int>(others)) - 1) : lane();
        const T other = lanes_shuffle(mask, value, source);
        if (others) value = operation(value, other);
    }
    return value;
}

}  // namespace musa_sim_detail

#define MUSA_SIM_REDUCTION(name, T, result)                                                              \
    __device__ __forceinline__ T __reduce_##name##_sync(unsigned mask, T value) {                        \
        return musa_sim_detail::reduce_lanes(mask, value, [](T a, T b) -> T { return result; });         \
    }
MUSA_SIM_REDUCTION(add, unsigned, a + b)
MUSA_SIM_REDUCTION(min, unsigned, b < a ? b : a)
MUSA_SIM_REDUCTION(max, unsigned, a < b ? b : a)
MUSA_SIM_REDUCTION(and, unsigned, a & b)
MUSA_SIM_REDUCTION(or, unsigned, a | b)
MUSA_SIM_REDUCTION(xor, unsigned, a ^ b)
MUSA_SIM_REDUCTION(min, int, b < a ? b : a)
MUSA_SIM_REDUCTION(max, int, a < b ? b : a)
#undef MUSA_SIM_REDUCTION
/* Signed sums wrap around too. */
__device__ __forceinline__ int __reduce_add_sync(unsigned mask, int value) {
    return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(value)));
}

#endif
