// Fused cells of LSTM and GRU: nn.LSTM and nn.GRU use them on PrivateUse1, and PyTorch has no CPU kernels of them.
//
// Here they are ordinary tensor arithmetic. Gates are the columns of one matrix, in PyTorch's order. As in the
// CUDA kernels, half and bfloat16 are computed in float.

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/chunk.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <optional>
#include <tuple>
#include <vector>

namespace at::musa {

namespace {

using OptionalTensor = std::optional<at::Tensor>;

bool is_given(const OptionalTensor& tensor) {
  return tensor.has_value() && tensor->defined();
}

at::Tensor widen(const at::Tensor& tensor) {
  return tensor.to(at::toOpMathType(tensor.scalar_type()));
}

at::Tensor widen_plus(const at::Tensor& gates, const OptionalTensor& bias) {
  return is_given(bias) ? widen(gates) + widen(*bias) : widen(gates);
}

/// d/dx of sigmoid and tanh, as functions of the value y = f(x).
at::Tensor sigmoid_slope(const at::Tensor& y) {
  return y * (1 - y);
}
at::Tensor tanh_slope(const at::Tensor& y) {
  return 1 - y * y;
}

/// Gates [batch, 4 * hidden] in the order input, forget, cell, output; cx [batch, hidden].
/// Returns hy, cy and the activated gates, which the backward pass needs.
std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell(
    const at::Tensor& input_gates,
    const at::Tensor& hidden_gates,
    const at::Tensor& cx,
    const OptionalTensor& input_bias,
    const OptionalTensor& hidden_bias) {
  const at::Tensor gates = widen_plus(input_gates, input_bias) + widen_plus(hidden_gates, hidden_bias);
  // One pass over all gates; the cell's part of it is then replaced.
  const at::Tensor workspace = gates.sigmoid();
  std::vector<at::Tensor> activated = workspace.chunk(4, 1);
  at::Tensor &input = activated[0], &forget = activated[1], &cell = activated[2], &output = activated[3];
  at::tanh_out(cell, gates.chunk(4, 1)[2]);
  at::Tensor cy = (forget * widen(cx)).addcmul_(input, cell);
  at::Tensor hy = output * cy.tanh();
  const at::ScalarType dtype = cx.scalar_type();
  return {hy.to(dtype), cy.to(dtype), workspace.to(dtype)};
}

/// Returns the gradients of the gates (input's and hidden's are equal), of cx and of the bias.
std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell_backward(
    const OptionalTensor& grad_hy,
    const OptionalTensor& grad_cy,
    const at::Tensor& cx,
    const at::Tensor& cy,
    const at::Tensor& workspace,
    bool has_bias) {
  if (!is_given(grad_hy) && !is_given(grad_cy)) {
    return {};
  }
  std::vector<at::Tensor> gates = widen(workspace).chunk(4, 1);
  const at::Tensor &input = gates[0], &forget = gates[1], &cell = gates[2], &output = gates[3];
  at::Tensor tanh_cy = widen(cy).tanh();
  at::Tensor from_hy = is_given(grad_hy) ? widen(*grad_hy) : at::zeros_like(tanh_cy);
  at::Tensor through_cy = from_hy * output * tanh_slope(tanh_cy);
  if (is_given(grad_cy)) {
    through_cy = through_cy + widen(*grad_cy);
  }
  at::Tensor grad_gates = at::cat(
      {through_cy * cell * sigmoid_slope(input),
       through_cy * widen(cx) * sigmoid_slope(forget),
       through_cy * input * tanh_slope(cell),
       from_hy * tanh_cy * sigmoid_slope(output)},
      1);
  const at::ScalarType dtype = workspace.scalar_type();
  at::Tensor grad_bias = has_bias ? grad_gates.sum(0).to(dtype) : at::Tensor();
  return {grad_gates.to(dtype), (through_cy * forget).to(dtype), grad_bias};
}

/// Gates [batch, 3 * hidden] in the order reset, update, new; hx [batch, hidden].
/// Returns hy and what the backward pass needs: reset, update, new, hx, hidden's part of new.
std::tuple<at::Tensor, at::Tensor> gru_cell(
    const at::Tensor& input_gates,
    const at::Tensor& hidden_gates,
    const at::Tensor& hx,
    const OptionalTensor& input_bias,
    const OptionalTensor& hidden_bias) {
  std::vector<at::Tensor> from_input = widen_plus(input_gates, input_bias).chunk(3, 1);
  std::vector<at::Tensor> from_hidden = widen_plus(hidden_gates, hidden_bias).chunk(3, 1);
  at::Tensor wide_hx = widen(hx);
  at::Tensor reset = (from_input[0] + from_hidden[0]).sigmoid();
  at::Tensor update = (from_input[1] + from_hidden[1]).sigmoid();
  at::Tensor fresh = (from_input[2] + reset * from_hidden[2]).tanh();
  at::Tensor hy = fresh + update * (wide_hx - fresh);
  at::Tensor workspace = at::cat({reset, update, fresh, wide_hx, from_hidden[2]}, 1);
  const at::ScalarType dtype = hx.scalar_type();
  return {hy.to(dtype), workspace.to(dtype)};
}

/// Returns the gradients of input_gates, hidden_gates, hx, input_bias and hidden_bias.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> gru_cell_backward(
    const at::Tensor& grad_hy,
    const at::Tensor& workspace,
    bool has_bias) {
  std::vector<at::Tensor> saved = widen(workspace).chunk(5, 1);
  const at::Tensor &reset = saved[0], &update = saved[1], &fresh = saved[2], &hx = saved[3],
                   &hidden_new = saved[4];
  at::Tensor grad = widen(grad_hy);
  at::Tensor grad_update = grad * (hx - fresh) * sigmoid_slope(update);
  at::Tensor grad_new = grad * (1 - update) * tanh_slope(fresh);
  at::Tensor grad_reset = grad_new * hidden_new * sigmoid_slope(reset);
  at::Tensor grad_input_gates = at::cat({grad_reset, grad_update, grad_new}, 1);
  at::Tensor grad_hidden_gates = at::cat({grad_reset, grad_update, grad_new * reset}, 1);
  const at::ScalarType dtype = workspace.scalar_type();
  at::Tensor grad_input_bias = has_bias ? grad_input_gates.sum(0).to(dtype) : at::Tensor();
  at::Tensor grad_hidden_bias = has_bias ? grad_hidden_gates.sum(0).to(dtype) : at::Tensor();
  return {
      grad_input_gates.to(dtype), grad_hidden_gates.to(dtype), (grad * update).to(dtype), grad_input_bias,
      grad_hidden_bias};
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_thnn_fused_lstm_cell", lstm_cell);
  m.impl("_thnn_fused_lstm_cell_backward_impl", lstm_cell_backward);
  m.impl("_thnn_fused_gru_cell", gru_cell);
  m.impl("_thnn_fused_gru_cell_backward", gru_cell_backward);
}

} // namespace at::musa
