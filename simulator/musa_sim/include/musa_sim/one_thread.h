/* How the device-wide algorithms of cub and Thrust run.
 *
 * mcc only. They are kernels of one thread. A GPU needs thousands of threads to be busy; here a thread is a loop on a CPU
 * core, so one that walks through the data is as fast as any, and sums come out in the order of the items. They are kernels
 * and not host functions because the function objects and iterators they are given may exist in device code only.
 */
#ifndef MUSA_SIM_ONE_THREAD_H
#define MUSA_SIM_ONE_THREAD_H

#include <musa_runtime.h>

#if defined(__MUSACC__)

namespace musa_sim_detail {

template <class Body>
__global__ void one_thread(Body body) {
    body();
}

template <class Body>
musaError_t enqueue(musaStream_t stream, Body body) {
    void *arguments[] = {&body};
    return musaLaunchKernel(&one_thread<Body>, dim3(1), dim3(1), arguments, 0, stream);
}

}  // namespace musa_sim_detail

#endif

#endif
