// Fills the table of muDNN's functions, with the names that torch_musa uses. None of it was verified on MUSA hardware.
//
// muDNN multiplies no double precision and no complex numbers; those, and what lies in memory in other ways than here
// expected, are left to the kernels.

#include "torch_musa/csrc/aten/mudnn/Functions.h"

#include "torch_musa/csrc/aten/utils/Utils.h"
#include "torch_musa/csrc/core/MUSACachingAllocator.h"

#include <c10/core/DeviceGuard.h>

#include <optional>
#include <vector>

namespace at::musa {

namespace {

using ::musa::dnn::BatchMatMul;
using ::musa::dnn::Convolution;
using ::musa::dnn::MatMul;
using ::musa::dnn::Softmax;

/// Allocate muDNN's workspace from the caching allocator.
::musa::dnn::MemoryHandler allocate(size_t bytes) {
  return {c10::musa::MUSACachingAllocator::raw_alloc(bytes), c10::musa::MUSACachingAllocator::raw_delete};
}

bool is_supported(const Tensor& tensor) {
  const ScalarType type = tensor.scalar_type();
  return (type == kFloat || type == kHalf || type == kBFloat16) && tensor.numel() > 0 && !tensor.is_neg();
}

/// The units for products: those for matrices round float32.
template <typename Mode>
Mode compute_mode(const Tensor& tensor) {
  return tensor.scalar_type() == kFloat && !mudnn_allows_tf32() ? Mode::SCALAR : Mode::TENSOR;
}

/// A factor in muDNN's terms: its memory by rows, and whether that is the transposed matrix.
struct Factor {
  Tensor rows;
  bool is_transposed;
};

std::optional<Factor> factor_of(const Tensor& matrices) {
  if (matrices.is_contiguous()) {
    return Factor{matrices, false};
  }
  const Tensor turned = matrices.transpose(-2, -1);
  return turned.is_contiguous() ? std::make_optional(Factor{turned, true}) : std::nullopt;
}

template <typename Product>
void run_product(
    Product& product, const Tensor& out, const Factor& left, const Factor& right, const Scalar& beta,
    const Scalar& alpha) {
  CHECK_MUDNN_STATUS(product.SetComputeMode(compute_mode<typename Product::ComputeMode>(out)), "SetComputeMode");
  CHECK_MUDNN_STATUS(product.SetTranspose(left.is_transposed, right.is_transposed), "SetTranspose");
  CHECK_MUDNN_STATUS(product.SetAlpha(alpha.toDouble()), "SetAlpha");
  CHECK_MUDNN_STATUS(product.SetBeta(beta.toDouble()), "SetBeta");
  muTensor result = CreateMUTensor(out);
  const muTensor a = CreateMUTensor(left.rows);
  const muTensor b = CreateMUTensor(right.rows);
  CHECK_MUDNN_STATUS(product.Run(GetMudnnHandle(), result, a, b, allocate), "Run");
}

bool multiply(const Tensor& out, const Tensor& left, const Tensor& right, const Scalar& beta, const Scalar& alpha) {
  if (!is_supported(out) || !is_supported(left) || !is_supported(right) || !out.is_contiguous()) {
    return false;
  }
  const bool is_single = out.size(0) == 1;
  const auto a = factor_of(is_single ? left[0] : left);
  const auto b = factor_of(is_single ? right[0] : right);
  if (!a || !b) {
    return false;
  }
  const c10::DeviceGuard guard(out.device());
  if (is_single) {
    MatMul product;
    run_product(product, out[0], *a, *b, beta, alpha);
  } else {
    BatchMatMul product;
    run_product(product, out, *a, *b, beta, alpha);
  }
  return true;
}

Softmax softmax_along(int64_t dim, bool log) {
  Softmax made;
  CHECK_MUDNN_STATUS(made.SetMode(log ? Softmax::Mode::LOGSOFTMAX : Softmax::Mode::SOFTMAX), "SetMode");
  CHECK_MUDNN_STATUS(made.SetDim(static_cast<int>(dim)), "SetDim");
  CHECK_MUDNN_STATUS(made.SetAlgorithm(Softmax::Algorithm::ACCURATE), "SetAlgorithm");
  return made;
}

bool softmax(const Tensor& out, const Tensor& in, int64_t dim, bool log) {
  if (!is_supported(in) || in.dim() == 0 || !in.is_contiguous() || !out.is_contiguous() ||
      in.scalar_type() != out.scalar_type()) {
    return false;
  }
  const c10::DeviceGuard guard(out.device());
  muTensor result = CreateMUTensor(out);
  const muTensor given = CreateMUTensor(in);
  CHECK_MUDNN_STATUS(softmax_along(dim, log).Run(GetMudnnHandle(), result, given), "Run");
  return true;
}

bool softmax_backward(const Tensor& result, const Tensor& output, const Tensor& gradient, int64_t dim, bool log) {
  if (!is_supported(output) || output.dim() == 0 || output.scalar_type() != gradient.scalar_type() ||
      output.scalar_type() != result.scalar_type()) {
    return false;
  }
  if (!output.is_contiguous() || !gradient.is_contiguous() || !result.is_contiguous()) {
    return false;
  }
  const c10::DeviceGuard guard(result.device());
  muTensor made = CreateMUTensor(result);
  const muTensor y = CreateMUTensor(output);
  const muTensor g = CreateMUTensor(gradient);
  CHECK_MUDNN_STATUS(softmax_along(dim, log).RunBwd(GetMudnnHandle(), made, y, g), "RunBwd");
  return true;
}

/// Return images of at least two dimensions: muDNN convolves no others, so a line becomes an image one pixel high.
Tensor at_least_two(const Tensor& images) {
  return images.dim() == 3 ? images.unsqueeze(2) : images;
}

std::vector<int> at_least_two(IntArrayRef values, int first) {
  std::vector<int> all(values.begin(), values.end());
  if (all.size() == 1) {
    all.insert(all.begin(), first);
  }
  return all;
}

bool is_convolved(const Tensor& images, const Tensor& weight, const Tensor& output) {
  for (const Tensor* tensor : {&images, &weight, &output}) {
    if (!is_supported(*tensor) || !tensor->is_contiguous() || tensor->scalar_type() != output.scalar_type()) {
      return false;
    }
  }
  return true;
}

Convolution convolution_with(const Tensor& tensor, const ConvolutionWindows& windows) {
  Convolution made;
  const std::vector<int> padding = at_least_two(windows.padding, 0);
  const std::vector<int> stride = at_least_two(windows.stride, 1);
  const std::vector<int> dilation = at_least_two(windows.dilation, 1);
  if (padding.size() == 2) {
    CHECK_MUDNN_STATUS(
        made.SetNdInfo({padding[0], padding[1]}, {stride[0], stride[1]}, {dilation[0], dilation[1]}), "SetNdInfo");
  } else {
    CHECK_MUDNN_STATUS(
        made.SetNdInfo(
            {padding[0], padding[1], padding[2]}, {stride[0], stride[1], stride[2]},
            {dilation[0], dilation[1], dilation[2]}),
        "SetNdInfo");
  }
  CHECK_MUDNN_STATUS(made.SetComputeMode(compute_mode<Convolution::ComputeMode>(tensor)), "SetComputeMode");
  CHECK_MUDNN_STATUS(made.SetGroups(static_cast<int>(windows.groups)), "SetGroups");
  return made;
}

bool convolve(const Tensor& output, const Tensor& images, const Tensor& weight, const ConvolutionWindows& windows) {
  if (!is_convolved(images, weight, output)) {
    return false;
  }
  const c10::DeviceGuard guard(output.device());
  const Convolution convolution = convolution_with(output, windows);
  muTensor out = CreateMUTensor(at_least_two(output));
  const muTensor in = CreateMUTensor(at_least_two(images));
  const muTensor filter = CreateMUTensor(at_least_two(weight));
  muHandle& handle = GetMudnnHandle();
  Convolution::Algorithm algorithm;
  CHECK_MUDNN_STATUS(
      convolution.GetRecommendForwardAlgorithm(handle, algorithm, out, in, filter), "GetRecommendForwardAlgorithm");
  CHECK_MUDNN_STATUS(convolution.Run(handle, out, in, filter, algorithm, allocate), "Run");
  return true;
}

bool convolve_backward(
    const Tensor& images, const Tensor& output, const Tensor& weight, const ConvolutionWindows& windows) {
  if (!is_convolved(images, weight, output)) {
    return false;
  }
  const c10::DeviceGuard guard(output.device());
  const Convolution convolution = convolution_with(output, windows);
  muTensor in = CreateMUTensor(at_least_two(images));
  const muTensor out = CreateMUTensor(at_least_two(output));
  const muTensor filter = CreateMUTensor(at_least_two(weight));
  muHandle& handle = GetMudnnHandle();
  Convolution::AlgorithmBwdData algorithm;
  CHECK_MUDNN_STATUS(
      convolution.GetRecommendBackwardDataAlgorithm(handle, algorithm, in, out, filter),
      "GetRecommendBackwardDataAlgorithm");
  CHECK_MUDNN_STATUS(convolution.RunBwdData(handle, in, out, filter, algorithm, allocate), "RunBwdData");
  return true;
}

bool convolve_backward_weight(
    const Tensor& weight, const Tensor& images, const Tensor& output, const ConvolutionWindows& windows) {
  if (!is_convolved(images, weight, output)) {
    return false;
  }
  const c10::DeviceGuard guard(output.device());
  const Convolution convolution = convolution_with(output, windows);
  muTensor filter = CreateMUTensor(at_least_two(weight));
  const muTensor in = CreateMUTensor(at_least_two(images));
  const muTensor out = CreateMUTensor(at_least_two(output));
  muHandle& handle = GetMudnnHandle();
  Convolution::AlgorithmBwdFilter algorithm;
  CHECK_MUDNN_STATUS(
      convolution.GetRecommendBackwardFilterAlgorithm(handle, algorithm, filter, in, out),
      "GetRecommendBackwardFilterAlgorithm");
  CHECK_MUDNN_STATUS(convolution.RunBwdFilter(handle, filter, in, out, algorithm, allocate), "RunBwdFilter");
  return true;
}

constexpr MudnnFunctions kFunctions{
    multiply, softmax, softmax_backward, convolve, convolve_backward, convolve_backward_weight};

[[maybe_unused]] const bool kIsProvided = (set_mudnn_functions(&kFunctions), true);

} // namespace

} // namespace at::musa
