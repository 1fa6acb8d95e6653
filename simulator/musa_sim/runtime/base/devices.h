// The devices of the process, the calling thread's current device, and the two kinds of error
// state:
//
// - the last error of a thread, which musaGetLastError returns and clears;
// - the error of a device, left by a kernel that failed. As on a GPU it stays: every later call
// that uses the device
//   returns it, until musaDeviceReset.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/api.h"
#include "base/architectures.h"

namespace musa_sim {

struct Device {
    const Architecture* architecture;
    int number;  // among all devices of the machine, not the visible ones alone
    std::size_t total_memory;
    std::atomic<std::size_t> used_memory{0};
    std::atomic<musaError_t> error{musaSuccess};
};

class DeviceTable {
public:
    static DeviceTable& instance();
    DeviceTable();

    // musaSuccess, musaErrorNoDevice, or musaErrorInitializationError if the environment is wrong
    // (then one line on stderr has said how).
    musaError_t status() const { return status_; }
    int count() const { return static_cast<int>(devices_.size()); }
    bool contains(int device) const { return device >= 0 && device < count(); }
    Device& operator[](int device) { return *devices_[static_cast<std::size_t>(device)]; }

private:
    musaError_t status_;
    std::vector<std::unique_ptr<Device>> devices_;
};

inline bool is_device(int device) { return DeviceTable::instance().contains(device); }

int current_device();
void set_current_device(int device);
Device& current();

// The error a kernel left on a device; musaSuccess if none did.
musaError_t device_error(int device);
inline bool device_failed(int device) { return device_error(device) != musaSuccess; }
// Leaves an error on a device; the first one stays.
void fail_device(int device, musaError_t error);

musaError_t last_error();
// Remember an error for musaGetLastError and return it; musaErrorNotReady is an answer, not an
// error.
musaError_t remember(musaError_t error);
void clear_last_error();
// Says on stderr that some things ("textures of compressed blocks") are not simulated.
musaError_t not_simulated(const char* what);

// body() as an API function: no C++ exception leaves it, and its result is remembered.
template <class Body>
musaError_t api_call(Body&& body) noexcept {
    try {
        return remember(body());
    } catch (const std::bad_alloc&) {
        return remember(musaErrorMemoryAllocation);
    } catch (...) {
        return remember(musaErrorUnknown);
    }
}

// A result that the caller may leave out.
template <class T>
void set_if_asked(T* asked, T value) {
    if (asked) *asked = std::move(value);
}

// True on the thread that runs a host function of musaLaunchHostFunc or musaStreamAddCallback,
// which must not call the API.
bool& in_host_function();

// An API function that uses the current device: it needs one, and reports the error a kernel left
// on it.
template <class Body>
musaError_t device_call(Body&& body) noexcept {
    return api_call([&] {
        DeviceTable& table = DeviceTable::instance();
        if (table.status() != musaSuccess) return table.status();
        if (in_host_function()) return musaErrorNotPermitted;
        musaError_t error = current().error.load(std::memory_order_relaxed);
        return error != musaSuccess ? error : body();
    });
}

}  // namespace musa_sim
