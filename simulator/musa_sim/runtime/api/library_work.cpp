// Host work of the SDK's own libraries (musa_sim/libraries), which counts as work of the device.
#include <memory>
#include <string>

#include "base/api.h"
#include "base/demangle.h"
#include "base/device_abi.h"
#include "blocks/fault_handlers.h"
#include "memory/guarded_memory.h"
#include "streams/activity.h"
#include "streams/capture.h"
#include "streams/host_call.h"

namespace {

using musa_sim::Target;

// "mublas::axpy<float>(...)::{lambda()#1}" without the lambda.
std::string readable(const char* mangled) {
    const std::string name = musa_sim::demangled(mangled);
    return name.substr(0, name.rfind("::{lambda"));
}

// The same for a message: "getrf<float>(...)".
std::string in_words(const char* mangled) {
    constexpr char nowhere[] = "(anonymous namespace)::";
    std::string name = readable(mangled);
    for (std::size_t at; (at = name.find(nowhere)) != std::string::npos;)
        name.erase(at, sizeof nowhere - 1);
    return name;
}

// The library's function with its data; a graph keeps it for all its launches.
class Job {
public:
    Job(void (*function)(void*), void (*discard)(void*), void* data)
        : function_(function), discard_(discard), data_(data) {}
    ~Job() {
        if (discard_) discard_(data_);
    }
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // The library keeps the data.
    void give_back() { discard_ = nullptr; }
    void run(int device, const char* name) const {
        musa_sim::call_host([=] {
            const musa_sim::DeviceWork may_touch_device_memory;
            musa_sim::run_library_work({function_, data_, device, &in_words, name});
        });
    }

private:
    void (*function_)(void*);
    void (*discard_)(void*);
    void* data_;
};

auto launch_of(const std::shared_ptr<Job>& job, const char* name) {
    return [=](const Target& target) {
        musa_sim::ActivityOfWork activity(
            musa_sim_activity_library, target, [=] { return readable(name); },
            [](musa_sim_activity&) {});
        return [job, name, device = target.device, activity = std::move(activity)]() mutable {
            activity.run([&] { job->run(device, name); });
        };
    };
}

musaError_t launch(const Target& target, const std::shared_ptr<Job>& job, const char* name) {
    const auto make = launch_of(job, name);
    if (musa_sim::is_captured(target)) {
        return musa_sim::Captures::instance().add(target, musaGraphNodeTypeHost, readable(name),
                                                  musa_sim::as_node_work(make));
    }
    return musa_sim::enqueue(target, musa_sim::Completion::not_awaited, musa_sim::Start::soon,
                             make(target));
}

}  // namespace

int __musa_sim_launch_library_work(void* stream, void (*function)(void*), void (*discard)(void*),
                                   void* data, const char* name) {
    const musa_sim::ActivityCall call("musaLaunchHostFunc");
    const auto job = std::make_shared<Job>(function, discard, data);
    const musaError_t error =
        musa_sim::stream_call(static_cast<musaStream_t>(stream), [&](const Target& target) {
            return launch(target, job, name);
        });
    if (error != musaSuccess) job->give_back();
    return error;
}
