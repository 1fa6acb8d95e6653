#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include <optional>

namespace c10d::mccl {

/// "SUM"
const char* name_of(ReduceOp::RedOpType op);

/// A reduction as NCCL defines it, out of those that gloo has: before() on each rank's operand, gloo's operation,
/// after() on the result. All tensors are on the CPU.
class Reduction {
 public:
  /// Throws ValueError for what NCCL refuses.
  Reduction(const char* operation, const ReduceOp& asked, at::ScalarType type, int size);

  ReduceOp gloo() const {
    return gloo_;
  }
  void before(at::Tensor& operand) const;
  void after(at::Tensor& result) const;

  /// What gloo computes with: bool as bytes.
  at::Tensor operand(const at::Tensor& host) const;

 private:
  ReduceOp::RedOpType gloo_ = ReduceOp::SUM;
  std::optional<int> divisor_; // AVG
  std::optional<double> factor_; // PREMUL_SUM, as a number
  at::Tensor tensor_factor_; // PREMUL_SUM, as a tensor on any device; undefined if none
};

} // namespace c10d::mccl
