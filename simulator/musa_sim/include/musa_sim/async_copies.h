/* Calls that tell the check for races of asynchronous copies to shared memory. mcc only.
 *
 * A copy is made when it is started; the check knows that it may come at any time until its thread has waited.
 */
#ifndef MUSA_SIM_ASYNC_COPIES_H
#define MUSA_SIM_ASYNC_COPIES_H

#include <musa_sim/runtime_functions.h>

__device__ __forceinline__ void __musa_sim_copy_started(const void* to, unsigned long long bytes) {
#ifdef __MUSA_SIM_CHECKED__
    __musa_sim_check_copy_started(to, bytes);
#endif
}
/* The copies since the last call are a group. */
__device__ __forceinline__ void __musa_sim_copies_committed() {
#ifdef __MUSA_SIM_CHECKED__
    __musa_sim_check_copies_committed();
#endif
}
/* All groups but the last `left` have come. */
__device__ __forceinline__ void __musa_sim_copies_awaited(unsigned left) {
#ifdef __MUSA_SIM_CHECKED__
    __musa_sim_check_copies_awaited(left);
#endif
}

#endif
