#pragma once

#include "torch_musa/csrc/core/MUSAStream.h"

#include <optional>
#include <ostream>

// Whether a stream is being captured into a graph. The simulated SDK has no call that begins a capture, so the answer
// is always no, and what is not there (a guard of the capture mode) could not be used.
namespace c10::musa {

using CaptureId_t = unsigned long long;

/// The numbers are those of CUDA's cudaStreamCaptureStatus.
enum class CaptureStatus : int { None = 0, Active = 1, Invalidated = 2 };

inline std::ostream& operator<<(std::ostream& out, CaptureStatus status) {
  constexpr const char* kNames[] = {"None", "Active", "Invalidated"};
  return out << "musaStreamCaptureStatus" << kNames[static_cast<int>(status)];
}

inline CaptureStatus captureStatusMayInitCtx(musaStream_t /*stream*/) {
  return CaptureStatus::None;
}

inline CaptureStatus currentStreamCaptureStatusMayInitCtx() {
  return CaptureStatus::None;
}

inline bool isStreamCapturingMayInitCtx(musaStream_t stream) {
  return captureStatusMayInitCtx(stream) == CaptureStatus::Active;
}

inline std::optional<CaptureId_t> captureIdMayInitCtx(musaStream_t /*stream*/) {
  return std::nullopt;
}

inline std::optional<CaptureId_t> currentStreamCaptureIdMayInitCtx() {
  return std::nullopt;
}

} // namespace c10::musa
