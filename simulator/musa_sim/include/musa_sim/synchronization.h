/* Barriers, fences, clocks.
 *
 * mcc only.
 */
#ifndef MUSA_SIM_SYNCHRONIZATION_H
#define MUSA_SIM_SYNCHRONIZATION_H

#include <musa_sim/runtime_functions.h>

__device__ __forceinline__ void __syncthreads() { __musa_sim_sync_threads(); }
__device__ __forceinline__ int __syncthreads_count(int predicate) {
    return __musa_sim_sync_threads_reduce(0, predicate);
}
__device__ __forceinline__ int __syncthreads_and(int predicate) {
    return __musa_sim_sync_threads_reduce(1, predicate);
}
__device__ __forceinline__ int __syncthreads_or(int predicate) {
    return __musa_sim_sync_threads_reduce(2, predicate);
}

/* MUSA's own: a barrier that orders shared ("local") memory only, which torch_musa uses on mp_31.
 */
__device__ __forceinline__ void __syncthreads_lm() { __musa_sim_sync_threads(); }

__device__ __forceinline__ void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
__device__ __forceinline__ void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__device__ __forceinline__ void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
/* MUSA's own, which vllm-musa calls. A CPU has no cache to flush: they order memory, and no thread waits for another. */
__device__ __forceinline__ void __threadfence_system_noflush() { __threadfence_system(); }
__device__ __forceinline__ void __musa_barrier_slc() { __threadfence_system(); }
__device__ __forceinline__ void flushInv_byp() { __threadfence_system(); }
/* Templates: a program's own functions of these names and arguments are other functions, which calls prefer. */
template <int = 0>
__device__ __forceinline__ unsigned volatile_load(unsigned* from) {
    return *const_cast<volatile unsigned*>(from);
}
template <int = 0>
__device__ __forceinline__ void volatile_store(unsigned value, unsigned* to) {
    *const_cast<volatile unsigned*>(to) = value;
}

/* Lets the other threads of the block run, which is what a thread that waits for them wants. */
__device__ __forceinline__ void __nanosleep(unsigned) { __musa_sim_sync_yield(); }

__device__ __forceinline__ long long clock64() {
    return static_cast<long long>(__builtin_readcyclecounter());
}
/* glibc's clock() has the same signature; this overload is the one that kernels call. */
__device__ __forceinline__ clock_t clock() {
    return static_cast<clock_t>(__builtin_readcyclecounter());
}

/* MUSA's own: the thread ends, as if its kernel returned (muAlg and MUTLASS call it). */
__device__ __forceinline__ __attribute__((noreturn)) void __musa_exit() { __musa_sim_sync_exit(); }

__device__ __forceinline__ __attribute__((noreturn)) void __trap() { __builtin_trap(); }
/* A breakpoint; nothing stops there, so it ends the launch. */
__device__ __forceinline__ void __brkpt() { __builtin_trap(); }

#endif
