// Triangles of matrices.

#include <ATen/ops/tril_native.h>
#include <ATen/ops/triu_native.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"

namespace at::musa {

namespace {

/// Copies the elements whose distance to the main diagonal is at most, or at least, `diagonal`; zero elsewhere. Threads in
/// x go along a row, threads and blocks in y along the rows of all matrices.
template <bool kLower, typename T>
__global__ void triangle(
    T* result, const T* self, int64_t all_rows, int64_t rows, int64_t columns, int64_t diagonal) {
  const int64_t column = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const int64_t stride = gridDim.y * static_cast<int64_t>(blockDim.y);
  for (int64_t row = blockIdx.y * static_cast<int64_t>(blockDim.y) + threadIdx.y; row < all_rows; row += stride) {
    const int64_t limit = row % rows + diagonal;
    if (column < columns) {
      const bool is_kept = kLower ? column <= limit : column >= limit;
      result[row * columns + column] = is_kept ? self[row * columns + column] : T(0);
    }
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
  const int64_t columns = self.size(-1);
  unsigned x = 1;
  while (x < elementwise::kThreads && x < columns) {
    x *= 2;
  }
  const dim3 block(x, elementwise::kThreads / x);
  const int64_t all_rows = count / columns;
  const dim3 grid(
      (columns + block.x - 1) / block.x, std::min((all_rows + block.y - 1) / block.y, elementwise::kMostBlocks));
  AT_DISPATCH_V2(
      self.scalar_type(), "triangle_musa", AT_WRAP([&] {
        triangle<kLower><<<grid, block, 0, c10::musa::getCurrentMUSAStream()>>>(
            made.mutable_data_ptr<scalar_t>(), operand.const_data_ptr<scalar_t>(), all_rows, self.size(-2), columns,
            diagonal);
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
