/* cooperative_groups::inclusive_scan and exclusive_scan over tiles and coalesced groups. */
#ifndef _COOPERATIVE_GROUPS_SCAN_H
#define _COOPERATIVE_GROUPS_SCAN_H

#include <cooperative_groups/reduce.h>

#if defined(__MUSACC__)

namespace cooperative_groups {

/* The values of all threads up to the caller, combined in the order of their ranks. */
template <class T, class Operation = plus<>>
__device__ __forceinline__ T inclusive_scan(const coalesced_group &group, T value, Operation operation = {}) {
    const unsigned rank = group.thread_rank();
    for (unsigned distance = 1; distance < group.size(); distance *= 2) {
        const T before = group.shfl_up(value, distance);
        if (rank >= distance) value = operation(before, value);
    }
    return value;
}

/* The same without the caller's own value; the first thread gets T(). */
template <class T, class Operation = plus<>>
__device__ __forceinline__ T exclusive_scan(const coalesced_group &group, T value, Operation operation = {}) {
    const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? T() : before;
}

}  // namespace cooperative_groups

#endif

#endif
