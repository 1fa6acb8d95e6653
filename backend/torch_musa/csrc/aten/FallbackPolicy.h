#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <string>
#include <vector>

namespace at::musa {

/// What to do when an operator has no musa kernel and PyTorch's CPU kernel has to compute it (MUSA_FALLBACK).
enum class FallbackPolicy { Allow, Report, Warn, Error };

/// The policy that MUSA_FALLBACK names: allow (default), report, warn or error. Throws if it names another one.
FallbackPolicy fallback_policy();

/// What one operator left to the CPU.
struct FallbackCount {
  std::string name;
  uint64_t calls = 0;
  uint64_t bytes = 0; // of the tensors on the device that it was given
};

/// Counts a call that PyTorch's CPU kernel will compute. Warns or throws if the policy says so.
void note_fallback(const c10::OperatorName& name, c10::ArrayRef<c10::IValue> arguments);
void note_fallback(const c10::OperatorName& name, uint64_t bytes);

/// What has been counted since the process began, or since the last reset; most calls first.
std::vector<FallbackCount> fallback_counts();
void reset_fallback_counts();

/// Who computes an operator on a musa device.
enum class OperatorKind {
  Native, // a kernel of this backend
  Composite, // PyTorch's own code, which calls other operators
  Fallback, // PyTorch's CPU kernel, by the fallback
  Missing, // nobody: a call throws
};

/// Returns who computes an operator of PyTorch. The answer is static: it does not depend on arguments.
OperatorKind kind_of(const c10::OperatorHandle& op);

/// Notes that the fallback is registered for an operator by its name; kind_of() would take it for a kernel.
void note_lent(const std::string& name);

} // namespace at::musa
