#pragma once

#include "torch_musa/csrc/distributed/Communicator.h"

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

// Ranks that call different collectives, or with different sizes, hang or compute nonsense on hardware; gloo ends the
// process. Here they compare their calls before any data moves, and all of them get the same error.
namespace c10d::mccl {

/// "10 Float", "10 Float and 3 Half": what ranks must have as much of as the others.
std::string elements_of(const std::vector<at::Tensor>& tensors);

/// Compares what all ranks are about to do, which is a text that must be the same. Throws DistBackendError in all of them.
void agree(Communicator& communicator, const std::string& call, std::chrono::milliseconds timeout);

/// Compares what each rank sends to each with what that one expects, in bytes. Throws DistBackendError in all of them.
void agree_on_splits(
    Communicator& communicator,
    const std::vector<int64_t>& sent,
    const std::vector<int64_t>& expected,
    std::chrono::milliseconds timeout);

/// A message of bytes between two ranks. Both throw DistBackendError if they differ in its size.
void send_bytes(Communicator& communicator, const at::Tensor& bytes, int target, std::chrono::milliseconds timeout);
void receive_bytes(Communicator& communicator, const at::Tensor& bytes, int source, std::chrono::milliseconds timeout);

/// All ranks' `input`, one after the other, in `whole`; both are bytes.
void gather_bytes(
    Communicator& communicator,
    at::Tensor whole,
    at::Tensor input,
    std::chrono::milliseconds timeout);

} // namespace c10d::mccl
