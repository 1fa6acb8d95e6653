// 6.4.2: muDNN computes.

#include "torch_musa/csrc/aten/utils/Utils.h"
#include "torch_musa/csrc/core/MUSAGuard.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sub_native.h>

namespace at::musa {

Tensor SubTensor(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  TORCH_CHECK(self.device().type() == kMUSA && other.device() == self.device(), "both tensors must be on one device");
  TORCH_CHECK(self.scalar_type() == ScalarType::Float, "only float is computed here");
  const c10::musa::MUSAGuard guard(self.device());
  const Tensor left = self.contiguous();
  const Tensor right = at::mul(other, alpha).contiguous();
  const Tensor result = at::empty(infer_size_dimvector(self.sizes(), other.sizes()), self.options());
  const muTensor lhs = CreateMUTensor(left);
  const muTensor rhs = CreateMUTensor(right);
  muTensor out = CreateMUTensor(result);
  muHandle& handle = GetMudnnHandle();
  ::musa::dnn::Binary op;
  CHECK_MUDNN_STATUS(op.SetMode(::musa::dnn::Binary::Mode::SUB), "SetMode");
  CHECK_MUDNN_STATUS(op.Run(handle, out, lhs, rhs), "Run");
  return result;
}

} // namespace at::musa
