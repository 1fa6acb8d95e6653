#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <string>
#include <vector>

namespace at::musa {

/// The policy when an operator has no musa kernel and PyTorch's CPU kernel has to compute it (MUSA_FALLBACK).
/// Prefer: the kernel library is not loaded, so that PyTorch's CPU kernels compute what they can; otherwise as Allow.
enum class FallbackPolicy { Allow, Report, Warn, Error, Prefer };

/// Return the policy of MUSA_FALLBACK: allow (default), report, warn, error or prefer. Throw for another name.
FallbackPolicy fallback_policy();

/// The calls of one operator that the CPU computed.
struct FallbackCount {
  std::string name;
  uint64_t calls = 0;
  uint64_t bytes = 0; // of the tensors on the device that it was given
  bool declared = false; // runs on the CPU on purpose
};

/// Counts a call that PyTorch's CPU kernel will compute. Warns or throws if the policy says so, unless the operator is
/// declared to run on the CPU.
void note_fallback(const c10::OperatorName& name, c10::ArrayRef<c10::IValue> arguments);
void note_fallback(const c10::OperatorName& name, uint64_t bytes);

/// Return the calls counted since the process began, or since the last reset; most calls first.
std::vector<FallbackCount> fallback_counts();
void reset_fallback_counts();

/// The implementation that computes an operator on a musa device.
enum class OperatorKind {
  Native, // a kernel of this backend
  Composite, // PyTorch's own code, which calls other operators
  Declared, // PyTorch's CPU kernel, on purpose
  Fallback, // PyTorch's CPU kernel, by the fallback
  Missing, // no implementation: a call throws
};

/// Return the implementation of an operator of PyTorch. It does not depend on arguments.
OperatorKind kind_of(const c10::OperatorHandle& op);

/// Registers a function that leaves an operator of this name to PyTorch's CPU kernels; it is no kernel for kind_of().
void register_cpu_fallback(const std::string& name, c10::KernelFunction function);

/// Unregister that function, before the kernel library registers a kernel.
void end_cpu_fallback(const std::string& name);

/// Notes that an operator runs on the CPU on purpose.
void note_declared(const c10::OperatorName& name);

} // namespace at::musa
