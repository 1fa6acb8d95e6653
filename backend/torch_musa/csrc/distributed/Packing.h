#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

// libmccl moves bytes that lie one after the other in a device's memory.
namespace c10d::mccl {

/// A CPU tensor over the memory of `tensor`, which the caller keeps alive. The simulator's device memory is the host's.
at::Tensor alias_of(const at::Tensor& tensor);

/// The elements in the order of the dimensions: the tensor itself if it is contiguous, else a copy.
at::Tensor packed(const at::Tensor& tensor);

/// Where a tensor's elements are received, in the order of its dimensions: its own memory if that is contiguous, else a
/// buffer, which deliver() copies into it.
class Inbox {
 public:
  explicit Inbox(const at::Tensor& target);

  void* data() const {
    return received_.data_ptr();
  }
  size_t nbytes() const {
    return received_.nbytes();
  }
  void deliver() const;

 private:
  at::Tensor target_;
  at::Tensor received_;
};

void deliver(const std::vector<Inbox>& inboxes);

} // namespace c10d::mccl
