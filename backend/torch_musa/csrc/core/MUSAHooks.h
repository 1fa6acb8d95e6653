#pragma once

#include "TorchVersion.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>

namespace at::musa {

/// The accelerator, for device-generic code in PyTorch. Defined in aten/musa, because it hands out generators; ported
/// sources include it from here.
struct MUSAHooks final : public at::PrivateUse1HooksInterface {
  bool isBuilt() const TORCH_MUSA_OVERRIDE_SINCE_2_7;
  bool isAvailable() const TORCH_MUSA_OVERRIDE_SINCE_2_7;
  bool hasPrimaryContext(c10::DeviceIndex device) const override;
#if TORCH_MUSA_TORCH_AT_LEAST(2, 6)
  void init() const override;
#else
  void initPrivateUse1() const override;
#endif

  c10::DeviceIndex deviceCount() const override;
  void setCurrentDevice(c10::DeviceIndex device) const override;
  c10::DeviceIndex getCurrentDevice() const override;
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override;
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override;

  const at::Generator& getDefaultGenerator(c10::DeviceIndex device = -1) const override;
  at::Generator getNewGenerator(c10::DeviceIndex device = -1) const TORCH_MUSA_OVERRIDE_SINCE_2_6;

  c10::Allocator* getPinnedMemoryAllocator() const override;
  bool isPinnedPtr(const void* pointer) const override;
  c10::Device getDeviceFromPtr(void* pointer) const override;

  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t nbytes) const override;
};

} // namespace at::musa
