#pragma once

#include <musa_runtime_api.h>

#include <mutex>
#include <string>

// The parts of an error's text for code beside PyTorch's own macros. The simulated runtime says itself which kernel an error is
// of, so there is nothing to add to a message.
namespace c10::musa {

inline const char* get_musa_check_suffix() noexcept {
  return "";
}

inline const char* get_musa_async_error_suffix(musaError_t /*error*/) noexcept {
  return "";
}

inline std::string get_musa_error_help(musaError_t /*error*/) noexcept {
  return "";
}

/// A lock for code that must not free memory while another thread starts collectives.
inline std::mutex* getFreeMutex() {
  static std::mutex& mutex = *new std::mutex(); // leaked: memory may be freed after static objects
  return &mutex;
}

} // namespace c10::musa
