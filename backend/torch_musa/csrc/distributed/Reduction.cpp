#include "torch_musa/csrc/distributed/Reduction.h"

#include "torch_musa/csrc/core/Device.h"
#include "torch_musa/csrc/distributed/Communicator.h"
#include "torch_musa/csrc/distributed/Packing.h"

#include <ATen/ops/scalar_tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

namespace c10d::mccl {

namespace {

/// Of the types that Checks.cpp lets pass, those that can be reduced. A bool is a byte.
mcclDataType_t type_of(const char* operation, at::ScalarType type) {
  switch (type) {
    case at::kByte:
    case at::kBool:
      return mcclUint8;
    case at::kChar:
      return mcclInt8;
    case at::kInt:
      return mcclInt32;
    case at::kLong:
      return mcclInt64;
    case at::kHalf:
      return mcclFloat16;
    case at::kBFloat16:
      return mcclBfloat16;
    case at::kFloat:
      return mcclFloat32;
    case at::kDouble:
      return mcclFloat64;
    default:
      TORCH_CHECK_TYPE(false, "mccl: ", operation, " cannot reduce tensors of type ", type);
  }
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

Reduction::Reduction(const char* operation, const ReduceOp& asked, at::ScalarType type)
    : type_(type_of(operation, type)), torch_type_(type) {
  const ReduceOp::RedOpType op = asked;
  // Logical or and logical and: the sum of 1 and 1 as bytes would be a bool of 2.
  const bool is_bool = type == at::kBool;
  switch (op) {
    case ReduceOp::SUM:
      op_ = is_bool ? mcclMax : mcclSum;
      return;
    case ReduceOp::PRODUCT:
      op_ = is_bool ? mcclMin : mcclProd;
      return;
    case ReduceOp::MIN:
      op_ = mcclMin;
      return;
    case ReduceOp::MAX:
      op_ = mcclMax;
      return;
    case ReduceOp::AVG:
      TORCH_CHECK_VALUE(!is_bool, "mccl: ", operation, " cannot compute ReduceOp.AVG of bool, as NCCL cannot");
      op_ = mcclAvg;
      return;
    case ReduceOp::PREMUL_SUM: {
      TORCH_CHECK_VALUE(
          c10::isFloatingType(type), "mccl: ", operation, " needs a floating-point type for ReduceOp.PREMUL_SUM, but got ", type);
      const auto* given = dynamic_cast<const NCCLPreMulSumSupplement*>(asked.supplement_.get());
      TORCH_CHECK_VALUE(given != nullptr, "mccl: ReduceOp.PREMUL_SUM of ", operation, " lacks its factor");
      factor_ = given->tensor_factor.defined() ? given->tensor_factor
                                               : at::scalar_tensor(given->double_factor, at::TensorOptions(at::kDouble));
      return;
    }
    default:
      TORCH_CHECK_VALUE(false, "mccl: ", operation, " cannot use ReduceOp.", name_of(op), ", as NCCL cannot");
  }
}

void Reduction::with_operation(mcclComm_t comm, const std::function<void(mcclRedOp_t)>& use) const {
  if (!factor_.defined()) {
    use(op_);
    return;
  }
  const bool on_musa = factor_.device().type() == at::musa::kMUSA;
  const at::Tensor factor = (on_musa ? alias_of(factor_) : factor_).to(torch_type_);
  mcclRedOp_t made = mcclSum;
  check(mcclRedOpCreatePreMulSum(&made, factor.data_ptr(), type_, mcclScalarHostImmediate, comm));
  use(made);
  check(mcclRedOpDestroy(made, comm));
}

} // namespace c10d::mccl
