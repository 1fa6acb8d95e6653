// Work of a stream that is done by threads of the SDK's own libraries: two tasks, the second behind a gate.
#include <memory>
#include <string>

#include "base/api.h"
#include "base/background_thread.h"
#include "base/device_abi.h"
#include "base/settings.h"
#include "memory/guarded_memory.h"
#include "memory/memory_table.h"
#include "streams/activity.h"
#include "streams/capture.h"
#include "streams/conditions.h"

#pragma GCC visibility push(default)
#include <musa_sim_work.h>
#pragma GCC visibility pop

struct musa_sim_external_work {
    musa_sim::Ticket gate;
    musa_sim::ActivityOfWork activity;
};

namespace {

using musa_sim::StreamQueues;
using musa_sim::Target;

std::unique_ptr<musa_sim_external_work> new_work(const Target& target, const char* name) {
    return std::make_unique<musa_sim_external_work>(
        musa_sim_external_work{StreamQueues::create_gate(),
                               musa_sim::ActivityOfWork(
                                   musa_sim_activity_library, target, [=] { return std::string(name); },
                                   [](musa_sim_activity&) {})});
}

}  // namespace

int __musa_sim_submit_external_work(void* stream, void (*ready)(void*, int), void* data, const char* name,
                                    musa_sim_external_work** work) {
    const musa_sim::ActivityCall call(name);
    return musa_sim::stream_call(static_cast<musaStream_t>(stream), [&](const Target& target) {
        if (target.device != musa_sim::current_device()) return musaErrorInvalidResourceHandle;
        const musaError_t refused = musa_sim::capture_check(&musa_sim::Captures::refuse, target);
        if (refused != musaSuccess) return refused;
        std::unique_ptr<musa_sim_external_work> made = new_work(target, name);
        const musa_sim::Ticket gate = made->gate;
        StreamQueues& queues = StreamQueues::instance();
        // Called on a failed device too: others wait for this one.
        queues.submit(target.queue, musa_sim::as_work([=, device = target.device] {
                          ready(data, musa_sim::device_error(device));
                      }),
                      musa_sim::Start::now);
        queues.submit(target.queue, nullptr, musa_sim::Start::now, {gate});
        *work = made.release();
        return musaSuccess;
    });
}

void __musa_sim_run_external_work(musa_sim_external_work* work, void (*function)(void*), void* data) {
    const musa_sim::DeviceWork may_touch_device_memory;
    work->activity.run([=] { function(data); });
}

void __musa_sim_end_external_work(musa_sim_external_work* work) {
    const std::unique_ptr<musa_sim_external_work> owned(work);
    if (!owned->activity.empty()) owned->activity.drop();
    StreamQueues::instance().open_gate(owned->gate);
}

int __musa_sim_wait_until(void* stream, int (*holds)(void*), void (*discard)(void*), void* data) {
    return musa_sim::stream_call(static_cast<musaStream_t>(stream), [&](const Target& target) {
        const musaError_t refused = musa_sim::capture_check(&musa_sim::Captures::refuse, target);
        if (refused != musaSuccess) return refused;
        const std::shared_ptr<void> owned(data, discard);
        musa_sim::Conditions::instance().wait_in(target, [owned, holds] { return holds(owned.get()) != 0; });
        return musaSuccess;
    });
}

int __musa_sim_is_synchronous() { return musa_sim::settings().asynchronous ? 0 : 1; }

size_t __musa_sim_bytes_behind(const void* address) {
    musa_sim::Allocation allocation{};
    const char* begin = nullptr;
    if (!musa_sim::MemoryTable::instance().find(address, &allocation, &begin)) return 0;
    return static_cast<size_t>(begin + allocation.size - static_cast<const char*>(address));
}

int __musa_sim_start_thread(void (*function)(void*), void* data) {
    return musa_sim::start_background_thread([=] { function(data); }) ? 1 : 0;
}
