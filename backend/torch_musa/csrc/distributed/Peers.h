#pragma once

#include <c10/core/Device.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace c10d::mccl {

/// What a rank tells the others of itself.
struct Peer {
  std::string host; ///< its name, for people
  std::string machine; ///< equal for two ranks if each sees the other's process by its id
  int64_t process = 0;
  std::string started; ///< when, in the kernel's words: a process id alone may be used again
  std::vector<std::string> devices; ///< ids of the devices that it sees
};

/// What tells a device from the machine's others, whatever MUSA_VISIBLE_DEVICES makes of its index.
std::string device_id(c10::DeviceIndex device);

/// "rank 2", "ranks 2 and 3", "ranks 0, 2 and 3"
std::string named(const std::vector<int>& ranks);

/// The ranks of a process group: who and where they are, which device each uses, whether they still live.
class Peers {
 public:
  /// Exchanges the ranks' records through the store. Throws DistBackendError, which names the ranks that did not come
  /// before `timeout` or, unless `share_devices`, the machine with fewer devices than ranks.
  Peers(
      c10::intrusive_ptr<Store> store,
      int rank,
      int size,
      std::chrono::milliseconds timeout,
      std::vector<std::string> devices,
      bool share_devices);
  /// Some of the ranks of `whole`, in this order; this rank is one of them. Nothing has to be exchanged.
  Peers(const Peers& whole, c10::intrusive_ptr<Store> store, const std::vector<int>& ranks);

  int rank() const {
    return rank_;
  }
  int size() const {
    return static_cast<int>(peers_.size());
  }

  const c10::intrusive_ptr<Store>& store() const {
    return store_;
  }

  /// Whether all ranks run on this machine.
  bool on_one_machine() const;

  /// Tells the others that this rank uses a device, waits until the ranks of `others` have told theirs, and throws
  /// DistBackendError if one of them uses the same. Only the first device of a rank counts.
  void claim(const std::string& device, const std::vector<int>& others, std::chrono::milliseconds timeout);

  /// The ranks on this machine whose process has ended.
  std::vector<int> ended() const;

  /// "rank 2 (process 4711 on host box) has ended"
  std::string story_of(const std::vector<int>& ended) const;

 private:
  void meet(std::chrono::milliseconds timeout);
  void require_devices() const;
  void publish(const std::string& device);

  const c10::intrusive_ptr<Store> store_;
  const int rank_;
  const bool share_devices_;
  std::vector<Peer> peers_;

  std::mutex mutex_; // guards what follows
  std::string device_; // this rank's; empty until it is claimed
  std::set<int> compared_; // ranks whose device is known to be another
};

} // namespace c10d::mccl
