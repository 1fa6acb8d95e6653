#include "torch_musa/csrc/core/GuardImpl.h"

#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAStream.h"

namespace c10::musa::impl {

namespace {

musaEvent_t as_event(void* event) {
  return static_cast<musaEvent_t>(event);
}

} // namespace

MUSAGuardImpl::MUSAGuardImpl(DeviceType type) {
  TORCH_INTERNAL_ASSERT(type == kMUSA);
}

DeviceType MUSAGuardImpl::type() const {
  return kMUSA;
}

Device MUSAGuardImpl::exchangeDevice(Device device) const {
  TORCH_INTERNAL_ASSERT(device.type() == kMUSA);
  return Device(kMUSA, exchange_device(device.index()));
}

Device MUSAGuardImpl::getDevice() const {
  return Device(kMUSA, current_device());
}

void MUSAGuardImpl::setDevice(Device device) const {
  TORCH_INTERNAL_ASSERT(device.type() == kMUSA);
  set_device(device.index());
}

void MUSAGuardImpl::uncheckedSetDevice(Device device) const noexcept {
  C10_MUSA_CHECK_WARN(musaSetDevice(device.index()));
}

DeviceIndex MUSAGuardImpl::deviceCount() const noexcept {
  return device_count();
}

void MUSAGuardImpl::synchronizeDevice(const DeviceIndex device) const {
  DeviceGuard guard(device >= 0 ? Device(kMUSA, device) : getDevice());
  device_synchronize();
}

#ifdef TORCH_MUSA_HAS_DEVICE_CAPABILITY
DeviceCapability MUSAGuardImpl::getDeviceCapability(Device /*device*/) const {
  uint64_t dtypes = 0; // the types that PyTorch's CPU kernels convert
#define CONVERTED(type, name) dtypes |= uint64_t{1} << kIndex_##name;
  AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_EXCEPT_COMPLEX_HALF_F8NZ(CONVERTED)
  AT_FORALL_FLOAT8_TYPES(CONVERTED)
#undef CONVERTED
  for (auto index : {kIndex_ComplexHalf, kIndex_UInt16, kIndex_UInt32, kIndex_UInt64}) {
    dtypes |= uint64_t{1} << index;
  }
  DeviceCapability capability;
  capability.capability_data.capability_bits = dtypes;
  return capability;
}
#endif

Stream MUSAGuardImpl::getStream(Device device) const TORCH_MUSA_NOEXCEPT_BEFORE_2_7 {
  return getCurrentMUSAStream(device.index()).unwrap();
}

Stream MUSAGuardImpl::getDefaultStream(Device device) const {
  return getDefaultMUSAStream(device.index()).unwrap();
}

Stream MUSAGuardImpl::getNewStream(Device device, int priority) const {
  return getStreamFromPool(priority, device.index()).unwrap();
}

Stream MUSAGuardImpl::getStreamFromGlobalPool(Device device, bool high_priority) const {
  return getStreamFromPool(high_priority, device.index()).unwrap();
}

Stream MUSAGuardImpl::exchangeStream(Stream stream) const TORCH_MUSA_NOEXCEPT_BEFORE_2_7 {
  MUSAStream next(stream);
  MUSAStream previous = getCurrentMUSAStream(next.device_index());
  setCurrentMUSAStream(next);
  return previous.unwrap();
}

#if TORCH_MUSA_TORCH_AT_LEAST(2, 11)
void* MUSAGuardImpl::getStreamNativeHandle(const Stream stream) const {
  return MUSAStream(stream).stream();
}
#endif

bool MUSAGuardImpl::queryStream(const Stream& stream) const {
  return MUSAStream(stream).query();
}

void MUSAGuardImpl::synchronizeStream(const Stream& stream) const {
  MUSAStream(stream).synchronize();
}

void MUSAGuardImpl::record(
    void** event,
    const Stream& stream,
    const DeviceIndex device,
    const EventFlag flag) const {
  TORCH_CHECK(
      device == -1 || device == stream.device_index(),
      "An event of MUSA device ", static_cast<int>(device), " cannot be recorded on a stream of device ",
      static_cast<int>(stream.device_index()));
  MUSAStream musa_stream(stream);
  DeviceGuard guard(stream.device());
  if (*event == nullptr) {
    unsigned flags = flag == EventFlag::BACKEND_DEFAULT ? musaEventDefault : musaEventDisableTiming;
    musaEvent_t created = nullptr;
    C10_MUSA_CHECK(musaEventCreateWithFlags(&created, flags));
    *event = created;
  }
  C10_MUSA_CHECK(musaEventRecord(as_event(*event), musa_stream));
}

void MUSAGuardImpl::block(void* event, const Stream& stream) const {
  if (event == nullptr) {
    return; // never recorded: there is nothing to wait for
  }
  MUSAStream musa_stream(stream);
  DeviceGuard guard(stream.device());
  C10_MUSA_CHECK(musaStreamWaitEvent(musa_stream, as_event(event), 0));
}

bool MUSAGuardImpl::queryEvent(void* event) const {
  if (event == nullptr) {
    return true;
  }
  musaError_t state = C10_MUSA_ERROR_HANDLED(musaEventQuery(as_event(event)));
  if (state == musaErrorNotReady) {
    C10_MUSA_CLEAR_ERROR();
    return false;
  }
  C10_MUSA_CHECK(state);
  return true;
}

void MUSAGuardImpl::synchronizeEvent(void* event) const {
  if (event != nullptr) {
    C10_MUSA_CHECK(musaEventSynchronize(as_event(event)));
  }
}

double MUSAGuardImpl::elapsedTime(void* start, void* end, const DeviceIndex device) const {
  TORCH_CHECK(start && end, "Both events must be recorded before the time between them can be asked for");
  DeviceGuard guard(Device(kMUSA, device));
  float milliseconds = 0;
  C10_MUSA_CHECK(musaEventElapsedTime(&milliseconds, as_event(start), as_event(end)));
  return milliseconds;
}

void MUSAGuardImpl::destroyEvent(void* event, const DeviceIndex /*device*/) const noexcept {
  if (event != nullptr) {
    C10_MUSA_CHECK_WARN(musaEventDestroy(as_event(event)));
  }
}

void MUSAGuardImpl::recordDataPtrOnStream(const DataPtr& /*data*/, const Stream& /*stream*/) const {
  // Nothing to remember: memory goes back through musaFree, which waits for the device, never into a cache.
}

C10_REGISTER_GUARD_IMPL(PrivateUse1, MUSAGuardImpl)

} // namespace c10::musa::impl
