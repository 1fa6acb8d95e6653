// Triangles of matrices.

#include <ATen/ops/tril_native.h>
#include <ATen/ops/triu_native.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"

namespace at::musa {

namespace {

/// Copies the elements whose distance to the main diagonal is at most, or at least, `diagonal`; zero elsewhere.
template <bool kLower, typename T>
__global__ void triangle(
    T* result, const T* self, int64_t count, int64_t rows, int64_t columns, int64_t diagonal) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) {
    const int64_t distance = i % columns - i / columns % rows;
    result[i] = (kLower ? distance <= diagonal : distance >= diagonal) ? self[i] : T(0);
  }
}

template <bool kLower>
void compute_triangle(const Tensor& self, int64_t diagonal, const Tensor& result) {
  const int64_t count = self.numel();
  if (count == 0) {
    return;
  }
  const Tensor operand = self.contiguous();
  const Tensor made = result.is_contiguous() ? result : at::empty_like(result, at::MemoryFormat::Contiguous);
  AT_DISPATCH_V2(
      self.scalar_type(), "triangle_musa", AT_WRAP([&] {
        triangle<kLower><<<(count + elementwise::kThreads - 1) / elementwise::kThreads, elementwise::kThreads, 0,
                           c10::musa::getCurrentMUSAStream()>>>(
            made.mutable_data_ptr<scalar_t>(), operand.const_data_ptr<scalar_t>(), count, self.size(-2),
            self.size(-1), diagonal);
        C10_MUSA_KERNEL_LAUNCH_CHECK();
      }),
      MUSA_INTEGRAL, kBool, MUSA_FLOATING, MUSA_ALL_COMPLEX);
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

} // namespace

TORCH_IMPL_FUNC(MusaTrilOut)(const Tensor& self, int64_t k, const Tensor& result) {
  compute_triangle<true>(self, k, result);
}

TORCH_IMPL_FUNC(MusaTriuOut)(const Tensor& self, int64_t k, const Tensor& result) {
  compute_triangle<false>(self, k, result);
}

} // namespace at::musa
