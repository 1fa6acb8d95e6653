// 6.4: functions that are bound directly. 6.4.3: the CPU computes for the time being.

#include <ATen/ops/add.h>
#include <ATen/ops/add_native.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/nonzero_native.h>

namespace at::musa {

Tensor Nonzero(const Tensor& self) {
  return at::nonzero(self.cpu()).to(self.device());
}

Tensor AddTensor(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return at::add(self.cpu(), other.cpu(), alpha).to(self.device());
}

Tensor& AddTensor_(Tensor& self, const Tensor& other, const Scalar& alpha) {
  return self.copy_(at::add(self.cpu(), other.cpu(), alpha));
}

Tensor& AddTensorOut(const Tensor& self, const Tensor& other, const Scalar& alpha, Tensor& out) {
  const Tensor sum = at::add(self.cpu(), other.cpu(), alpha);
  out.resize_(sum.sizes());
  return out.copy_(sum);
}

} // namespace at::musa
