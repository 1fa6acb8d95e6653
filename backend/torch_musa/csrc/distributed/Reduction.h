#pragma once

#include <ATen/core/Tensor.h>
#include <mccl.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include <functional>

namespace c10d::mccl {

/// "SUM"
const char* name_of(ReduceOp::RedOpType op);

/// A reduction of PyTorch's as libmccl has it.
class Reduction {
 public:
  /// Throws ValueError for what NCCL refuses.
  Reduction(const char* operation, const ReduceOp& asked, at::ScalarType type);

  mcclDataType_t type() const {
    return type_;
  }
  /// Calls `use` with the operation, which is there as long as the call.
  void with_operation(mcclComm_t comm, const std::function<void(mcclRedOp_t)>& use) const;

 private:
  mcclDataType_t type_ = mcclFloat;
  mcclRedOp_t op_ = mcclSum;
  at::ScalarType torch_type_;
  at::Tensor factor_; // PREMUL_SUM's, on any device; undefined for other operations
};

} // namespace c10d::mccl
