#pragma once

#include "GuardImpl.h"
#include "MUSAStream.h"

#include <c10/core/impl/InlineDeviceGuard.h>
#include <c10/core/impl/InlineStreamGuard.h>

#include <optional>

namespace c10::musa {

/// Makes a device current for a scope. Neither copied, moved nor made without a device.
struct MUSAGuard {
  explicit MUSAGuard() = delete;
  explicit MUSAGuard(DeviceIndex device_index) : guard_(device_index) {}
  explicit MUSAGuard(Device device) : guard_(device) {}

  MUSAGuard(const MUSAGuard&) = delete;
  MUSAGuard& operator=(const MUSAGuard&) = delete;
  MUSAGuard(MUSAGuard&&) = delete;
  MUSAGuard& operator=(MUSAGuard&&) = delete;
  ~MUSAGuard() = default;

  void set_device(Device device) {
    guard_.set_device(device);
  }
  void reset_device(Device device) {
    guard_.reset_device(device);
  }
  void set_index(DeviceIndex device_index) {
    guard_.set_index(device_index);
  }
  Device original_device() const {
    return guard_.original_device();
  }
  Device current_device() const {
    return guard_.current_device();
  }

 private:
  c10::impl::InlineDeviceGuard<impl::MUSAGuardImpl> guard_;
};

/// A MUSAGuard that may hold no device, and then changes nothing.
struct OptionalMUSAGuard {
  explicit OptionalMUSAGuard() = default;
  explicit OptionalMUSAGuard(std::optional<Device> device) : guard_(device) {}
  explicit OptionalMUSAGuard(std::optional<DeviceIndex> device_index) : guard_(device_index) {}

  OptionalMUSAGuard(const OptionalMUSAGuard&) = delete;
  OptionalMUSAGuard& operator=(const OptionalMUSAGuard&) = delete;
  OptionalMUSAGuard(OptionalMUSAGuard&&) = delete;
  OptionalMUSAGuard& operator=(OptionalMUSAGuard&&) = delete;
  ~OptionalMUSAGuard() = default;

  void set_device(Device device) {
    guard_.set_device(device);
  }
  void reset_device(Device device) {
    guard_.reset_device(device);
  }
  void set_index(DeviceIndex device_index) {
    guard_.set_index(device_index);
  }
  std::optional<Device> original_device() const {
    return guard_.original_device();
  }
  std::optional<Device> current_device() const {
    return guard_.current_device();
  }
  void reset() {
    guard_.reset();
  }

 private:
  c10::impl::InlineOptionalDeviceGuard<impl::MUSAGuardImpl> guard_;
};

/// Makes a stream, and its device, current for a scope.
struct MUSAStreamGuard {
  explicit MUSAStreamGuard() = delete;
  explicit MUSAStreamGuard(Stream stream) : guard_(stream) {}

  MUSAStreamGuard(const MUSAStreamGuard&) = delete;
  MUSAStreamGuard& operator=(const MUSAStreamGuard&) = delete;
  MUSAStreamGuard(MUSAStreamGuard&&) = delete;
  MUSAStreamGuard& operator=(MUSAStreamGuard&&) = delete;
  ~MUSAStreamGuard() = default;

  void reset_stream(Stream stream) {
    guard_.reset_stream(stream);
  }
  MUSAStream original_stream() const {
    return MUSAStream(MUSAStream::UNCHECKED, guard_.original_stream());
  }
  MUSAStream current_stream() const {
    return MUSAStream(MUSAStream::UNCHECKED, guard_.current_stream());
  }
  Device current_device() const {
    return guard_.current_device();
  }
  Device original_device() const {
    return guard_.original_device();
  }

 private:
  c10::impl::InlineStreamGuard<impl::MUSAGuardImpl> guard_;
};

/// A MUSAStreamGuard that may hold no stream.
struct OptionalMUSAStreamGuard {
  explicit OptionalMUSAStreamGuard() = default;
  explicit OptionalMUSAStreamGuard(Stream stream) : guard_(stream) {}
  explicit OptionalMUSAStreamGuard(std::optional<Stream> stream) : guard_(stream) {}

  OptionalMUSAStreamGuard(const OptionalMUSAStreamGuard&) = delete;
  OptionalMUSAStreamGuard& operator=(const OptionalMUSAStreamGuard&) = delete;
  OptionalMUSAStreamGuard(OptionalMUSAStreamGuard&&) = delete;
  OptionalMUSAStreamGuard& operator=(OptionalMUSAStreamGuard&&) = delete;
  ~OptionalMUSAStreamGuard() = default;

  void reset_stream(Stream stream) {
    guard_.reset_stream(stream);
  }
  std::optional<MUSAStream> original_stream() const {
    return wrap(guard_.original_stream());
  }
  std::optional<MUSAStream> current_stream() const {
    return wrap(guard_.current_stream());
  }
  void reset() {
    guard_.reset();
  }

 private:
  static std::optional<MUSAStream> wrap(std::optional<Stream> stream) {
    if (!stream) {
      return std::nullopt;
    }
    return MUSAStream(MUSAStream::UNCHECKED, *stream);
  }

  c10::impl::InlineOptionalStreamGuard<impl::MUSAGuardImpl> guard_;
};

/// Makes several streams, each on its own device, current for a scope; the current device does not change.
struct MUSAMultiStreamGuard {
  explicit MUSAMultiStreamGuard(ArrayRef<MUSAStream> streams) : guard_(unwrap(streams)) {}

  MUSAMultiStreamGuard(const MUSAMultiStreamGuard&) = delete;
  MUSAMultiStreamGuard& operator=(const MUSAMultiStreamGuard&) = delete;
  MUSAMultiStreamGuard(MUSAMultiStreamGuard&&) = delete;
  MUSAMultiStreamGuard& operator=(MUSAMultiStreamGuard&&) = delete;
  ~MUSAMultiStreamGuard() = default;

 private:
  static std::vector<Stream> unwrap(ArrayRef<MUSAStream> streams) {
    return std::vector<Stream>(streams.begin(), streams.end());
  }

  c10::impl::InlineMultiStreamGuard<impl::MUSAGuardImpl> guard_;
};

} // namespace c10::musa

namespace at::musa {

using c10::musa::MUSAGuard;
using c10::musa::MUSAMultiStreamGuard;
using c10::musa::MUSAStreamGuard;
using c10::musa::OptionalMUSAGuard;
using c10::musa::OptionalMUSAStreamGuard;

} // namespace at::musa
