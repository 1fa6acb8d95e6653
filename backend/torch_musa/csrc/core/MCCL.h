#pragma once

#include <mccl.h>

#include <cstdint>

// PyTorch's torch/csrc/cuda/nccl.h, as far as torch_musa has it: what MCCL says of itself.
namespace torch::musa::mccl {

/// The three numbers of MCCL's version, as torch::cuda::nccl::version() packs them.
inline std::uint64_t version() {
  return (std::uint64_t{MCCL_MAJOR} << 32) | (std::uint64_t{MCCL_MINOR} << 16) | std::uint64_t{MCCL_PATCH};
}

inline const char* version_suffix() {
  return MCCL_SUFFIX;
}

} // namespace torch::musa::mccl
