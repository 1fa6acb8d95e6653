#pragma once

#include <ATen/core/Generator.h>

namespace at::musa {

/// A CPU generator for one call of a PyTorch operator, whose CPU kernel knows no other.
///
/// Its numbers are determined by the seed and the offset of `generator`, a musa one, and the call takes one Philox
/// block of that: so seeds, states and offsets mean the same for PyTorch's operators and for kernels. The numbers are
/// not those that the operators draw on a GPU.
at::Generator cpu_generator(at::Generator generator);

} // namespace at::musa
