/* Functions of libmccl for torch's process group, beside NCCL's. An interface of the simulator: the real SDK has no
 * counterpart. Plain C.
 */
#ifndef MUSA_SIM_MCCL_H
#define MUSA_SIM_MCCL_H

#include <mccl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* mcclCommInitRank for a process group, which may not know its device yet: the communicator is on none. Operations are on
 * the current device of the thread that ends their group, and the first device whose memory they use is the rank's.
 * Failures are not printed on stderr. Waits for the other ranks as long as `milliseconds`. */
mcclResult_t musa_sim_mccl_join(mcclComm_t* comm, int ranks, const mcclUniqueId* id, int rank, long long milliseconds);

/* Between mcclGroupStart and mcclGroupEnd: what the caller calls the group's operations, such as "all_to_all of Float", and
 * how many milliseconds they may wait for other ranks. A message is then sent when its receiver has agreed to its size. If
 * `collective` is not 0, all ranks of the communicator must call a group of the same name. */
mcclResult_t musa_sim_mccl_call(const char* name, long long milliseconds, int collective);

#ifdef __cplusplus
}
#endif

#endif
