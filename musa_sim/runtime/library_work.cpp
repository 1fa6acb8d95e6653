// What the SDK's own libraries (musa_sim/libraries) do on the host counts as work of the device.
#include <memory>

#include "api.h"
#include "device_abi.h"
#include "guarded_memory.h"

namespace {

struct LibraryWork {
    void (*function)(void*);
    void* data;

    static void run(void* self) {
        const std::unique_ptr<LibraryWork> work(static_cast<LibraryWork*>(self));
        const musa_sim::DeviceWork may_touch_device_memory;
        work->function(work->data);
    }
};

}  // namespace

int __musa_sim_launch_library_work(void* stream, void (*function)(void*), void* data) {
    auto work = std::make_unique<LibraryWork>(LibraryWork{function, data});
    const musaError_t error =
        musaLaunchHostFunc(static_cast<musaStream_t>(stream), LibraryWork::run, work.get());
    if (error == musaSuccess) work.release();
    return error;
}
