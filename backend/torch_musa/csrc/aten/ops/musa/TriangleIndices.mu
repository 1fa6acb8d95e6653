// The coordinates of the elements of a matrix's triangles, row by row.

#include <ATen/ops/empty.h>
#include <ATen/ops/tril_indices_native.h>
#include <ATen/ops/triu_indices_native.h>

#include <algorithm>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"

namespace at::musa {

namespace {

/// The triangle of the elements whose distance to the main diagonal is at most `offset`, in a matrix of `columns`.
struct Lower {
  int64_t columns, offset;

  /// How many elements of `row` are in it.
  __host__ __device__ int64_t width(int64_t row) const {
    const int64_t elements = row + offset + 1;
    return elements < 0 ? 0 : elements > columns ? columns : elements;
  }

  /// How many elements of the rows before `row` are in it.
  __host__ __device__ int64_t before(int64_t row) const {
    const int64_t first = offset < 0 ? -offset : 0; // the first row that is not empty
    if (row <= first || columns == 0) {
      return 0;
    }
    const int64_t full = columns - offset - 1; // the first row that is full
    const int64_t last = full < first ? first : full < row ? full : row;
    const int64_t partial = (last - first) * (width(first) + width(last - 1)) / 2;
    return (last > first ? partial : 0) + (row - last) * columns;
  }
};

/// The rows' elements in the triangle, or those that are not in it.
template <bool kLower>
struct Triangle {
  Lower lower;
  __host__ __device__ int64_t before(int64_t row) const {
    return kLower ? lower.before(row) : row * lower.columns - lower.before(row);
  }
  __host__ __device__ int64_t width(int64_t row) const {
    return kLower ? lower.width(row) : lower.columns - lower.width(row);
  }
  __host__ __device__ int64_t first_column(int64_t row) const {
    return kLower ? 0 : lower.width(row);
  }
};

/// Writes the coordinates of a row's elements. Threads in x go along it, threads and blocks in y along the rows.
template <bool kLower, typename T>
__global__ void coordinates(T* result, int64_t count, int64_t first_row, Triangle<kLower> triangle) {
  const int64_t row = first_row + blockIdx.y * static_cast<int64_t>(blockDim.y) + threadIdx.y;
  const int64_t x = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (x < triangle.width(row)) {
    const int64_t i = triangle.before(row) + x;
    result[i] = static_cast<T>(row);
    result[count + i] = static_cast<T>(triangle.first_column(row) + x);
  }
}

template <bool kLower>
Tensor indices(
    int64_t rows, int64_t columns, int64_t offset, std::optional<ScalarType> type, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory) {
  TORCH_CHECK(rows >= 0, "row must be non-negative, got", rows);
  TORCH_CHECK(columns >= 0, "col must be non-negative, got", columns);
  TORCH_CHECK(layout.value_or(at::kStrided) == at::kStrided, "only support layout=torch.strided, got", *layout);
  const Triangle<kLower> triangle{{columns, kLower ? offset : offset - 1}};
  const int64_t count = triangle.before(rows);
  Tensor result = at::empty({2, count}, type.value_or(kLong), layout, device, pin_memory, std::nullopt);
  if (count == 0) {
    return result;
  }
  AT_DISPATCH_V2(
      result.scalar_type(), "triangle_indices_musa", AT_WRAP([&] {
        dim3 block(elementwise::threads_along(columns, elementwise::kThreads));
        for (int64_t row = 0; row < rows;) {
          block.y = elementwise::threads_along(rows - row, std::max(elementwise::kThreads / block.x, 1U));
          const int64_t blocks = std::min((rows - row) / block.y, elementwise::kMostBlocks);
          const dim3 grid((columns + block.x - 1) / block.x, blocks);
          coordinates<kLower><<<grid, block, 0, c10::musa::getCurrentMUSAStream()>>>(
              result.mutable_data_ptr<scalar_t>(), count, row, triangle);
          C10_MUSA_KERNEL_LAUNCH_CHECK();
          row += blocks * block.y;
        }
      }),
      MUSA_INTEGRAL, MUSA_FLOATING);
  return result;
}

} // namespace

Tensor MusaTrilIndices(
    int64_t row, int64_t col, int64_t offset, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory) {
  return indices<true>(row, col, offset, dtype, layout, device, pin_memory);
}

Tensor MusaTriuIndices(
    int64_t row, int64_t col, int64_t offset, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory) {
  return indices<false>(row, col, offset, dtype, layout, device, pin_memory);
}

} // namespace at::musa
