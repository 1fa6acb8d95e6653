#pragma once

#include <ATen/core/Tensor.h>

namespace at::musa {

/// Which element of a sorted row is meant. A median is what no number is if there is such an element, or leaves those out.
enum class Rank { Kth, Median, MedianOfNumbers };

/// Writes the element that has a rank in each row of a contiguous tensor, and where it is in the row. NaN is greater than all
/// numbers, equal elements keep their order. `k` counts from 0. TopK.mu has the kernels.
void select_of_rows(const Tensor& rows, Rank rank, int64_t k, const Tensor& values, const Tensor& indices);

} // namespace at::musa
