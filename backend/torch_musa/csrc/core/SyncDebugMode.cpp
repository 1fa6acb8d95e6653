#include "torch_musa/csrc/core/SyncDebugMode.h"

#include <c10/util/Exception.h>

#include <atomic>

namespace c10::musa {

namespace {

std::atomic<SyncDebugMode> chosen{SyncDebugMode::Ignore};

} // namespace

SyncDebugMode sync_debug_mode() noexcept {
  return chosen;
}

void set_sync_debug_mode(SyncDebugMode mode) noexcept {
  chosen = mode;
}

void warn_or_error_on_sync() {
  const SyncDebugMode mode = sync_debug_mode();
  TORCH_CHECK(mode != SyncDebugMode::Error, "called a synchronizing MUSA operation");
  if (mode == SyncDebugMode::Warn) {
    TORCH_WARN("called a synchronizing MUSA operation");
  }
}

} // namespace c10::musa
