/* cooperative_groups::memcpy_async, wait and wait_prior.
 *
 * The threads of the group copy at once, each its share; wait() is the group's barrier, so that code which forgets it still
 * reads too early.
 */
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC

#include <cooperative_groups.h>

#if defined(__MUSACC__)

namespace cooperative_groups {

/* `bytes` bytes, or as many as an aligned_size_t says. */
template <class Group, class To, class From>
__device__ __forceinline__ void memcpy_async(const Group &group, To *to, const From *from, size_t bytes) {
    constexpr size_t chunk = 16;
    char *target = reinterpret_cast<char *>(to);
    const char *source = reinterpret_cast<const char *>(from);
    const size_t step = chunk * group.size();
    for (size_t at = chunk * group.thread_rank(); at < bytes; at += step) {
        __builtin_memcpy(target + at, source + at, bytes - at < chunk ? bytes - at : chunk);
    }
}
/* As many elements as there are on both sides. */
template <class Group, class T>
__device__ __forceinline__ void memcpy_async(const Group &group, T *to, size_t to_count, const T *from,
                                             size_t from_count) {
    memcpy_async(group, to, from, sizeof(T) * (to_count < from_count ? to_count : from_count));
}

template <class Group>
__device__ __forceinline__ void wait(const Group &group) {
    group.sync();
}
/* All but the latest `Stages` copies: here, all. */
template <unsigned Stages, class Group>
__device__ __forceinline__ void wait_prior(const Group &group) {
    group.sync();
}

}  // namespace cooperative_groups

#endif

#endif
