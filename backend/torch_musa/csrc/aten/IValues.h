#pragma once

#include "musa/MUSAGeneratorImpl.h"

#include <ATen/core/ivalue.h>
#include <ATen/core/function_schema.h>

#include <optional>

// Helpers for the arguments and results of any operator.
namespace at::musa {

/// Calls `visit` with every defined tensor in `value`, which may be a tensor or a list of (optional) tensors.
template <typename Visit>
void for_each_tensor(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) {
      visit(value.toTensor());
    }
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) {
      if (tensor.defined()) {
        visit(tensor);
      }
    }
  } else if (value.isOptionalTensorList()) {
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      if (tensor && tensor->defined()) {
        visit(*tensor);
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
  if (value.isTensorList()) {
    c10::List<at::Tensor> mapped;
    for (const at::Tensor& tensor : value.toTensorVector()) {
      mapped.push_back(replace(tensor));
    }
    return mapped;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> mapped;
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      mapped.push_back(tensor ? std::optional<at::Tensor>(replace(*tensor)) : std::nullopt);
    }
    return mapped;
  }
  return value;
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
