#include "torch_musa/csrc/core/MUSAStream.h"

#include "torch_musa/csrc/core/MUSAFunctions.h"

#include <array>
#include <memory>
#include <mutex>
#include <vector>

namespace c10::musa {

namespace {

constexpr size_t kStreamsPerPool = 32;
constexpr size_t kPriorities = 2; // normal, high

// Pool streams have the ids 16..79. Other ids are handles: no address is that small, and the runtime's named
// handles (0 default, 1 legacy, 2 per thread) are smaller.
constexpr StreamId kFirstPoolId = 16;
constexpr StreamId kFirstHighPriorityId = kFirstPoolId + kStreamsPerPool;
constexpr StreamId kEndPoolId = kFirstPoolId + kPriorities * kStreamsPerPool;

/// The streams of one device, each created when it is first needed and never destroyed: a c10::Stream is a
/// plain number that anybody may keep for as long as the process lives.
class StreamPool {
 public:
  explicit StreamPool(DeviceIndex device) : device_(device) {}

  StreamId next_id(bool high_priority) {
    std::lock_guard<std::mutex> lock(mutex_);
    size_t index = next_[high_priority]++ % kStreamsPerPool;
    return static_cast<StreamId>(index) + (high_priority ? kFirstHighPriorityId : kFirstPoolId);
  }

  musaStream_t handle(StreamId id) {
    std::lock_guard<std::mutex> lock(mutex_);
    musaStream_t& stream = streams_.at(id - kFirstPoolId);
    if (stream == nullptr) {
      DeviceGuard guard(Device(kMUSA, device_));
      auto [least, greatest] = MUSAStream::priority_range();
      int priority = id >= kFirstHighPriorityId ? greatest : least;
      C10_MUSA_CHECK(musaStreamCreateWithPriority(&stream, musaStreamNonBlocking, priority));
    }
    return stream;
  }

 private:
  const DeviceIndex device_;
  std::mutex mutex_;
  std::array<size_t, kPriorities> next_{};
  std::array<musaStream_t, kPriorities * kStreamsPerPool> streams_{};
};

StreamPool& pool_of(DeviceIndex device) {
  // Leaked on purpose: streams are used until the very end of the process.
  static auto& pools = *[] {
    auto* made = new std::vector<std::unique_ptr<StreamPool>>();
    for (DeviceIndex i = 0; i < device_count(); ++i) {
      made->push_back(std::make_unique<StreamPool>(i));
    }
    return made;
  }();
  TORCH_CHECK(
      device >= 0 && static_cast<size_t>(device) < pools.size(),
      "Invalid MUSA device index ", static_cast<int>(device), ": there are ", pools.size(), " device(s)");
  return *pools[device];
}

std::vector<StreamId>& current_ids() {
  thread_local std::vector<StreamId> ids(device_count(), 0);
  return ids;
}

DeviceIndex or_current(DeviceIndex device) {
  return device == -1 ? current_device() : device;
}

MUSAStream make_stream(DeviceIndex device, StreamId id) {
  return MUSAStream(MUSAStream::UNCHECKED, Stream(Stream::UNSAFE, Device(kMUSA, device), id));
}

} // namespace

bool MUSAStream::query() const {
  DeviceGuard guard(device());
  musaError_t state = C10_MUSA_ERROR_HANDLED(musaStreamQuery(stream()));
  if (state == musaErrorNotReady) {
    C10_MUSA_CLEAR_ERROR();
    return false;
  }
  C10_MUSA_CHECK(state);
  return true;
}

void MUSAStream::synchronize() const {
  DeviceGuard guard(device());
  C10_MUSA_CHECK(musaStreamSynchronize(stream()));
}

int MUSAStream::priority() const {
  DeviceGuard guard(device());
  int priority = 0;
  C10_MUSA_CHECK(musaStreamGetPriority(stream(), &priority));
  return priority;
}

musaStream_t MUSAStream::stream() const {
  if (id() >= kFirstPoolId && id() < kEndPoolId) {
    return pool_of(device_index()).handle(id());
  }
  return reinterpret_cast<musaStream_t>(id());
}

std::tuple<int, int> MUSAStream::priority_range() {
  int least = 0;
  int greatest = 0;
  C10_MUSA_CHECK(musaDeviceGetStreamPriorityRange(&least, &greatest));
  return {least, greatest};
}

MUSAStream getStreamFromPool(bool high_priority, DeviceIndex device) {
  device = or_current(device);
  mark_initialized();
  return make_stream(device, pool_of(device).next_id(high_priority));
}

MUSAStream getStreamFromPool(int priority, DeviceIndex device) {
  return getStreamFromPool(priority < 0, device);
}

MUSAStream getStreamFromExternal(musaStream_t stream, DeviceIndex device) {
  return make_stream(or_current(device), reinterpret_cast<StreamId>(stream));
}

MUSAStream getDefaultMUSAStream(DeviceIndex device) {
  return make_stream(or_current(device), 0);
}

MUSAStream getCurrentMUSAStream(DeviceIndex device) {
  device = or_current(device);
  TORCH_CHECK(
      device >= 0 && device < device_count(),
      "Invalid MUSA device index ", static_cast<int>(device), ": there are ",
      static_cast<int>(device_count()), " device(s)");
  return make_stream(device, current_ids()[device]);
}

void setCurrentMUSAStream(MUSAStream stream) {
  current_ids().at(stream.device_index()) = stream.id();
}

std::ostream& operator<<(std::ostream& out, const MUSAStream& stream) {
  return out << stream.unwrap();
}

} // namespace c10::musa
