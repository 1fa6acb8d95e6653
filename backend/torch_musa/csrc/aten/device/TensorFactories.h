#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

namespace at::musa {

/// A tensor for a kernel to write, on the current device, which is that of `options`. Without `strides` it is contiguous,
/// or of the options' memory format. It comes straight from the allocator, not by way of the dispatcher, which takes longer
/// than the allocation.
at::Tensor new_output(c10::IntArrayRef sizes, c10::IntArrayRef strides, const c10::TensorOptions& options);

} // namespace at::musa
