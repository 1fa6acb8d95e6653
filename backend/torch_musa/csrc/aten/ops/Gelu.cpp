// gelu and its gradient: PyTorch's own functions choose oneDNN or the kernel; the checks are PyTorch's.

#include <ATen/native/Activation.h>
#include <ATen/ops/gelu_backward_native.h>
#include <ATen/ops/gelu_native.h>

namespace at::musa {

TORCH_IMPL_FUNC(MusaGeluOut)(const Tensor& self, std::string_view approximate, const Tensor& result) {
  at::native::GeluKernel(device_type(), *this, at::native::get_gelutype_enum(approximate));
}

TORCH_IMPL_FUNC(MusaGeluBackwardOut)(
    const Tensor& grad, const Tensor& self, std::string_view approximate, const Tensor& grad_input) {
  at::native::GeluBackwardKernel(device_type(), *this, at::native::get_gelutype_enum(approximate));
}

} // namespace at::musa
