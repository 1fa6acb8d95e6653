#pragma once

#include "MUSAException.h"
#include "MUSAStream.h"

#include <optional>
#include <ostream>

// Whether a stream is being captured into a graph, and what a thread that captures may do.
namespace c10::musa {

using CaptureId_t = unsigned long long;

/// The numbers are those of CUDA's cudaStreamCaptureStatus.
enum class CaptureStatus : int {
  None = static_cast<int>(musaStreamCaptureStatusNone),
  Active = static_cast<int>(musaStreamCaptureStatusActive),
  Invalidated = static_cast<int>(musaStreamCaptureStatusInvalidated)
};

inline std::ostream& operator<<(std::ostream& out, CaptureStatus status) {
  constexpr const char* kNames[] = {"None", "Active", "Invalidated"};
  return out << "musaStreamCaptureStatus" << kNames[static_cast<int>(status)];
}

inline CaptureStatus captureStatusMayInitCtx(musaStream_t stream) {
  musaStreamCaptureStatus status = musaStreamCaptureStatusNone;
  C10_MUSA_CHECK(musaStreamIsCapturing(stream, &status));
  return static_cast<CaptureStatus>(status);
}

inline CaptureStatus currentStreamCaptureStatusMayInitCtx() {
  return captureStatusMayInitCtx(getCurrentMUSAStream());
}

inline bool isStreamCapturingMayInitCtx(musaStream_t stream) {
  return captureStatusMayInitCtx(stream) == CaptureStatus::Active;
}

inline std::optional<CaptureId_t> captureIdMayInitCtx(musaStream_t stream) {
  musaStreamCaptureStatus status = musaStreamCaptureStatusNone;
  CaptureId_t id = 0;
  C10_MUSA_CHECK(musaStreamGetCaptureInfo(stream, &status, &id));
  return status == musaStreamCaptureStatusActive ? std::make_optional(id) : std::nullopt;
}

inline std::optional<CaptureId_t> currentStreamCaptureIdMayInitCtx() {
  return captureIdMayInitCtx(getCurrentMUSAStream());
}

/// While it lives, the thread's mode is another one.
struct MUSAStreamCaptureModeGuard {
  explicit MUSAStreamCaptureModeGuard(musaStreamCaptureMode mode) : mode_(mode) {
    C10_MUSA_CHECK(musaThreadExchangeStreamCaptureMode(&mode_));
  }
  ~MUSAStreamCaptureModeGuard() {
    C10_MUSA_CHECK_WARN(musaThreadExchangeStreamCaptureMode(&mode_));
  }
  MUSAStreamCaptureModeGuard(const MUSAStreamCaptureModeGuard&) = delete;
  MUSAStreamCaptureModeGuard& operator=(const MUSAStreamCaptureModeGuard&) = delete;

 private:
  musaStreamCaptureMode mode_;
};

} // namespace c10::musa
