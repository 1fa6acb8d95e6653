// What the SDK's own libraries (musa_sim/libraries) do on the host counts as work of the device.
#include <memory>
#include <string>

#include "activity.h"
#include "api.h"
#include "demangle.h"
#include "device_abi.h"
#include "guarded_memory.h"

namespace {

// "mublas::axpy<float>(...)::{lambda()#1}" without what the compiler added.
std::string readable(const char* told) {
    const std::string name = musa_sim::demangled(told);
    return name.substr(0, name.rfind("::{lambda"));
}

struct LibraryWork {
    void (*function)(void*);
    void* data;
    musa_sim::ActivityOfWork activity{};

    static void run(void* self) {
        const std::unique_ptr<LibraryWork> work(static_cast<LibraryWork*>(self));
        const musa_sim::DeviceWork may_touch_device_memory;
        work->activity.run([&] { work->function(work->data); });
    }
};

}  // namespace

int __musa_sim_launch_library_work(void* stream, void (*function)(void*), void* data,
                                   const char* name) {
    const musa_sim::ActivityCall call("musaLaunchHostFunc");
    const auto handle = static_cast<musaStream_t>(stream);
    auto work = std::make_unique<LibraryWork>(LibraryWork{function, data});
    musa_sim::Target target;
    if (musa_sim::Activities::wanted() && musa_sim::find_target(handle, &target) == musaSuccess) {
        work->activity = musa_sim::ActivityOfWork(
            musa_sim_activity_library, target, [=] { return readable(name); },
            [](musa_sim_activity&) {});
    }
    const musaError_t error = musaLaunchHostFunc(handle, LibraryWork::run, work.get());
    if (error == musaSuccess) work.release();
    return error;
}
