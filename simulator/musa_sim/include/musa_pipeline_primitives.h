/* Copies to shared memory that a thread starts and waits for later: __pipeline_memcpy_async and so on. Here they copy at once,
 * and the check for races finds what does not wait.
 *
 * Named after CUDA's header; whether MUSA has one is not known.
 */
#ifndef _MUSA_PIPELINE_PRIMITIVES_H_
#define _MUSA_PIPELINE_PRIMITIVES_H_

#include <musa_runtime.h>

#if defined(__MUSACC__)

#include <musa_sim/async_copies.h>

/* The last `zero_fill` of `size` bytes become zero and are not read. */
__device__ __forceinline__ void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zero_fill = 0) {
    memcpy(to, from, size - zero_fill);
    memset(static_cast<char *>(to) + (size - zero_fill), 0, zero_fill);
    __musa_sim_copy_started(to, size);
}
__device__ __forceinline__ void __pipeline_commit() { __musa_sim_copies_committed(); }
__device__ __forceinline__ void __pipeline_wait_prior(size_t left) {
    __musa_sim_copies_awaited(static_cast<unsigned>(left));
}

#endif

#endif
