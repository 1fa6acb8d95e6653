#include "torch_musa/csrc/aten/FallbackPolicy.h"

#include "torch_musa/csrc/aten/IValues.h"
#include "torch_musa/csrc/core/Device.h"

#include <c10/util/Exception.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace at::musa {

namespace {

constexpr const char* kVariable = "MUSA_FALLBACK";

struct Counted {
  uint64_t calls = 0;
  uint64_t bytes = 0;
};

/// The counted calls. Leaked: kernels run, and the report is printed, while static objects end.
struct Counters {
  std::mutex mutex;
  std::unordered_map<c10::OperatorName, Counted> counted;
};

Counters& counters() {
  static auto& kept = *new Counters();
  return kept;
}

/// The kernels that register_cpu_fallback() has registered, by operator; never destroyed, because the dispatcher may be
/// destroyed first.
std::map<std::string, c10::RegistrationHandleRAII>& cpu_fallbacks() {
  static auto& registrations = *new std::map<std::string, c10::RegistrationHandleRAII>();
  return registrations;
}

std::unordered_set<c10::OperatorName>& declared() {
  static auto& names = *new std::unordered_set<c10::OperatorName>();
  return names;
}

FallbackPolicy read_policy() {
  const char* given = std::getenv(kVariable);
  const std::string_view value = given == nullptr ? "" : given;
  if (value.empty() || value == "allow") {
    return FallbackPolicy::Allow;
  }
  if (value == "report") {
    return FallbackPolicy::Report;
  }
  if (value == "warn") {
    return FallbackPolicy::Warn;
  }
  if (value == "prefer") {
    return FallbackPolicy::Prefer;
  }
  TORCH_CHECK_VALUE(
      value == "error", kVariable, " is '", std::string(value),
      "', but must be one of allow, report, warn, error, prefer");
  return FallbackPolicy::Error;
}

void print_report() {
  const std::vector<FallbackCount> counts = fallback_counts();
  uint64_t calls = 0;
  for (const FallbackCount& count : counts) {
    calls += count.calls;
  }
  std::fprintf(
      stderr, "musa: PyTorch's CPU kernels computed %llu calls of %zu operators (%s=report)\n",
      static_cast<unsigned long long>(calls), counts.size(), kVariable);
  for (const FallbackCount& count : counts) {
    std::fprintf(
        stderr, "%10llu calls %14llu bytes  %s%s\n", static_cast<unsigned long long>(count.calls),
        static_cast<unsigned long long>(count.bytes), count.name.c_str(), count.declared ? " (on purpose)" : "");
  }
}

/// Adds a call; true if it is the operator's first.
bool count(const c10::OperatorName& name, uint64_t bytes) {
  Counters& all = counters();
  const std::lock_guard lock(all.mutex);
  Counted& counted = all.counted[name];
  counted.bytes += bytes;
  return counted.calls++ == 0;
}

} // namespace

FallbackPolicy fallback_policy() {
  static const FallbackPolicy policy = read_policy();
  return policy;
}

void note_fallback(const c10::OperatorName& name, uint64_t bytes) {
  const FallbackPolicy policy = fallback_policy();
  const bool on_purpose = declared().count(name) != 0;
  TORCH_CHECK_NOT_IMPLEMENTED(
      on_purpose || policy != FallbackPolicy::Error, "Could not run '", name, "' with arguments from the 'musa' backend: there is no "
      "musa kernel of it, and ", kVariable, "=error forbids PyTorch's CPU kernel to stand in");
  if (policy == FallbackPolicy::Report) {
    [[maybe_unused]] static const int registered = std::atexit(print_report);
  }
  if (count(name, bytes) && policy == FallbackPolicy::Warn && !on_purpose) {
    TORCH_WARN(
        name, " has no musa kernel: PyTorch's CPU kernel computes it (", kVariable, "=warn; said once per operator)");
  }
}

void note_fallback(const c10::OperatorName& name, c10::ArrayRef<c10::IValue> arguments) {
  uint64_t bytes = 0;
  for (const c10::IValue& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      if (tensor.device().type() == kMUSA && tensor.layout() == at::kStrided) {
        bytes += tensor.nbytes();
      }
    });
  }
  note_fallback(name, bytes);
}

std::vector<FallbackCount> fallback_counts() {
  std::vector<FallbackCount> found;
  Counters& all = counters();
  {
    const std::lock_guard lock(all.mutex);
    for (const auto& [name, counted] : all.counted) {
      found.push_back({c10::toString(name), counted.calls, counted.bytes, declared().count(name) != 0});
    }
  }
  std::sort(found.begin(), found.end(), [](const FallbackCount& a, const FallbackCount& b) {
    return a.calls != b.calls ? a.calls > b.calls : a.name < b.name;
  });
  return found;
}

void reset_fallback_counts() {
  Counters& all = counters();
  const std::lock_guard lock(all.mutex);
  all.counted.clear();
}

OperatorKind kind_of(const c10::OperatorHandle& op) {
  if (declared().count(op.operator_name()) != 0) {
    return OperatorKind::Declared;
  }
  if (op.hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1)) {
    const bool is_fallback = cpu_fallbacks().count(c10::toString(op.operator_name())) != 0;
    return is_fallback ? OperatorKind::Fallback : OperatorKind::Native;
  }
  for (c10::DispatchKey key :
       {c10::DispatchKey::CompositeExplicitAutogradNonFunctional, c10::DispatchKey::CompositeExplicitAutograd,
        c10::DispatchKey::CompositeImplicitAutograd}) {
    if (op.hasKernelForDispatchKey(key)) {
      return OperatorKind::Composite;
    }
  }
  return op.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU) ? OperatorKind::Fallback : OperatorKind::Missing;
}

void register_cpu_fallback(const std::string& name, c10::KernelFunction function) {
  cpu_fallbacks().emplace(
      name,
      c10::Dispatcher::singleton().registerImpl(
          torch::jit::parseName(name), c10::DispatchKey::PrivateUse1, std::move(function), std::nullopt, nullptr,
          "torch_musa's fallback"));
}

void end_cpu_fallback(const std::string& name) {
  cpu_fallbacks().erase(name);
}

void note_declared(const c10::OperatorName& name) {
  declared().insert(name);
}

} // namespace at::musa
