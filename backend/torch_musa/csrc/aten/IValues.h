#pragma once

#include "musa/MUSAGeneratorImpl.h"

#include <ATen/core/ivalue.h>
#include <ATen/core/function_schema.h>

// Helpers for the arguments and results of any operator.
namespace at::musa {

/// Whether `value` is a list of tensors or of optional tensors. TorchScript makes types of its own for these, which
/// `isOptionalTensorList` does not know: it compares pointers.
inline bool is_list_of_tensors(const c10::IValue& value) {
  if (!value.isList()) {
    return false;
  }
  c10::TypePtr element = value.toList().elementType();
  if (element->kind() == c10::TypeKind::OptionalType) {
    element = element->expectRef<c10::OptionalType>().getElementType();
  }
  return element->kind() == c10::TypeKind::TensorType;
}

/// Calls `visit` with every defined tensor in `value`, which may be a tensor or a list of (optional) tensors.
template <typename Visit>
void for_each_tensor(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) {
      visit(value.toTensor());
    }
  } else if (is_list_of_tensors(value)) {
    for (const c10::IValue& element : value.toListRef()) {
      if (element.isTensor() && element.toTensor().defined()) {
        visit(element.toTensor());
      }
    }
  }
}

/// `value` with every tensor in it replaced by `replace(tensor)`.
template <typename Replace>
c10::IValue map_tensors(const c10::IValue& value, const Replace& replace) {
  if (value.isTensor()) {
    return replace(value.toTensor());
  }
  if (!is_list_of_tensors(value)) {
    return value;
  }
  c10::impl::GenericList mapped(value.toList().elementType());
  for (const c10::IValue& element : value.toListRef()) {
    mapped.push_back(element.isTensor() ? c10::IValue(replace(element.toTensor())) : element);
  }
  return mapped;
}

inline bool is_optional_generator(const c10::Argument& argument) {
  const c10::TypePtr& type = argument.type();
  return type->kind() == c10::TypeKind::OptionalType &&
      type->expectRef<c10::OptionalType>().getElementType()->kind() == c10::TypeKind::GeneratorType;
}

/// Return the musa generator in an argument; undefined for any other argument.
inline at::Generator musa_generator(const c10::Argument& argument, const c10::IValue& value, c10::Device device) {
  if (value.isGenerator()) {
    return value.toGenerator();
  }
  if (value.isNone() && is_optional_generator(argument)) {
    return detail::getDefaultMUSAGenerator(device.index());
  }
  return at::Generator();
}

} // namespace at::musa
