#pragma once

#include "torch_musa/csrc/core/Device.h"
#include "torch_musa/csrc/core/TorchVersion.h"

#include <ATen/Context.h>
#include <torch/csrc/utils/device_lazy_init.h>

#include <pthread.h>

namespace torch_musa {

/// Initializes PyTorch's part of the device: without it, PyTorch takes no memory for pinned.
inline void init_device_of_context() {
#if TORCH_MUSA_TORCH_AT_LEAST(2, 6)
  at::globalContext().lazyInitDevice(c10::musa::kMUSA);
#else
  at::globalContext().lazyInitPrivateUse1();
#endif
}

#if TORCH_MUSA_TORCH_AT_LEAST(2, 8)

/// Lets a forked child, in which the device cannot be used, ask torch.musa for it again, and so report an error.
inline void register_fork_handler() {
  torch::utils::register_fork_handler_for_device_init(c10::musa::kMUSA);
}

inline bool is_in_bad_fork() {
  return torch::utils::is_device_in_bad_fork(c10::musa::kMUSA);
}

#else // older releases have this for CUDA alone

inline bool in_bad_fork = false;

inline void register_fork_handler() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    in_bad_fork = true;
    torch::utils::set_requires_device_init(c10::musa::kMUSA, true);
  });
  (void)registered;
}

inline bool is_in_bad_fork() {
  return in_bad_fork;
}

#endif

} // namespace torch_musa
