// A number where a mask says so.

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/masked_fill_native.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"

namespace at::musa {

Tensor& MusaMaskedFillScalar(Tensor& self, const Tensor& mask, const Scalar& value) {
  TORCH_CHECK(mask.scalar_type() == kBool, "masked_fill_ only supports boolean masks, but got dtype ", mask.dtype());
  TORCH_CHECK(
      self.device() == mask.device(), "expected self and mask to be on the same device, but got mask on ",
      mask.device(), " and self on ", self.device());
  at::assert_no_internal_overlap(self);
  at::assert_no_partial_overlap(self, mask);
  const auto expanded = expand_inplace(self, mask, "masked_fill_");
  TensorIteratorConfig config;
  config.set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(false);
  TensorIterator iter = config.add_output(self).add_const_input(self).add_const_input(*expanded).build();
  AT_DISPATCH_V2(
      self.scalar_type(), "masked_fill_musa", AT_WRAP([&] {
        const scalar_t number = value.to<scalar_t>();
        elementwise::compute(iter, [number] MUSA_LAMBDA(scalar_t old, bool masked) -> scalar_t {
          return masked ? number : old;
        });
      }),
      MUSA_INTEGRAL, kBool, MUSA_FLOATING, MUSA_ALL_COMPLEX);
  return self;
}

Tensor& MusaMaskedFillTensor(Tensor& self, const Tensor& mask, const Tensor& value) {
  TORCH_CHECK(
      value.dim() == 0, "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ", value.dim(),
      " dimension(s).");
  return MusaMaskedFillScalar(self, mask, value.item());
}

} // namespace at::musa
