#include "torch_musa/csrc/core/PinnedMemoryAllocator.h"

#include "torch_musa/csrc/core/MUSAException.h"

namespace at::musa {

namespace {

void release_pinned(void* pointer) {
  if (pointer != nullptr) {
    C10_MUSA_CHECK_WARN(musaFreeHost(pointer));
  }
}

class PinnedMemoryAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t nbytes) override {
    void* pointer = nullptr;
    if (nbytes > 0) {
      C10_MUSA_CHECK(musaMallocHost(&pointer, nbytes));
    }
    return {pointer, pointer, &release_pinned, c10::Device(c10::DeviceType::CPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override {
    return &release_pinned;
  }

  void copy_data(void* dst, const void* src, size_t nbytes) const override {
    default_copy_data(dst, src, nbytes);
  }
};

} // namespace

c10::Allocator* getPinnedMemoryAllocator() {
  static auto& allocator = *new PinnedMemoryAllocator(); // leaked: tensors may outlive static objects
  return &allocator;
}

bool is_pinned(const void* pointer) {
  musaPointerAttributes attributes{};
  if (musaPointerGetAttributes(&attributes, pointer) != musaSuccess) {
    C10_MUSA_CLEAR_ERROR();
    return false;
  }
  return attributes.type == musaMemoryTypeHost;
}

} // namespace at::musa
