#pragma once

#include "torch_musa/csrc/distributed/Peers.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace c10d::mccl {

/// A DistBackendError, for who cannot throw it here.
std::exception_ptr backend_error(const std::string& text);

/// The way to the other ranks: gloo on CPU tensors, and what is known of the ranks. Jobs share it with the process
/// group, which they may outlive.
class Communicator {
 public:
  using Timeout = std::chrono::milliseconds;

  Communicator(c10::intrusive_ptr<Backend> gloo, std::shared_ptr<Peers> peers);

  Backend& gloo() {
    return *gloo_;
  }
  Peers& peers() {
    return *peers_;
  }

  /// Waits for gloo's part of a collective. Throws if that fails or if a rank has ended without taking part.
  void await(const c10::intrusive_ptr<Work>& part, Timeout timeout);

  /// What an earlier failure leaves to all that comes after it, since gloo's connections are of no use then; null if
  /// there was none.
  std::exception_ptr failure();

  /// An error for people out of the one being handled, which names the rank that is to blame if it is known. Makes the
  /// communicator unusable; `touched` is kept for good, since gloo may still write to it.
  std::exception_ptr fail(const char* operation, Timeout timeout, const std::vector<at::Tensor>& touched);

 private:
  std::string blame(const std::string& cause, bool timed_out, Timeout timeout);
  /// Waits for one to end as long as `patience`.
  std::vector<int> ended_ranks(Timeout patience);

  const c10::intrusive_ptr<Backend> gloo_;
  const std::shared_ptr<Peers> peers_;
  std::mutex mutex_; // guards what follows
  std::string failure_; // empty as long as all is well
  std::vector<int> ended_; // those that were seen to have ended first
};

} // namespace c10d::mccl
