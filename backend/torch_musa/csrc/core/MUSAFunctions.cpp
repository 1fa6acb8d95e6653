#include "torch_musa/csrc/core/MUSAFunctions.h"

#include "torch_musa/csrc/core/SyncDebugMode.h"

#include <atomic>
#include <limits>

namespace c10::musa {

DeviceIndex device_count() noexcept {
  // The simulator's devices are fixed when libmusart is loaded, as a driver's are.
  static const DeviceIndex count = [] {
    int found = 0;
    if (musaGetDeviceCount(&found) != musaSuccess) {
      C10_MUSA_CLEAR_ERROR();
      return DeviceIndex{0};
    }
    constexpr int most = std::numeric_limits<DeviceIndex>::max();
    return static_cast<DeviceIndex>(found < most ? found : most);
  }();
  return count;
}

DeviceIndex device_count_ensure_non_zero() {
  DeviceIndex count = device_count();
  TORCH_CHECK(count > 0, "No MUSA device is available; MUSA_VISIBLE_DEVICES or MUSA_SIM_DEVICES may hide all of them");
  return count;
}

namespace {

std::atomic<bool> initialized{false};

} // namespace

bool is_initialized() noexcept {
  return initialized.load(std::memory_order_relaxed);
}

void mark_initialized() noexcept {
  initialized.store(true, std::memory_order_relaxed);
}

DeviceIndex current_device() {
  int device = -1;
  C10_MUSA_CHECK(musaGetDevice(&device));
  return static_cast<DeviceIndex>(device);
}

void set_device(DeviceIndex device) {
  TORCH_CHECK(
      device >= 0 && device < device_count_ensure_non_zero(),
      "Invalid MUSA device index ", static_cast<int>(device), ": there are ",
      static_cast<int>(device_count()), " device(s), numbered from 0");
  C10_MUSA_CHECK(musaSetDevice(device));
}

DeviceIndex exchange_device(DeviceIndex device) {
  DeviceIndex previous = current_device();
  if (device >= 0 && device != previous) {
    set_device(device);
  }
  return previous;
}

DeviceIndex maybe_exchange_device(DeviceIndex device) {
  return exchange_device(device);
}

musaError_t GetDeviceCount(int* count) {
  return musaGetDeviceCount(count);
}

musaError_t GetDevice(DeviceIndex* device) {
  int current = -1;
  const musaError_t status = musaGetDevice(&current);
  if (status == musaSuccess) {
    *device = static_cast<DeviceIndex>(current);
  }
  return status;
}

musaError_t SetDevice(DeviceIndex device) {
  return musaSetDevice(device);
}

musaError_t MaybeSetDevice(DeviceIndex device) {
  return SetDevice(device);
}

DeviceIndex ExchangeDevice(DeviceIndex device) {
  return exchange_device(device);
}

DeviceIndex MaybeExchangeDevice(DeviceIndex device) {
  return exchange_device(device);
}

void device_synchronize() {
  C10_MUSA_CHECK(musaDeviceSynchronize());
}

void stream_synchronize(musaStream_t stream) {
  warn_or_error_on_sync();
  C10_MUSA_CHECK(musaStreamSynchronize(stream));
}

void memcpy_and_sync(
    void* dst,
    const void* src,
    size_t nbytes,
    musaMemcpyKind kind,
    musaStream_t stream) {
  warn_or_error_on_sync();
  C10_MUSA_CHECK(musaMemcpyAsync(dst, src, nbytes, kind, stream));
  C10_MUSA_CHECK(musaStreamSynchronize(stream));
}

} // namespace c10::musa
