#include "torch_musa/csrc/aten/DeviceMemoryForCpu.h"

#include "torch_musa/csrc/core/Allocator.h"

#include <c10/core/CPUAllocator.h>

namespace at::musa {

namespace {

// Smaller memory is many short-lived temporaries, for which an allocation of the device is slow.
constexpr size_t kLeastBytes = size_t{1} << 20;

thread_local bool guarded = false;

/// PyTorch's CPU allocator, and under a DeviceMemoryGuard the device's for large memory.
class CpuAllocator final : public c10::Allocator {
 public:
  explicit CpuAllocator(c10::Allocator* host) : host_(host) {}

  c10::DataPtr allocate(size_t nbytes) override {
    if (!guarded || nbytes < kLeastBytes) {
      return host_->allocate(nbytes);
    }
    c10::DataPtr memory = c10::musa::MUSAAllocator::get().allocate(nbytes);
    memory.unsafe_set_device(c10::Device(c10::DeviceType::CPU));
    return memory;
  }

  c10::DeleterFnPtr raw_deleter() const override {
    return &release;
  }

  void copy_data(void* target, const void* source, size_t nbytes) const override {
    host_->copy_data(target, source, nbytes);
  }

  static CpuAllocator& get() {
    static auto& allocator = *new CpuAllocator(c10::GetCPUAllocator()); // leaked: tensors may outlive static objects
    return allocator;
  }

 private:
  static void release(void* pointer) {
    auto& device = c10::musa::MUSAAllocator::get();
    const bool of_device = pointer != nullptr && device.device_of(pointer).has_value();
    (of_device ? device.raw_deleter() : get().host_->raw_deleter())(pointer);
  }

  c10::Allocator* host_;
};

const bool registered = [] {
  c10::SetCPUAllocator(&CpuAllocator::get());
  return true;
}();

} // namespace

DeviceMemoryGuard::DeviceMemoryGuard(bool active) : outer_(guarded) {
  guarded = active;
}

DeviceMemoryGuard::~DeviceMemoryGuard() {
  guarded = outer_;
}

} // namespace at::musa
