#pragma once

#include "MUSADeviceAssertionHost.h"

#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>
#include <c10/util/irange.h>
#include <musa.h>
#include <musa_runtime_api.h>

#include <cstdint>

namespace c10::musa {

/// Throws c10::Error ("MUSA error: <reason>"). The non-sticky error that the runtime remembers is cleared first, so that
/// it does not show up again at the next, innocent, check.
[[noreturn]] void throw_musa(musaError_t error, const char* file, const char* function, uint32_t line);

/// The same, but only a warning: for destructors and other code that must not throw.
void tell_musa(musaError_t error, const char* file, const char* function, uint32_t line) noexcept;

/// Both do nothing for musaSuccess, which an operator gets from a dozen calls. Use the macros below.
inline void check_musa(musaError_t error, const char* file, const char* function, uint32_t line) {
  if (C10_UNLIKELY(error != musaSuccess)) {
    throw_musa(error, file, function, line);
  }
}
inline void warn_musa(musaError_t error, const char* file, const char* function, uint32_t line) noexcept {
  if (C10_UNLIKELY(error != musaSuccess)) {
    tell_musa(error, file, function, line);
  }
}

} // namespace c10::musa

#define C10_MUSA_CHECK(EXPR) \
  ::c10::musa::check_musa((EXPR), __FILE__, __func__, static_cast<uint32_t>(__LINE__))

#define C10_MUSA_CHECK_WARN(EXPR) \
  ::c10::musa::warn_musa((EXPR), __FILE__, __func__, static_cast<uint32_t>(__LINE__))

/// Marks an error that the code deals with itself.
#define C10_MUSA_ERROR_HANDLED(EXPR) (EXPR)

/// Drops an error, and the runtime's memory of it.
#define C10_MUSA_IGNORE_ERROR(EXPR)                       \
  do {                                                    \
    if (C10_UNLIKELY((EXPR) != musaSuccess)) {            \
      (void)musaGetLastError();                           \
    }                                                     \
  } while (0)

#define C10_MUSA_CLEAR_ERROR() ((void)musaGetLastError())

/// Call after every `kernel<<<...>>>()`: a launch reports its errors only through musaGetLastError().
#define C10_MUSA_KERNEL_LAUNCH_CHECK() C10_MUSA_CHECK(musaGetLastError())

#define TORCH_MUSA_CHECK(EXPR) C10_MUSA_CHECK(EXPR)
#define TORCH_MUSA_CHECK_WARN(EXPR) C10_MUSA_CHECK_WARN(EXPR)
#define TORCH_MUSA_WARN(EXPR) C10_MUSA_CHECK_WARN(EXPR)
#define TORCH_MUSA_KERNEL_LAUNCH_CHECK() C10_MUSA_KERNEL_LAUNCH_CHECK()
