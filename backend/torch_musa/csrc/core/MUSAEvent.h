#pragma once

#include "MUSAGuard.h"
#include "MUSAStream.h"

#include <optional>
#include <utility>

namespace at::musa {

/// An event that is created when it is first recorded, on the device of that stream. Movable, not copyable.
struct MUSAEvent {
  MUSAEvent() noexcept = default;
  explicit MUSAEvent(unsigned int flags) noexcept : flags_(flags) {}

  MUSAEvent(const MUSAEvent&) = delete;
  MUSAEvent& operator=(const MUSAEvent&) = delete;
  MUSAEvent(MUSAEvent&& other) noexcept {
    swap(other);
  }
  MUSAEvent& operator=(MUSAEvent&& other) noexcept {
    swap(other);
    return *this;
  }
  ~MUSAEvent() {
    if (event_ != nullptr) {
      C10_MUSA_CHECK_WARN(musaEventDestroy(event_));
    }
  }

  operator musaEvent_t() const {
    return event();
  }
  musaEvent_t event() const {
    return event_;
  }
  bool isCreated() const {
    return event_ != nullptr;
  }
  std::optional<c10::Device> device() const {
    return isCreated() ? std::make_optional(c10::Device(kMUSA, device_index_)) : std::nullopt;
  }
  c10::DeviceIndex device_index() const {
    return device_index_;
  }

  /// True if the event was never recorded, or the work before it is done.
  bool query() const {
    if (!isCreated()) {
      return true;
    }
    musaError_t state = C10_MUSA_ERROR_HANDLED(musaEventQuery(event_));
    if (state == musaErrorNotReady) {
      C10_MUSA_CLEAR_ERROR();
      return false;
    }
    C10_MUSA_CHECK(state);
    return true;
  }

  void record() {
    record(getCurrentMUSAStream());
  }

  void recordOnce(const MUSAStream& stream) {
    if (!was_recorded_) {
      record(stream);
    }
  }

  void record(const MUSAStream& stream) {
    MUSAGuard guard(stream.device_index());
    if (!isCreated()) {
      C10_MUSA_CHECK(musaEventCreateWithFlags(&event_, flags_));
      device_index_ = stream.device_index();
    }
    TORCH_CHECK(
        device_index_ == stream.device_index(),
        "An event of MUSA device ", static_cast<int>(device_index_),
        " cannot be recorded on a stream of device ", static_cast<int>(stream.device_index()));
    C10_MUSA_CHECK(musaEventRecord(event_, stream));
    was_recorded_ = true;
  }

  /// Makes `stream` wait for the event; the calling thread does not wait.
  void block(const MUSAStream& stream) const {
    if (isCreated()) {
      MUSAGuard guard(stream.device_index());
      C10_MUSA_CHECK(musaStreamWaitEvent(stream, event_, 0));
    }
  }

  /// Milliseconds from this event to `other`; both need timing (flags without musaEventDisableTiming).
  float elapsed_time(const MUSAEvent& other) const {
    TORCH_CHECK(
        isCreated() && other.isCreated(),
        "Both events must be recorded before the time between them can be asked for");
    MUSAGuard guard(device_index_);
    float milliseconds = 0;
    C10_MUSA_CHECK(musaEventElapsedTime(&milliseconds, event_, other.event_));
    return milliseconds;
  }

  void synchronize() const {
    if (isCreated()) {
      C10_MUSA_CHECK(musaEventSynchronize(event_));
    }
  }

 private:
  void swap(MUSAEvent& other) noexcept {
    std::swap(flags_, other.flags_);
    std::swap(was_recorded_, other.was_recorded_);
    std::swap(device_index_, other.device_index_);
    std::swap(event_, other.event_);
  }

  unsigned int flags_ = musaEventDisableTiming;
  bool was_recorded_ = false;
  c10::DeviceIndex device_index_ = -1;
  musaEvent_t event_ = nullptr;
};

} // namespace at::musa
