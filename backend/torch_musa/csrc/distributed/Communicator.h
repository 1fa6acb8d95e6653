#pragma once

#include <c10/core/Device.h>
#include <mccl.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace c10d::mccl {

/// A DistBackendError, for who cannot throw it here.
std::exception_ptr backend_error(const std::string& text);

/// Throws DistBackendError with libmccl's words if a function of it did not succeed.
void check(mcclResult_t result);

/// This rank's communicator of libmccl. Jobs share it with the process group, which they may outlive.
class Communicator {
 public:
  using Timeout = std::chrono::milliseconds;

  /// The ranks meet by an id that the first of them leaves in the store. Throws DistBackendError if one does not come.
  Communicator(Store& store, int rank, int size, Timeout timeout);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  mcclComm_t handle() const {
    return handle_;
  }

  /// The exception of an earlier failure for all later calls; null if there was none.
  std::exception_ptr failure();
  /// The error of a job of this name out of the exception being handled. Makes the communicator unusable.
  std::exception_ptr fail(const char* operation);
  /// Ends what waits for other ranks, in this one and in them.
  void abort();

 private:
  const int rank_;
  const int size_;
  mcclComm_t handle_ = nullptr;
  std::mutex mutex_; // guards what follows
  std::string failure_; // empty as long as all is well
  bool aborted_ = false;
};

/// The streams of the operations of a job thread, one on each device. The program has no work in them.
class SideStreams {
 public:
  SideStreams() = default;
  ~SideStreams();
  SideStreams(const SideStreams&) = delete;
  SideStreams& operator=(const SideStreams&) = delete;

  /// That of the current device.
  musaStream_t current();

 private:
  std::map<c10::DeviceIndex, musaStream_t> streams_;
};

/// A call of the process group, as libmccl has to know it.
struct Call {
  mcclComm_t comm;
  musaStream_t stream;
  std::string name; ///< "all_reduce (SUM) of 10 Float"
  std::chrono::milliseconds timeout;
  bool collective; ///< whether all ranks must call the same

  /// Has libmccl do the operations that the function submits, as one group, and waits for them. Throws DistBackendError.
  void run(const std::function<void()>& submit) const;
};

/// The work of a job in its thread.
using Exchange = std::function<void(const Call&)>;

} // namespace c10d::mccl
