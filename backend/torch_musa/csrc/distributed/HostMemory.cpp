#include "torch_musa/csrc/distributed/HostMemory.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

namespace c10d::mccl {

namespace {

at::TensorOptions on_host(at::ScalarType type) {
  return at::TensorOptions().device(c10::DeviceType::CPU).dtype(type);
}

} // namespace

at::Tensor alias_of(const at::Tensor& tensor) {
  return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), on_host(tensor.scalar_type()));
}

at::Tensor flat_alias_of(const at::Tensor& tensor) {
  return at::from_blob(tensor.data_ptr(), {tensor.numel()}, on_host(tensor.scalar_type()));
}

at::Tensor bytes_of(const at::Tensor& host) {
  return at::from_blob(
      host.data_ptr(), {static_cast<int64_t>(host.nbytes())}, [host](void*) {}, on_host(at::kByte));
}

at::Tensor packed_bytes_of(const at::Tensor& tensor) {
  return bytes_of(alias_of(tensor).contiguous());
}

Inbox::Inbox(const at::Tensor& tensor) : target_(alias_of(tensor)) {
  if (target_.is_contiguous()) {
    bytes_ = bytes_of(target_);
  } else {
    received_ = at::empty(target_.sizes(), target_.options());
    bytes_ = bytes_of(received_);
  }
}

void Inbox::deliver() {
  if (received_.defined()) {
    target_.copy_(received_);
  }
}

} // namespace c10d::mccl
