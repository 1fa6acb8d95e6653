#include "base/devices.h"

#include <cstdio>

#include "base/device_abi.h"
#include "base/host_memory.h"
#include "base/initialised.h"
#include "base/lifetime.h"
#include "base/settings.h"

namespace musa_sim {
namespace {

thread_local int thread_device MUSA_SIM_INITIAL_EXEC = 0;
thread_local musaError_t thread_error MUSA_SIM_INITIAL_EXEC = musaSuccess;
std::atomic<bool> initialised{false};

}  // namespace

DeviceTable& DeviceTable::instance() {
    static DeviceTable& table = leaked<DeviceTable>();
    return table;
}

DeviceTable::DeviceTable() : status_(musaSuccess) {
    const Settings& s = settings();
    if (!s.problem.empty()) {
        std::fprintf(stderr, "[musa-sim] %s\n", s.problem.c_str());
        status_ = musaErrorInitializationError;
        return;
    }
    const std::size_t available = s.memory_size ? 0 : available_memory();
    for (std::size_t i = 0; i < s.device_archs.size(); ++i) {
        auto device = std::make_unique<Device>();
        device->architecture = find_architecture(s.device_archs[i]);
        device->number = s.device_numbers[i];
        device->total_memory =
            s.memory_size ? s.memory_size
                          : default_device_memory(available, s.device_archs.size(),
                                                  device->architecture->memory);
        devices_.push_back(std::move(device));
    }
    if (devices_.empty()) status_ = musaErrorNoDevice;
    initialised = true;
}

int current_device() { return thread_device; }
void set_current_device(int device) { thread_device = device; }
Device& current() { return DeviceTable::instance()[thread_device]; }

musaError_t device_error(int device) {
    return DeviceTable::instance()[device].error.load(std::memory_order_relaxed);
}

void fail_device(int device, musaError_t error) {
    musaError_t none = musaSuccess;
    DeviceTable::instance()[device].error.compare_exchange_strong(none, error);
}

bool& in_host_function() {
    static thread_local bool inside MUSA_SIM_INITIAL_EXEC = false;
    return inside;
}

musaError_t last_error() { return thread_error; }
void clear_last_error() { thread_error = musaSuccess; }

musaError_t remember(musaError_t error) {
    if (error != musaSuccess && error != musaErrorNotReady) thread_error = error;
    return error;
}

musaError_t not_simulated(const char* what) {
    std::fprintf(stderr, "[musa-sim] %s are not simulated\n", what);
    return musaErrorNotSupported;
}

}  // namespace musa_sim

bool __musa_sim_is_initialised() { return musa_sim::initialised; }
