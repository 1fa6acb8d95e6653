#include "torch_musa/csrc/core/MUSAHooks.h"

#include "torch_musa/csrc/aten/musa/MUSAGeneratorImpl.h"
#include "torch_musa/csrc/core/Allocator.h"
#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/PinnedMemoryAllocator.h"

#include <ATen/core/GeneratorForPrivateuseone.h>

#include <algorithm>

namespace at::musa {

bool MUSAHooks::isBuilt() const {
  return true;
}

bool MUSAHooks::isAvailable() const {
  return c10::musa::device_count() > 0;
}

bool MUSAHooks::hasPrimaryContext(c10::DeviceIndex device) const {
  return device >= 0 && device < c10::musa::device_count();
}

#if TORCH_MUSA_TORCH_AT_LEAST(2, 6)
void MUSAHooks::init() const {
#else
void MUSAHooks::initPrivateUse1() const {
#endif
  c10::musa::device_count_ensure_non_zero();
  c10::musa::mark_initialized();
}

c10::DeviceIndex MUSAHooks::deviceCount() const {
  return c10::musa::device_count();
}

void MUSAHooks::setCurrentDevice(c10::DeviceIndex device) const {
  c10::musa::set_device(device);
}

c10::DeviceIndex MUSAHooks::getCurrentDevice() const {
  return c10::musa::current_device();
}

c10::DeviceIndex MUSAHooks::exchangeDevice(c10::DeviceIndex device) const {
  return c10::musa::exchange_device(device);
}

c10::DeviceIndex MUSAHooks::maybeExchangeDevice(c10::DeviceIndex device) const {
  return c10::musa::maybe_exchange_device(device);
}

const at::Generator& MUSAHooks::getDefaultGenerator(c10::DeviceIndex device) const {
  return detail::getDefaultMUSAGenerator(device);
}

at::Generator MUSAHooks::getNewGenerator(c10::DeviceIndex device) const {
  return detail::createMUSAGenerator(device);
}

c10::Allocator* MUSAHooks::getPinnedMemoryAllocator() const {
  return at::musa::getPinnedMemoryAllocator();
}

bool MUSAHooks::isPinnedPtr(const void* pointer) const {
  return is_pinned(pointer);
}

c10::Device MUSAHooks::getDeviceFromPtr(void* pointer) const {
  musaPointerAttributes attributes{};
  C10_MUSA_CHECK(musaPointerGetAttributes(&attributes, pointer));
  TORCH_CHECK(
      attributes.type == musaMemoryTypeDevice || attributes.type == musaMemoryTypeManaged,
      "The pointer ", pointer, " is not MUSA device memory");
  return c10::Device(kMUSA, static_cast<c10::DeviceIndex>(attributes.device));
}

void MUSAHooks::resizePrivateUse1Bytes(const c10::Storage& storage, size_t nbytes) const {
  TORCH_CHECK(storage.resizable(), "Trying to resize storage that is not resizable");
  c10::musa::MUSAGuard guard(storage.device());
  c10::DataPtr grown = c10::musa::MUSAAllocator::get().allocate(nbytes);
  size_t kept = std::min(nbytes, storage.nbytes());
  if (kept > 0) {
    c10::musa::memcpy_and_sync(
        grown.get(), storage.data(), kept, musaMemcpyDeviceToDevice, c10::musa::getCurrentMUSAStream());
  }
  storage.set_data_ptr_noswap(std::move(grown));
  storage.set_nbytes(nbytes);
}

namespace {

const bool hooks_registered = [] {
  at::RegisterPrivateUse1HooksInterface(new MUSAHooks());
  return true;
}();

#if !TORCH_MUSA_TORCH_AT_LEAST(2, 7)
at::Generator new_generator(c10::DeviceIndex device) {
  return detail::createMUSAGenerator(device);
}
REGISTER_GENERATOR_PRIVATEUSE1(new_generator) // torch.Generator asks this; later it asks the hooks
#endif

} // namespace

} // namespace at::musa
