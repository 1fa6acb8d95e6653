#pragma once

#include "Device.h"
#include "MUSAException.h"

#include <c10/core/Device.h>

#include <cstddef>

namespace c10::musa {

/// Number of devices; 0 without a usable device, never an error.
DeviceIndex device_count() noexcept;

/// As device_count(), but throws if there is none.
DeviceIndex device_count_ensure_non_zero();

/// True once this process has used a device: memory, a stream, or PyTorch's own initialisation.
bool is_initialized() noexcept;
void mark_initialized() noexcept;

/// The calling thread's current device.
DeviceIndex current_device();

/// Throws if `device` is not in [0, device_count()).
void set_device(DeviceIndex device);

/// Makes `device` current and returns the one that was; a negative `device` changes nothing.
DeviceIndex exchange_device(DeviceIndex device);
DeviceIndex maybe_exchange_device(DeviceIndex device);

/// Waits for all streams of the current device.
void device_synchronize();

/// PyTorch's names for the runtime's calls, as torch_musa's header has them: they return its status.
musaError_t GetDeviceCount(int* count);
musaError_t GetDevice(DeviceIndex* device);
musaError_t SetDevice(DeviceIndex device);
/// As SetDevice(): a device has no context that it would be too early to make.
musaError_t MaybeSetDevice(DeviceIndex device);
inline void SetTargetDevice() {}

/// As exchange_device().
DeviceIndex ExchangeDevice(DeviceIndex device);
DeviceIndex MaybeExchangeDevice(DeviceIndex device);

/// Waits for a stream.
void stream_synchronize(musaStream_t stream);

/// Copies `nbytes` on `stream` and waits for the stream.
void memcpy_and_sync(
    void* dst,
    const void* src,
    size_t nbytes,
    musaMemcpyKind kind,
    musaStream_t stream);

} // namespace c10::musa

// at::musa sees all of c10::musa, as at::cuda sees all of c10::cuda: ported code takes it for granted.
namespace at::musa {

using namespace c10::musa;

} // namespace at::musa
