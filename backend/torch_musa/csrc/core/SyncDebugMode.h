#pragma once

namespace c10::musa {

/// The reaction when an operator makes the host wait for a device (torch.musa.set_sync_debug_mode).
enum class SyncDebugMode { Ignore, Warn, Error };

SyncDebugMode sync_debug_mode() noexcept;
void set_sync_debug_mode(SyncDebugMode mode) noexcept;

/// To be called where the host would wait for a GPU. Throws, warns or does nothing, as the mode says.
void warn_or_error_on_sync();

} // namespace c10::musa
