#pragma once

#include "Device.h"
#include "MUSAException.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>

#include <functional>
#include <ostream>
#include <tuple>

namespace c10::musa {

/// A c10::Stream known to be a MUSA stream, convertible to the runtime's handle.
///
/// Stream ids: 0 is the device's default stream; ids from 16 on are streams of the pool; any other id is
/// the handle of a stream that somebody else made (getStreamFromExternal) and keeps alive.
class MUSAStream {
 public:
  enum Unchecked { UNCHECKED };

  /// Throws if `stream` is not a MUSA stream.
  explicit MUSAStream(Stream stream) : stream_(stream) {
    TORCH_CHECK(stream_.device_type() == kMUSA, "not a MUSA stream: ", stream_);
  }
  explicit MUSAStream(Unchecked /*unused*/, Stream stream) : stream_(stream) {}

  bool operator==(const MUSAStream& other) const noexcept {
    return unwrap() == other.unwrap();
  }
  bool operator!=(const MUSAStream& other) const noexcept {
    return unwrap() != other.unwrap();
  }

  operator musaStream_t() const {
    return stream();
  }
  operator Stream() const {
    return unwrap();
  }

  DeviceType device_type() const {
    return kMUSA;
  }
  DeviceIndex device_index() const {
    return stream_.device_index();
  }
  Device device() const {
    return Device(kMUSA, device_index());
  }
  StreamId id() const {
    return stream_.id();
  }

  /// True if all work given to the stream is done.
  bool query() const;

  /// Waits for all work given to the stream.
  void synchronize() const;

  /// 0 is normal; lower numbers are served first.
  int priority() const;

  /// The runtime's handle; nullptr is the default stream.
  musaStream_t stream() const;

  Stream unwrap() const {
    return stream_;
  }

  StreamData3 pack3() const {
    return stream_.pack3();
  }
  static MUSAStream unpack3(StreamId id, DeviceIndex device_index, DeviceType device_type) {
    return MUSAStream(Stream::unpack3(id, device_index, device_type));
  }

  /// (least, greatest) priority that a device's streams can have.
  static std::tuple<int, int> priority_range();

 private:
  Stream stream_;
};

/// A stream of the pool of `device` (-1: the current one), taken in turn; the pool is never destroyed.
MUSAStream getStreamFromPool(bool high_priority = false, DeviceIndex device = -1);

/// As above; a negative `priority` means a high-priority stream.
MUSAStream getStreamFromPool(int priority, DeviceIndex device = -1);

/// Wraps a stream made with musaStreamCreate; the caller keeps it alive.
MUSAStream getStreamFromExternal(musaStream_t stream, DeviceIndex device);

MUSAStream getDefaultMUSAStream(DeviceIndex device = -1);

/// The calling thread's current stream on `device`.
MUSAStream getCurrentMUSAStream(DeviceIndex device = -1);

/// Makes `stream` the calling thread's current stream on the stream's own device.
void setCurrentMUSAStream(MUSAStream stream);

std::ostream& operator<<(std::ostream& out, const MUSAStream& stream);

} // namespace c10::musa

// Ported code writes at::musa::getCurrentMUSAStream(), as CUDA code writes at::cuda::getCurrentCUDAStream().
namespace at::musa {

using c10::musa::getCurrentMUSAStream;
using c10::musa::getDefaultMUSAStream;
using c10::musa::getStreamFromExternal;
using c10::musa::getStreamFromPool;
using c10::musa::MUSAStream;
using c10::musa::setCurrentMUSAStream;

} // namespace at::musa

namespace std {

template <>
struct hash<c10::musa::MUSAStream> {
  size_t operator()(const c10::musa::MUSAStream& stream) const noexcept {
    return std::hash<c10::Stream>{}(stream.unwrap());
  }
};

} // namespace std
