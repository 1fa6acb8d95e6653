// Convolutions: PyTorch sends those of a PrivateUse1 device to two operators that the device must implement.

#include "torch_musa/csrc/aten/CpuAliases.h"
#include "torch_musa/csrc/aten/DeviceMemoryForCpu.h"
#include "torch_musa/csrc/aten/FallbackPolicy.h"
#include "torch_musa/csrc/aten/OperatorActivity.h"
#include "torch_musa/csrc/aten/Recording.h"
#include "torch_musa/csrc/core/MUSAGuard.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>

#include <array>
#include <tuple>

namespace at::musa {

namespace {

void require_no_capture(const char* name, c10::Device device) {
  if (is_captured(device)) {
    refuse_capture(name, "convolutions are not recorded");
  }
}

/// Throw a GPU's error if an operand is on another device than the input.
void require_device_of(const at::Tensor& input, const at::Tensor& operand, const char* name) {
  TORCH_CHECK(
      operand.device() == input.device(),
      "Expected ", name, " tensor and input tensor to be on the same MUSA device, but got ", name, " on ",
      operand.device(), " and input on ", input.device());
}

at::Tensor convolution_overrideable(
    const at::Tensor& input,
    const at::Tensor& weight,
    const std::optional<at::Tensor>& bias,
    c10::IntArrayRef stride,
    c10::IntArrayRef padding,
    c10::IntArrayRef dilation,
    bool transposed,
    c10::IntArrayRef output_padding,
    int64_t groups) {
  require_device_of(input, weight, "weight");
  if (bias && bias->defined()) {
    require_device_of(input, *bias, "bias");
  }
  note_fallback({"aten::convolution_overrideable", ""}, input.nbytes() + weight.nbytes());
  c10::musa::MUSAGuard guard(input.device());
  require_no_capture("aten::convolution", input.device());
  OperatorActivity activity("aten::convolution_overrideable", input.device());
  wait_for_current_stream(input.device());
  DeviceMemoryGuard in_device_memory;
  CpuAliases aliases;
  std::optional<at::Tensor> cpu_bias;
  if (bias && bias->defined()) {
    cpu_bias = aliases.alias(*bias);
  }
  activity.begin();
  at::Tensor output = at::convolution(
      aliases.alias(input), aliases.alias(weight), cpu_bias, stride, padding, dilation, transposed,
      output_padding, groups);
  activity.end();
  return aliases.unalias(output, input.device());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward_overrideable(
    const at::Tensor& grad_output,
    const at::Tensor& input,
    const at::Tensor& weight,
    c10::IntArrayRef stride,
    c10::IntArrayRef padding,
    c10::IntArrayRef dilation,
    bool transposed,
    c10::IntArrayRef output_padding,
    int64_t groups,
    std::array<bool, 3> output_mask) {
  require_device_of(input, weight, "weight");
  require_device_of(input, grad_output, "gradient");
  note_fallback(
      {"aten::convolution_backward_overrideable", ""}, grad_output.nbytes() + input.nbytes() + weight.nbytes());
  c10::musa::MUSAGuard guard(input.device());
  require_no_capture("aten::convolution_backward", input.device());
  OperatorActivity activity("aten::convolution_backward_overrideable", input.device());
  wait_for_current_stream(input.device());
  DeviceMemoryGuard in_device_memory;
  CpuAliases aliases;
  const std::array<int64_t, 1> bias_size = {grad_output.size(1)};
  activity.begin();
  auto [grad_input, grad_weight, grad_bias] = at::convolution_backward(
      aliases.alias(grad_output), aliases.alias(input), aliases.alias(weight),
      at::OptionalIntArrayRef(bias_size), stride, padding, dilation, transposed, output_padding, groups,
      output_mask);
  activity.end();
  return {
      aliases.unalias(grad_input, input.device()),
      aliases.unalias(grad_weight, input.device()),
      aliases.unalias(grad_bias, input.device())};
}

[[maybe_unused]] const bool registers_convolutions = [] {
  register_cpu_fallback(
      "aten::convolution_overrideable",
      c10::KernelFunction::makeFromUnboxedRuntimeFunction(&convolution_overrideable));
  register_cpu_fallback(
      "aten::convolution_backward_overrideable",
      c10::KernelFunction::makeFromUnboxedRuntimeFunction(&convolution_backward_overrideable));
  return true;
}();

} // namespace

} // namespace at::musa
