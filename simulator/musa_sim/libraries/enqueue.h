// How an operation of a library comes to run in the order of a stream.
#pragma once

#include "base/device_abi.h"
#include <musa_runtime_api.h>

#include <memory>
#include <typeinfo>
#include <utility>

#define MUSA_SIM_EXPORTED extern "C" __attribute__((visibility("default")))

namespace musa_sim {

// Runs `work` on the host when the stream comes to it: to the simulator device memory is memory. A graph that captured it
// runs it in each launch.
template <class Work>
musaError_t enqueue_work(musaStream_t stream, Work work) {
    auto owned = std::make_unique<Work>(std::move(work));
    void (*run)(void*) = [](void* data) { (*static_cast<Work*>(data))(); };
    void (*discard)(void*) = [](void* data) { delete static_cast<Work*>(data); };
    const int error = __musa_sim_launch_library_work(stream, run, discard, owned.get(), typeid(Work).name());
    if (error == musaSuccess) owned.release();
    return static_cast<musaError_t>(error);
}

}  // namespace musa_sim
