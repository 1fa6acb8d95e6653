/* Barriers of a part of a block's threads, for musa_ptx.h. mcc only. */
#ifndef MUSA_SIM_NAMED_BARRIERS_H
#define MUSA_SIM_NAMED_BARRIERS_H

#include <musa_sim/runtime_functions.h>

/* Barrier 0 to 15 of the block, complete when so many threads have arrived. */
__device__ __forceinline__ void __musa_sim_barrier_sync(unsigned barrier, unsigned threads) {
    __musa_sim_sync_named(barrier, threads, 1);
}
__device__ __forceinline__ void __musa_sim_barrier_arrive(unsigned barrier, unsigned threads) {
    __musa_sim_sync_named(barrier, threads, 0);
}

/* For the check for races: accesses of this thread before it releases the object happen before those of a thread after it
 * acquires the object later. */
__device__ __forceinline__ void __musa_sim_released(const void* object) {
    (void)object;
#ifdef __MUSA_SIM_CHECKED__
    __musa_sim_check_released(object);
#endif
}
__device__ __forceinline__ void __musa_sim_acquired(const void* object) {
    (void)object;
#ifdef __MUSA_SIM_CHECKED__
    __musa_sim_check_acquired(object);
#endif
}

#endif
