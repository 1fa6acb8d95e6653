/* Work that the host does as if a device did it. An interface of the simulator, for libraries above the runtime: the real
 * SDK has no counterpart. Plain C.
 */
#ifndef MUSA_SIM_WORK_H
#define MUSA_SIM_WORK_H

#include <musa_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls function(data) in the order of the stream; it may touch device memory and must not call the API. If the stream is
 * being captured, it is called each time that the graph is launched. discard(data) is called in the end, on any thread.
 * If the result is not musaSuccess, neither is called. `name`, for profilers, must stay. */
int __musa_sim_launch_library_work(void* stream, void (*function)(void*), void (*discard)(void*),
                                   void* data, const char* name);

/* Work of a stream that a thread of the library does, such as an exchange with other processes. No thread of the
 * runtime waits for it, so however long it takes, other streams go on.
 *
 * Submitting it: ready(data, error) is called when the stream has come to it; it must neither wait nor call the API.
 * `error` is the musaError_t that a kernel left on the device. Later work of the stream waits until the work is ended.
 * The stream must be one of the current device. If the result is not musaSuccess, there is no work.
 * musaErrorStreamCaptureUnsupported: the stream is being captured. */
struct musa_sim_external_work;
int __musa_sim_submit_external_work(void* stream, void (*ready)(void*, int), void* data, const char* name,
                                    struct musa_sim_external_work** work);
/* Calls function(data) on the calling thread as work of the device: it may touch device memory. */
void __musa_sim_run_external_work(struct musa_sim_external_work* work, void (*function)(void*), void* data);
/* Lets the stream continue; frees `work`. */
void __musa_sim_end_external_work(struct musa_sim_external_work* work);

/* Not 0: what is submitted is complete when the call returns (MUSA_SIM_ASYNC=0). */
int __musa_sim_is_synchronous(void);
/* The bytes from the address to the end of its allocation; 0 if it is in none. */
size_t __musa_sim_bytes_behind(const void* address);
/* Starts a thread that takes no signals but those of faults; 0 if there can be none. */
int __musa_sim_start_thread(void (*function)(void*), void* data);

#ifdef __cplusplus
}
#endif

#endif
