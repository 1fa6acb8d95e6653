#include "torch_musa/csrc/core/MUSAException.h"

namespace c10::musa {

void throw_musa(musaError_t error, const char* file, const char* function, uint32_t line) {
  (void)musaGetLastError();
  throw c10::Error(
      {function, file, line},
      c10::str("MUSA error: ", musaGetErrorString(error), " (", musaGetErrorName(error), ")"));
}

void tell_musa(musaError_t error, const char* file, const char* function, uint32_t line) noexcept {
  (void)musaGetLastError();
  try {
    c10::warn(c10::Warning(
        c10::UserWarning(),
        {function, file, line},
        c10::str("MUSA warning: ", musaGetErrorString(error), " (", musaGetErrorName(error), ")"),
        /*verbatim=*/false));
  } catch (...) {
    // A warning that Python turned into an error has no one to catch it here.
  }
}

} // namespace c10::musa
