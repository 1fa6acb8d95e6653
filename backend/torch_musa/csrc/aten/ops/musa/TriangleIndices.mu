// The places of the elements of a matrix's triangles, row by row.

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
  __host__ __device__ int64_t first_column(int64_t row) const {
    return kLower ? 0 : lower.width(row);
  }
};

template <bool kLower, typename T>
__global__ void places(T* result, int64_t count, int64_t rows, Triangle<kLower> triangle) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) {
    int64_t row = 0; // the last one that begins at i or before
    for (int64_t beyond = rows; beyond - row > 1;) {
      const int64_t middle = row + (beyond - row) / 2;
      if (triangle.before(middle) <= i) {
        row = middle;
      } else {
        beyond = middle;
      }
    }
    result[i] = static_cast<T>(row);
    result[count + i] = static_cast<T>(triangle.first_column(row) + i - triangle.before(row));
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
        places<kLower><<<(count + elementwise::kThreads - 1) / elementwise::kThreads, elementwise::kThreads, 0,
                         c10::musa::getCurrentMUSAStream()>>>(
            result.mutable_data_ptr<scalar_t>(), count, rows, triangle);
        C10_MUSA_KERNEL_LAUNCH_CHECK();
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
