// Run an operation of a library in the order of a stream.
#pragma once

#include "base/device_abi.h"
#include <musa_runtime_api.h>

#include <memory>
#include <typeinfo>
#include <utility>

#include "exported.h"

namespace musa_sim {

// Run `work` on the host when the stream reaches it: host code may access device memory in the simulator. If the stream
// is being captured, each launch of the graph runs it. Profilers show `name`, which is not copied.
template <class Work>
musaError_t enqueue_work(musaStream_t stream, Work work, const char* name = typeid(Work).name()) {
    auto owned = std::make_unique<Work>(std::move(work));
    void (*run)(void*) = [](void* data) { (*static_cast<Work*>(data))(); };
    void (*discard)(void*) = [](void* data) { delete static_cast<Work*>(data); };
    const int error = __musa_sim_launch_library_work(stream, run, discard, owned.get(), name);
    if (error == musaSuccess) owned.release();
    return static_cast<musaError_t>(error);
}

}  // namespace musa_sim
