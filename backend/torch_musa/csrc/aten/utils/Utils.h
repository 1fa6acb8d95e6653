#pragma once

// The first calls of functions that use muDNN, under the names that chapter 6.4.2 of torch_musa's manual uses.

#include "../mudnn/Handle.h"

#include "../../core/Device.h"

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Backend.h>

/// Throws if a call of muDNN did not succeed.
#define CHECK_MUDNN_STATUS(STATUS, WHAT) \
  TORCH_CHECK((STATUS) == ::musa::dnn::Status::SUCCESS, __func__, ": muDNN failed in ", WHAT)

#define UNUSED(x) (void)(x)

#define AT_DISPATCH_ALL_MTGPU_TYPES_AND_HALF(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                         \
      TYPE, NAME,                                             \
      AT_DISPATCH_CASE(at::ScalarType::Byte, __VA_ARGS__)     \
      AT_DISPATCH_CASE(at::ScalarType::Char, __VA_ARGS__)     \
      AT_DISPATCH_CASE(at::ScalarType::Half, __VA_ARGS__)     \
      AT_DISPATCH_CASE(at::ScalarType::BFloat16, __VA_ARGS__) \
      AT_DISPATCH_CASE(at::ScalarType::Short, __VA_ARGS__)    \
      AT_DISPATCH_CASE(at::ScalarType::Float, __VA_ARGS__)    \
      AT_DISPATCH_CASE(at::ScalarType::Int, __VA_ARGS__)      \
      AT_DISPATCH_CASE(at::ScalarType::Long, __VA_ARGS__)     \
      AT_DISPATCH_CASE(at::ScalarType::Double, __VA_ARGS__))

namespace at::musa {

constexpr c10::Backend kMUSABackend = c10::Backend::PrivateUse1;
constexpr c10::DispatchKey kMUSAKey = c10::DispatchKey::PrivateUse1;

inline bool is_musa(const Tensor& tensor) {
  return tensor.device().type() == c10::musa::kMUSA;
}

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

/// Describes no tensor: an argument that muDNN may go without.
inline muTensor CreateEmptyMUTensor() {
  return {};
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
