/* cooperative_groups::memcpy_async, wait and wait_prior.
 *
 * The threads of the group copy at once, each its share, and each call is a group of copies; the check for races finds what
 * does not wait. wait() is the group's barrier, too.
 */
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC

#include <cooperative_groups.h>

#if defined(__MUSACC__)

#include <musa_sim/async_copies.h>

namespace cooperative_groups {

/* Copy `bytes` bytes; an aligned_size_t is also a number of bytes. */
template <class Group, class To, class From>
__device__ __forceinline__ void memcpy_async(const Group &group, To *to, const From *from, size_t bytes) {
    constexpr size_t chunk = 16;
    char *target = reinterpret_cast<char *>(to);
    const char *source = reinterpret_cast<const char *>(from);
    const size_t step = chunk * group.size();
    for (size_t at = chunk * group.thread_rank(); at < bytes; at += step) {
        const size_t size = bytes - at < chunk ? bytes - at : chunk;
        __builtin_memcpy(target + at, source + at, size);
        __musa_sim_copy_started(target + at, size);
    }
    __musa_sim_copies_committed();
}
/* Copy as many elements as both sides have. */
template <class Group, class T>
__device__ __forceinline__ void memcpy_async(const Group &group, T *to, size_t to_count, const T *from,
                                             size_t from_count) {
    memcpy_async(group, to, from, sizeof(T) * (to_count < from_count ? to_count : from_count));
}

/* Wait for all but the latest `Stages` groups of copies. */
template <unsigned Stages, class Group>
__device__ __forceinline__ void wait_prior(const Group &group) {
    __musa_sim_copies_awaited(Stages);
    group.sync();
}
template <class Group>
__device__ __forceinline__ void wait(const Group &group) {
    wait_prior<0>(group);
}

}  // namespace cooperative_groups

#endif

#endif
