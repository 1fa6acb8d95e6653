/* Copies to shared memory that a thread starts and waits for later: __pipeline_memcpy_async and so on. Here they copy at once.
 *
 * Named after CUDA's header; whether MUSA has one is not known.
 */
#ifndef _MUSA_PIPELINE_PRIMITIVES_H_
#define _MUSA_PIPELINE_PRIMITIVES_H_

#include <musa_runtime.h>

#if defined(__MUSACC__)

/* The last `zero_fill` of `size` bytes become zero and are not read. */
__device__ __forceinline__ void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zero_fill = 0) {
    memcpy(to, from, size - zero_fill);
    memset(static_cast<char *>(to) + (size - zero_fill), 0, zero_fill);
}
__device__ __forceinline__ void __pipeline_commit() {}
__device__ __forceinline__ void __pipeline_wait_prior(size_t) {}

#endif

#endif
