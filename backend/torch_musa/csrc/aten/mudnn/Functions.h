#pragma once

// The functions that muDNN computes instead of kernels: products of matrices, convolutions and softmax.
//
// The kernel library calls muDNN through this table only. It is empty until a library fills it that is linked with muDNN
// (mudnn/library/Functions.cpp, built with USE_MUDNN=1). Each function returns false for what it leaves to the kernels,
// before it has written anything.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace at::musa {

/// The positions of a convolution's windows in its images, one number per dimension of the pixels.
struct ConvolutionWindows {
  IntArrayRef stride;
  IntArrayRef padding;
  IntArrayRef dilation;
  int64_t groups;
};

struct MudnnFunctions {
  /// out = alpha left right + beta out, of batches [count, rows, columns].
  bool (*multiply)(const Tensor& out, const Tensor& left, const Tensor& right, const Scalar& beta, const Scalar& alpha);
  /// Softmax, or its logarithm, along a dimension, of tensors of the same type.
  bool (*softmax)(const Tensor& out, const Tensor& in, int64_t dim, bool log);
  /// The gradient of softmax; `output` is the result of softmax.
  bool (*softmax_backward)(
      const Tensor& result, const Tensor& output, const Tensor& gradient, int64_t dim, bool log);
  /// output = weight x windows of images; all contiguous, [count, channels, pixels...].
  bool (*convolve)(const Tensor& output, const Tensor& images, const Tensor& weight, const ConvolutionWindows& windows);
  /// images = the gradient of `convolve`, which is also a transposed convolution.
  bool (*convolve_backward)(
      const Tensor& images, const Tensor& output, const Tensor& weight, const ConvolutionWindows& windows);
  /// weight = the gradient of `convolve`.
  bool (*convolve_backward_weight)(
      const Tensor& weight, const Tensor& images, const Tensor& output, const ConvolutionWindows& windows);
};

/// The functions of muDNN; null where no library has provided any.
const MudnnFunctions* mudnn_functions();

/// Set the table. `functions` must outlive all work of the process; null empties it.
void set_mudnn_functions(const MudnnFunctions* functions);

/// Whether float32 products may be rounded to TensorFloat-32: torch.backends.mudnn.allow_tf32.
bool mudnn_allows_tf32();
void set_mudnn_allows_tf32(bool allow);

} // namespace at::musa
