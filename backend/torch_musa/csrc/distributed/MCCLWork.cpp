#include "torch_musa/csrc/distributed/MCCLWork.h"

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <utility>

namespace c10d::mccl {

namespace {

using c10::ivalue::Future;
using Tensors = std::vector<at::Tensor>;

c10::intrusive_ptr<Future> future_of_tensors(std::optional<c10::Device> device) {
  std::vector<c10::Device> devices;
  if (device) {
    devices.push_back(*device);
  }
  return c10::make_intrusive<Future>(c10::ListType::create(c10::TensorType::get()), devices);
}

/// Completes a future when as many others have; keeps the first error.
struct Countdown {
  Countdown(c10::intrusive_ptr<Future> whole, Tensors outputs, size_t count)
      : whole(std::move(whole)), outputs(std::move(outputs)), left(count) {}

  void one_less(Future& part) {
    if (part.hasError()) {
      whole->setErrorIfNeeded(part.exception_ptr());
    }
    if (--left == 0 && !whole->completed()) {
      whole->markCompleted(at::IValue(outputs));
    }
  }

  const c10::intrusive_ptr<Future> whole;
  const Tensors outputs;
  std::atomic<size_t> left;
};

} // namespace

MCCLWork::MCCLWork(
    int rank,
    OpType operation,
    const char* title,
    const Tensors& inputs,
    Tensors outputs,
    std::optional<c10::Device> device,
    Unlocked unlocked)
    : Work(rank, operation, title, inputs),
      unlocked_(std::move(unlocked)),
      outputs_(std::move(outputs)),
      future_(future_of_tensors(device)) {}

void MCCLWork::conclude(const std::exception_ptr& error) {
  completion_->set_error(error);
  Work::finish(error); // ends the profiler's event
  if (error) {
    future_->setErrorIfNeeded(error);
  } else {
    future_->markCompleted(at::IValue(outputs_));
  }
}

bool MCCLWork::isCompleted() {
  return completion_->done();
}

bool MCCLWork::isSuccess() const {
  return completion_->done() && !completion_->error();
}

std::exception_ptr MCCLWork::exception() const {
  return completion_->error();
}

bool MCCLWork::wait(std::chrono::milliseconds timeout) {
  if (!completion_->wait(timeout)) {
    C10_THROW_ERROR(
        DistBackendError,
        c10::str("mccl: ", opTypeToString(retrieveOpType()), " was not complete after ", timeout.count(), " ms"));
  }
  if (std::exception_ptr error = completion_->error()) {
    std::rethrow_exception(error);
  }
  return true;
}

void MCCLWork::synchronize() {
  unlocked_([this] { wait(kNoTimeout); });
}

void MCCLWork::blockCurrentStream() {
  synchronize();
}

Tensors MCCLWork::result() {
  return outputs_;
}

c10::intrusive_ptr<Future> MCCLWork::getFuture() {
  return future_;
}

CoalescedWork::CoalescedWork(int rank, std::vector<c10::intrusive_ptr<Work>> parts)
    : Work(rank, OpType::COALESCED), parts_(std::move(parts)) {}

bool CoalescedWork::isCompleted() {
  for (const auto& part : parts_) {
    if (!part->isCompleted()) {
      return false;
    }
  }
  return true;
}

bool CoalescedWork::isSuccess() const {
  for (const auto& part : parts_) {
    if (!part->isSuccess()) {
      return false;
    }
  }
  return true;
}

std::exception_ptr CoalescedWork::exception() const {
  for (const auto& part : parts_) {
    if (std::exception_ptr error = part->exception()) {
      return error;
    }
  }
  return nullptr;
}

bool CoalescedWork::wait(std::chrono::milliseconds timeout) {
  for (const auto& part : parts_) {
    part->wait(timeout);
  }
  return true;
}

void CoalescedWork::synchronize() {
  for (const auto& part : parts_) {
    part->synchronize();
  }
}

void CoalescedWork::blockCurrentStream() {
  synchronize();
}

Tensors CoalescedWork::result() {
  Tensors all;
  for (const auto& part : parts_) {
    const Tensors outputs = part->result();
    all.insert(all.end(), outputs.begin(), outputs.end());
  }
  return all;
}

c10::intrusive_ptr<Future> CoalescedWork::getFuture() {
  const Tensors outputs = result();
  const auto device = outputs.empty() ? std::nullopt : std::make_optional(outputs[0].device());
  c10::intrusive_ptr<Future> whole = future_of_tensors(device);
  if (parts_.empty()) {
    whole->markCompleted(at::IValue(outputs));
    return whole;
  }
  auto countdown = std::make_shared<Countdown>(whole, outputs, parts_.size());
  for (const auto& part : parts_) {
    part->getFuture()->addCallback([countdown](Future& future) { countdown->one_less(future); });
  }
  return whole;
}

} // namespace c10d::mccl
