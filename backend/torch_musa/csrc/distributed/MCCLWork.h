#pragma once

#include "JobThread.h"

#include <torch/csrc/distributed/c10d/Work.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace c10d::mccl {

/// Runs what may take long, and lets go of Python's lock meanwhile if the thread holds it: the jobs' callbacks need it.
using Unlocked = std::function<void(const std::function<void()>&)>;

/// One collective, send or receive.
///
/// wait() lets the calling thread wait: what comes after it, on any stream, finds the results in memory. That is more
/// than NCCL promises, and errors become exceptions.
class MCCLWork final : public Work {
 public:
  MCCLWork(
      int rank,
      OpType operation,
      const char* title,
      const std::vector<at::Tensor>& inputs,
      std::vector<at::Tensor> outputs,
      std::optional<c10::Device> device,
      Unlocked unlocked);

  /// Ends the work: with its results, or with an error. Those who wait go on when completion() is signalled.
  void conclude(const std::exception_ptr& error);
  const std::shared_ptr<Completion>& completion() const {
    return completion_;
  }

  bool isCompleted() override;
  bool isSuccess() const override;
  std::exception_ptr exception() const override;
  bool wait(std::chrono::milliseconds timeout) override;
  void synchronize() override;
  void blockCurrentStream(); // overrides, where PyTorch has it
  std::vector<at::Tensor> result() override;
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

 private:
  const Unlocked unlocked_;
  const std::shared_ptr<Completion> completion_ = std::make_shared<Completion>();
  const std::vector<at::Tensor> outputs_;
  const c10::intrusive_ptr<c10::ivalue::Future> future_;
};

/// All that was launched between startCoalescing() and endCoalescing().
class CoalescedWork final : public Work {
 public:
  CoalescedWork(int rank, std::vector<c10::intrusive_ptr<Work>> parts);

  bool isCompleted() override;
  bool isSuccess() const override;
  std::exception_ptr exception() const override;
  bool wait(std::chrono::milliseconds timeout) override;
  void synchronize() override;
  void blockCurrentStream(); // overrides, where PyTorch has it
  std::vector<at::Tensor> result() override;
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

 private:
  const std::vector<c10::intrusive_ptr<Work>> parts_;
};

} // namespace c10d::mccl
