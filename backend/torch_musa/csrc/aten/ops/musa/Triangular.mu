// Triangles of matrices.

#include <ATen/ops/tril_native.h>
#include <ATen/ops/triu_native.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"

namespace at::musa {

namespace {

/// Copies the elements whose distance to the main diagonal is at most, or at least, `diagonal`; zero elsewhere. Threads
/// in x go along a row, threads and blocks in y along the rows, blocks in z along the matrices.
template <bool kLower, typename T>
__global__ void triangle(T* result, const T* self, int64_t rows, int64_t columns, int64_t first_row, int64_t diagonal) {
  const int64_t column = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (column < columns) {
    const int64_t row = first_row + blockIdx.y * static_cast<int64_t>(blockDim.y) + threadIdx.y;
    const int64_t at = (blockIdx.z * rows + row) * columns + column;
    const bool is_kept = kLower ? column <= row + diagonal : column >= row + diagonal;
    result[at] = is_kept ? self[at] : T(0);
  }
}

/// Launches grids that have a thread for each row.
template <bool kLower, typename T>
void launch(void* result, const void* self, int64_t matrices, int64_t rows, int64_t columns, int64_t diagonal) {
  using elementwise::kMostBlocks;
  dim3 block(elementwise::threads_along(columns, elementwise::kThreads));
  for (int64_t first = 0; first < matrices; first += kMostBlocks) {
    const int64_t offset = first * rows * columns;
    for (int64_t row = 0; row < rows;) {
      block.y = elementwise::threads_along(rows - row, std::max(elementwise::kThreads / block.x, 1U));
      const int64_t blocks = std::min((rows - row) / block.y, kMostBlocks);
      const dim3 grid((columns + block.x - 1) / block.x, blocks, std::min(matrices - first, kMostBlocks));
      triangle<kLower><<<grid, block, 0, c10::musa::getCurrentMUSAStream()>>>(
          static_cast<T*>(result) + offset, static_cast<const T*>(self) + offset, rows, columns, row, diagonal);
      C10_MUSA_KERNEL_LAUNCH_CHECK();
      row += blocks * block.y;
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
  const int64_t rows = self.size(-2);
  const int64_t columns = self.size(-1);
  const auto compute = [&](auto element) {
    launch<kLower, decltype(element)>(
        made.mutable_data_ptr(), operand.const_data_ptr(), count / (rows * columns), rows, columns, diagonal);
  };
  // zero has no bit set in any type
  switch (self.element_size()) {
    case 1:
      compute(uint8_t());
      break;
    case 2:
      compute(uint16_t());
      break;
    case 4:
      compute(uint32_t());
      break;
    case 8:
      compute(uint64_t());
      break;
    case 16:
      compute(c10::complex<double>());
      break;
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "tril and triu are not implemented on musa for ", self.scalar_type());
  }
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
