/* MUSA's own asynchronous barriers, which have numbers, and copies to shared memory. mcc only.
 *
 * As MUTLASS (mutlass/arch/barrier.hpp) and TileLang (tl_templates/musa/barrier.h, copy.h) call them for mp_31: a phase of a
 * barrier ends when so many warps have arrived and all bytes that were announced have come. Here every architecture has
 * them. The block's barriers are a static array of shared memory, in kernels that use them alone.
 */
#ifndef MUSA_SIM_NUMBERED_BARRIERS_H
#define MUSA_SIM_NUMBERED_BARRIERS_H

#include <musa_sim/async_copies.h>
#include <musa_sim/atomic_functions.h>
#include <musa_sim/lane_functions.h>
#include <musa_sim/named_barriers.h>
#include <musa_sim/synchronization.h>
#include <musa_sim/warp_functions.h>

namespace musa_sim_detail {

/* Arrivals that the phase lacks: bits 0 to 15. Those of a whole phase: 16 to 31. Bytes to come: 32 to 55, which may be below
 * zero before they are announced. Phases: 56 and up. */
typedef unsigned long long barrier_state;
constexpr int barrier_all_at = 16, barrier_bytes_at = 32, barrier_phase_at = 56;

__device__ __forceinline__ barrier_state* numbered_barrier(unsigned number) {
    __shared__ barrier_state barriers[64];
    if (number >= 64) __builtin_trap();
    return barriers + number;
}
__device__ __forceinline__ unsigned barrier_phase(barrier_state* barrier) {
    return static_cast<unsigned>(atomicAdd(barrier, 0ull) >> barrier_phase_at);
}
/* The check for races tells the phases apart by addresses. */
__device__ __forceinline__ const void* barrier_in_phase(const barrier_state* barrier, unsigned phase) {
    return reinterpret_cast<const char*>(barrier) + (phase & 7);
}
__device__ __forceinline__ void count_at_barrier(barrier_state* barrier, unsigned arrivals, int bytes) {
    for (barrier_state now = atomicAdd(barrier, 0ull), before;; now = before) {
        const unsigned missing = (now & 0xffff) - arrivals, all = now >> barrier_all_at & 0xffff;
        const unsigned left = (now >> barrier_bytes_at) + static_cast<unsigned>(bytes) & 0xffffff;
        const bool complete = (missing & 0xffff) == 0 && left == 0;
        const barrier_state phase = (now >> barrier_phase_at) + complete;
        const barrier_state next = phase << barrier_phase_at | static_cast<barrier_state>(left) << barrier_bytes_at |
                                   static_cast<barrier_state>(all) << barrier_all_at | (complete ? all : missing & 0xffff);
        before = atomicCAS(barrier, now, next);
        if (before == now) return;
    }
}

}  // namespace musa_sim_detail

/* How many barriers the kernel has: nothing to do */
__device__ __forceinline__ void __musa_async_bar_record(unsigned) {}
__device__ __forceinline__ void __musa_async_init_arrival(unsigned barrier, unsigned warps, unsigned phase) {
    using namespace musa_sim_detail;
    *numbered_barrier(barrier) = static_cast<barrier_state>(phase & 1) << barrier_phase_at |
                                 static_cast<barrier_state>(warps & 0xffff) << barrier_all_at | (warps & 0xffff);
}
/* The lanes of a warp that call it together are one arrival, as is one elected lane. Returns the phase to wait for. */
__device__ __forceinline__ unsigned __musa_async_arrive(unsigned barrier) {
    using namespace musa_sim_detail;
    barrier_state* const object = numbered_barrier(barrier);
    const unsigned phase = barrier_phase(object);  // which lasts until this warp has arrived
    __threadfence_block();
    __musa_sim_released(barrier_in_phase(object, phase));
    const unsigned together = __activemask();
    if (lane() == static_cast<unsigned>(__ffs(static_cast<int>(together)) - 1)) count_at_barrier(object, 1, 0);
    return phase & 1;
}
/* Returns when the barrier is past a phase with this parity. */
__device__ __forceinline__ void __musa_async_wait(unsigned barrier, unsigned phase) {
    using namespace musa_sim_detail;
    barrier_state* const object = numbered_barrier(barrier);
    unsigned now = barrier_phase(object);
    while ((now & 1) == (phase & 1)) {
        __nanosleep(20);
        now = barrier_phase(object);
    }
    __threadfence_block();
    __musa_sim_acquired(barrier_in_phase(object, now - 1));
}
__device__ __forceinline__ void __musa_async_add_trans(unsigned barrier, unsigned bytes) {
    musa_sim_detail::count_at_barrier(musa_sim_detail::numbered_barrier(barrier), 0, static_cast<int>(bytes));
}
__device__ __forceinline__ void __musa_async_decrease_trans(unsigned barrier, unsigned bytes) {
    musa_sim_detail::count_at_barrier(musa_sim_detail::numbered_barrier(barrier), 0, -static_cast<int>(bytes));
}

/* Copies from global to shared memory. They are made at once; the check for races knows that they may come later. */
__device__ __forceinline__ void __musa_memcpy_g2s(__attribute__((address_space(3))) void* to,
                                                  __attribute__((address_space(1))) const void* from, unsigned bytes,
                                                  unsigned) {
    __builtin_memcpy((void*)to, (const void*)from, bytes);
    __musa_sim_copy_started((const void*)to, bytes);
}
__device__ __forceinline__ void __musa_memcpy_g2s_commit_group() { __musa_sim_copies_committed(); }
__device__ __forceinline__ void __musa_memcpy_g2s_wait_group(unsigned left) { __musa_sim_copies_awaited(left); }
__device__ __forceinline__ void __musa_memcpy_g2s_wait() {
    __musa_sim_copies_committed();
    __musa_sim_copies_awaited(0);
}
/* Waits for the thread's own accesses to shared memory */
__device__ __forceinline__ void __musa_lma_wait() { __threadfence_block(); }

/* A hint about the loop that it is in */
__device__ __forceinline__ void __musa_loop_transparent_outermost() {}
__device__ __forceinline__ __attribute__((address_space(1))) void* __musa_ptr_gen_to_global(void* pointer) {
    return (__attribute__((address_space(1))) void*)pointer;
}

#endif
