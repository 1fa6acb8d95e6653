#pragma once

// The first calls of functions that use muDNN, under the names that chapter 6.4.2 of torch_musa's manual uses.

#include "../mudnn/Handle.h"

#include <ATen/core/Tensor.h>

/// Throws if a call of muDNN did not succeed.
#define CHECK_MUDNN_STATUS(STATUS, WHAT) \
  TORCH_CHECK((STATUS) == ::musa::dnn::Status::SUCCESS, __func__, ": muDNN failed in ", WHAT)

namespace at::musa {

using muTensor = ::musa::dnn::Tensor;
using muHandle = ::musa::dnn::Handle;

/// The name that muDNN has for a type. Throws if it has none.
inline muTensor::Type mudnn_type(ScalarType type) {
  switch (type) {
    case ScalarType::Half:
      return muTensor::Type::HALF;
    case ScalarType::BFloat16:
      return muTensor::Type::BFLOAT16;
    case ScalarType::Float:
      return muTensor::Type::FLOAT;
    case ScalarType::Double:
      return muTensor::Type::DOUBLE;
    case ScalarType::Bool:
      return muTensor::Type::BOOL;
    case ScalarType::Byte:
      return muTensor::Type::UINT8;
    case ScalarType::Char:
      return muTensor::Type::INT8;
    case ScalarType::Short:
      return muTensor::Type::INT16;
    case ScalarType::Int:
      return muTensor::Type::INT32;
    case ScalarType::Long:
      return muTensor::Type::INT64;
    default:
      TORCH_CHECK(false, "muDNN has no type for ", type);
  }
}

/// Describes a tensor to muDNN: its memory stays the tensor's.
inline muTensor CreateMUTensor(const Tensor& tensor) {
  muTensor made;
  if (!tensor.defined()) {
    return made;
  }
  CHECK_MUDNN_STATUS(made.SetType(mudnn_type(tensor.scalar_type())), "SetType");
  CHECK_MUDNN_STATUS(made.SetAddr(tensor.data_ptr()), "SetAddr");
  CHECK_MUDNN_STATUS(made.SetFormat(muTensor::Format::NCHW), "SetFormat");
  CHECK_MUDNN_STATUS(made.SetNdInfo(tensor.dim(), tensor.sizes().data(), tensor.strides().data()), "SetNdInfo");
  return made;
}

} // namespace at::musa
