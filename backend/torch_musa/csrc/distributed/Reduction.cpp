#include "torch_musa/csrc/distributed/Reduction.h"

#include "torch_musa/csrc/core/Device.h"
#include "torch_musa/csrc/distributed/HostMemory.h"

#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

namespace c10d::mccl {

namespace {

/// Logical or and logical and: the sum of 1 and 1 as bytes would be a bool of 2.
ReduceOp::RedOpType for_bool(ReduceOp::RedOpType op) {
  return op == ReduceOp::SUM ? ReduceOp::MAX : op == ReduceOp::PRODUCT ? ReduceOp::MIN : op;
}

} // namespace

const char* name_of(ReduceOp::RedOpType op) {
  switch (op) {
    case ReduceOp::SUM:
      return "SUM";
    case ReduceOp::PRODUCT:
      return "PRODUCT";
    case ReduceOp::MIN:
      return "MIN";
    case ReduceOp::MAX:
      return "MAX";
    case ReduceOp::BAND:
      return "BAND";
    case ReduceOp::BOR:
      return "BOR";
    case ReduceOp::BXOR:
      return "BXOR";
    case ReduceOp::AVG:
      return "AVG";
    case ReduceOp::PREMUL_SUM:
      return "PREMUL_SUM";
    default:
      return "this operation";
  }
}

Reduction::Reduction(const char* operation, const ReduceOp& asked, at::ScalarType type, int size) {
  const ReduceOp::RedOpType op = asked;
  TORCH_CHECK_TYPE(
      !c10::isFloat8Type(type) && !c10::isComplexType(type),
      "mccl: ", operation, " cannot reduce tensors of type ", type);
  switch (op) {
    case ReduceOp::SUM:
    case ReduceOp::PRODUCT:
    case ReduceOp::MIN:
    case ReduceOp::MAX:
      gloo_ = type == at::kBool ? for_bool(op) : op;
      return;
    case ReduceOp::AVG:
      TORCH_CHECK_VALUE(type != at::kBool, "mccl: ", operation, " cannot compute ReduceOp.AVG of bool, as NCCL cannot");
      divisor_ = size;
      return;
    case ReduceOp::PREMUL_SUM: {
      TORCH_CHECK_VALUE(
          c10::isFloatingType(type), "mccl: ", operation, " needs a floating-point type for ReduceOp.PREMUL_SUM, but got ", type);
      const auto* given = dynamic_cast<const NCCLPreMulSumSupplement*>(asked.supplement_.get());
      TORCH_CHECK_VALUE(given != nullptr, "mccl: ReduceOp.PREMUL_SUM of ", operation, " lacks its factor");
      if (given->tensor_factor.defined()) {
        tensor_factor_ = given->tensor_factor;
      } else {
        factor_ = given->double_factor;
      }
      return;
    }
    default:
      TORCH_CHECK_VALUE(false, "mccl: ", operation, " cannot use ReduceOp.", name_of(op), ", as NCCL cannot");
  }
}

void Reduction::before(at::Tensor& operand) const {
  if (factor_) {
    operand.mul_(*factor_);
  } else if (tensor_factor_.defined()) {
    const bool on_musa = tensor_factor_.device().type() == at::musa::kMUSA;
    operand.mul_((on_musa ? alias_of(tensor_factor_) : tensor_factor_).reshape({}));
  }
}

void Reduction::after(at::Tensor& result) const {
  if (!divisor_) {
    return;
  }
  if (c10::isFloatingType(result.scalar_type())) {
    result.div_(*divisor_);
  } else {
    result.div_(*divisor_, "trunc"); // as NCCL divides integers
  }
}

at::Tensor Reduction::operand(const at::Tensor& host) const {
  return host.scalar_type() == at::kBool ? bytes_of(host) : host;
}

} // namespace c10d::mccl
