/* Work that the host does as if a device did it. An interface of the simulator, for libraries above the runtime: the real
 * SDK has no counterpart. Plain C.
 */
#ifndef MUSA_SIM_WORK_H
#define MUSA_SIM_WORK_H

#include <musa_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls function(data) in the order of the stream; it may touch device memory and must not call the API. If the stream is
 * being captured, it is called each time that the graph is launched. discard(data) is called in the end, on any thread.
 * If the result is not musaSuccess, neither is called. `name`, for profilers, must stay. */
int __musa_sim_launch_library_work(void* stream, void (*function)(void*), void (*discard)(void*),
                                   void* data, const char* name);

#ifdef __cplusplus
}
#endif

#endif
