#include "torch_musa/csrc/distributed/Packing.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

namespace c10d::mccl {

at::Tensor alias_of(const at::Tensor& tensor) {
  const auto options = at::TensorOptions().device(c10::DeviceType::CPU).dtype(tensor.scalar_type());
  return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), options);
}

at::Tensor packed(const at::Tensor& tensor) {
  if (tensor.is_contiguous()) {
    return tensor;
  }
  at::Tensor copy = at::empty(tensor.sizes(), tensor.options());
  alias_of(copy).copy_(alias_of(tensor));
  return copy;
}

Inbox::Inbox(const at::Tensor& target)
    : target_(target), received_(target.is_contiguous() ? target : at::empty(target.sizes(), target.options())) {}

void Inbox::deliver() const {
  if (!received_.is_same(target_)) {
    alias_of(target_).copy_(alias_of(received_));
  }
}

void deliver(const std::vector<Inbox>& inboxes) {
  for (const Inbox& inbox : inboxes) {
    inbox.deliver();
  }
}

} // namespace c10d::mccl
