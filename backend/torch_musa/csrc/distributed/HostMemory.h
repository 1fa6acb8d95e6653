#pragma once

#include <ATen/core/Tensor.h>

namespace c10d::mccl {

/// A CPU tensor over the memory of `tensor`, which the caller keeps alive. The simulator's device memory is the host's.
at::Tensor alias_of(const at::Tensor& tensor);

/// The same with one dimension: all elements in the order of memory. `tensor` is dense.
at::Tensor flat_alias_of(const at::Tensor& tensor);

/// The bytes of a dense CPU tensor, in the order of memory.
at::Tensor bytes_of(const at::Tensor& host);

/// The bytes of a tensor's elements, in the order of its dimensions: its own memory if that is contiguous, else a copy.
at::Tensor packed_bytes_of(const at::Tensor& tensor);

/// Where a tensor's elements are received, in the order of its dimensions: its own memory if that is contiguous, else a
/// buffer, which deliver() copies into it.
class Inbox {
 public:
  explicit Inbox(const at::Tensor& tensor);

  const at::Tensor& bytes() const {
    return bytes_;
  }
  void deliver();

 private:
  at::Tensor target_;
  at::Tensor received_; // contiguous; undefined if bytes_ are the target's own
  at::Tensor bytes_;
};

} // namespace c10d::mccl
