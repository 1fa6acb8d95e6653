#pragma once

// How PyTorch's releases differ, from 2.5 on: all that depends on the release is here, or asks this header.

#include <ATen/core/operator_name.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <torch/version.h>

#include <optional>
#include <string_view>

/// True if the PyTorch that is compiled against is at least major.minor.
#define TORCH_MUSA_TORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) || (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

/// `override`, for a function that PyTorch's interface has from this release on; in older ones it is the class's own.
#if TORCH_MUSA_TORCH_AT_LEAST(2, 6)
#define TORCH_MUSA_OVERRIDE_SINCE_2_6 override
#else
#define TORCH_MUSA_OVERRIDE_SINCE_2_6
#endif
#if TORCH_MUSA_TORCH_AT_LEAST(2, 7)
#define TORCH_MUSA_OVERRIDE_SINCE_2_7 override
#define TORCH_MUSA_NOEXCEPT_BEFORE_2_7
#else
#define TORCH_MUSA_OVERRIDE_SINCE_2_7
#define TORCH_MUSA_NOEXCEPT_BEFORE_2_7 noexcept ///< older interfaces demand it: there an error ends the process
#endif
#if TORCH_MUSA_TORCH_AT_LEAST(2, 8)
#define TORCH_MUSA_OVERRIDE_SINCE_2_8 override
#else
#define TORCH_MUSA_OVERRIDE_SINCE_2_8
#endif

namespace c10::musa {

/// A count of memory. The namespace that defines it differs; this one has it in all releases.
using Stat = CachingDeviceAllocator::Stat;

/// The library that defines an operator ("aten"), if its name has one. PyTorch 2.5 has a string_view of its own.
inline std::optional<std::string_view> library_of(const OperatorName& name) {
  const auto library = name.getNamespace();
  if (!library) {
    return std::nullopt;
  }
  return std::string_view(library->data(), library->size());
}

} // namespace c10::musa
