/* cooperative_groups::reduce over tiles and coalesced groups, and the operations plus, less (the smaller), greater
 * (the larger), bit_and, bit_or and bit_xor. Any other function object that is associative will do as well.
 */
#ifndef _COOPERATIVE_GROUPS_REDUCE_H
#define _COOPERATIVE_GROUPS_REDUCE_H

#include <cooperative_groups.h>

#if defined(__MUSACC__)

namespace cooperative_groups {

#define MUSA_SIM_CG_OPERATION(name, expression)                                        \
    template <class T = void>                                                          \
    struct name {                                                                      \
        __device__ T operator()(const T &a, const T &b) const { return expression; }   \
    };                                                                                 \
    template <>                                                                        \
    struct name<void> {                                                                \
        template <class T>                                                             \
        __device__ T operator()(const T &a, const T &b) const { return expression; }   \
    }

MUSA_SIM_CG_OPERATION(plus, a + b);
MUSA_SIM_CG_OPERATION(less, b < a ? b : a);
MUSA_SIM_CG_OPERATION(greater, a < b ? b : a);
MUSA_SIM_CG_OPERATION(bit_and, a & b);
MUSA_SIM_CG_OPERATION(bit_or, a | b);
MUSA_SIM_CG_OPERATION(bit_xor, a ^ b);
#undef MUSA_SIM_CG_OPERATION

/* Every thread of the group gets the result. Values are combined in the order of ranks, neighbours first. */
template <class T, class Operation>
__device__ __forceinline__ T reduce(const coalesced_group &group, T value, Operation operation) {
    const unsigned rank = group.thread_rank();
    const unsigned size = group.size();
    for (unsigned distance = 1; distance < size; distance *= 2) {
        const T other = group.shfl_down(value, distance);
        if (rank % (2 * distance) == 0 && rank + distance < size) value = operation(value, other);
    }
    return group.shfl(value, 0);
}

template <unsigned Size, class Parent, class T, class Operation>
__device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent, true> &group, T value, Operation operation) {
    const thread_block_tile<32> warp = tiled_partition<32>(this_thread_block());
    return group.combined(reduce(warp, value, operation), operation);
}

}  // namespace cooperative_groups

#endif

#endif
