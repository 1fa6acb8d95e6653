#pragma once

#include "Device.h"
#include "TorchVersion.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#if __has_include(<c10/core/DeviceCapability.h>)
#include <c10/core/DeviceCapability.h>
#define TORCH_MUSA_HAS_DEVICE_CAPABILITY
#endif

namespace c10::musa::impl {

/// PyTorch's interface to a device: the current device, its streams and its events.
struct MUSAGuardImpl final : public c10::impl::DeviceGuardImplInterface {
  static constexpr DeviceType static_type = kMUSA;

  MUSAGuardImpl() = default;
  explicit MUSAGuardImpl(DeviceType type);

  DeviceType type() const override;

  Device exchangeDevice(Device device) const override;
  Device getDevice() const override;
  void setDevice(Device device) const override;
  void uncheckedSetDevice(Device device) const noexcept override;
  DeviceIndex deviceCount() const noexcept override;
  void synchronizeDevice(const DeviceIndex device) const TORCH_MUSA_OVERRIDE_SINCE_2_6;
#ifdef TORCH_MUSA_HAS_DEVICE_CAPABILITY
  DeviceCapability getDeviceCapability(Device device) const override;
#endif

  Stream getStream(Device device) const TORCH_MUSA_NOEXCEPT_BEFORE_2_7 override;
  Stream getDefaultStream(Device device) const override;
  Stream getNewStream(Device device, int priority = 0) const override;
  Stream getStreamFromGlobalPool(Device device, bool high_priority = false) const override;
  Stream exchangeStream(Stream stream) const TORCH_MUSA_NOEXCEPT_BEFORE_2_7 override;
  bool queryStream(const Stream& stream) const override;
  void synchronizeStream(const Stream& stream) const override;
#if TORCH_MUSA_TORCH_AT_LEAST(2, 11)
  void* getStreamNativeHandle(const Stream stream) const override;
#endif

  void record(void** event, const Stream& stream, const DeviceIndex device, const EventFlag flag)
      const override;
  void block(void* event, const Stream& stream) const override;
  bool queryEvent(void* event) const override;
  void synchronizeEvent(void* event) const override;
  double elapsedTime(void* start, void* end, const DeviceIndex device) const override;
  void destroyEvent(void* event, const DeviceIndex device) const noexcept override;

  void recordDataPtrOnStream(const DataPtr& data, const Stream& stream) const override;
};

} // namespace c10::musa::impl
