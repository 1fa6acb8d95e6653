// add: PyTorch writes its kernels for CUDA from a ufunc; the checks are PyTorch's.

#include <ATen/ops/add_native.h>
#include <ATen/native/BinaryOps.h>

namespace at::musa {

TORCH_IMPL_FUNC(MusaAddOut)(const Tensor& self, const Tensor& other, const Scalar& alpha, const Tensor& out) {
  at::native::add_stub(device_type(), *this, alpha);
}

} // namespace at::musa
