// Runs every operator that has no musa kernel of its own with PyTorch's CPU kernel, on device memory itself.

#include "torch_musa/csrc/aten/CpuAliases.h"
#include "torch_musa/csrc/aten/CpuGenerator.h"
#include "torch_musa/csrc/aten/DeclaredOperators.h"
#include "torch_musa/csrc/aten/DeviceMemoryForCpu.h"
#include "torch_musa/csrc/aten/FallbackPolicy.h"
#include "torch_musa/csrc/aten/IValues.h"
#include "torch_musa/csrc/aten/OperatorActivity.h"
#include "torch_musa/csrc/aten/Recording.h"
#include "torch_musa/csrc/aten/musa/MUSAGeneratorImpl.h"
#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGraphsC10Utils.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/SyncDebugMode.h"
#include "torch_musa/csrc/core/TorchVersion.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/record_function.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace at::musa {

namespace {

using c10::IValue;
using c10::OperatorHandle;
using torch::jit::Stack;

/// Operators that also take tensors in host memory: indices, lengths that only the host looks at, copies.
bool accepts_host_operands(const c10::OperatorName& name) {
  static constexpr std::array<std::string_view, 9> names = {
      "aten::index", "aten::index_put_", "aten::_index_put_impl_", "aten::_unsafe_index",
      "aten::_unsafe_index_put", "aten::_pack_padded_sequence", "aten::_ctc_loss", "aten::is_set_to",
      "aten::copy_sparse_to_sparse_"};
  return std::find(names.begin(), names.end(), name.name) != names.end();
}

/// The musa device that an operator works on. Throws, as a GPU's kernels do, if its operands are spread over
/// several devices; a 0-dimensional CPU tensor counts as a number.
c10::Device device_of_operands(const OperatorHandle& op, c10::ArrayRef<IValue> arguments) {
  std::optional<c10::Device> device;
  std::optional<c10::Device> stranger;
  auto look_at = [&](const at::Tensor& tensor) {
    if (tensor.device().type() == kMUSA) {
      if (!device) {
        device = tensor.device();
      } else if (*device != tensor.device()) {
        stranger = tensor.device();
      }
    } else if (tensor.dim() > 0 && !accepts_host_operands(op.operator_name())) {
      stranger = tensor.device();
    }
  };
  for (const IValue& argument : arguments) {
    for_each_tensor(argument, look_at);
  }
  TORCH_CHECK(
      !device || !stranger,
      "Expected all tensors to be on the same device, but found at least two devices, ", *device, " and ",
      *stranger, "! (in ", op.operator_name(), ")");
  if (device) {
    return *device;
  }
  for (const IValue& argument : arguments) {
    if (argument.isDevice() && argument.toDevice().has_index()) {
      return argument.toDevice();
    }
  }
  return c10::Device(kMUSA, c10::musa::current_device());
}

/// Throws if there is no CPU kernel to stand in. Only PyTorch's own operators have that fallback: an operator of
/// another library that lacks a musa kernel would fail on the hardware, so it fails here too.
void require_cpu_kernel(const OperatorHandle& op, c10::DispatchKey key) {
  std::optional<std::string_view> library = c10::musa::library_of(op.operator_name());
  TORCH_CHECK_NOT_IMPLEMENTED(
      library && (*library == "aten" || *library == "prims"),
      "Could not run '", op.operator_name(), "' with arguments from the 'musa' backend: the library that "
      "defines the operator registers no kernel for PrivateUse1 (musa)");
  TORCH_CHECK_NOT_IMPLEMENTED(
      op.hasComputedKernelForDispatchKey(key),
      "Could not run '", op.operator_name(), "' on the simulated musa device: PyTorch has no CPU kernel for it");
}

/// Throws, as everywhere in PyTorch, if a generator is given that is not the operator's device's.
void require_generator_of(c10::DeviceType wanted, c10::ArrayRef<IValue> arguments) {
  for (const IValue& argument : arguments) {
    if (argument.isGenerator() && argument.toGenerator().defined()) {
      const c10::DeviceType found = argument.toGenerator().device().type();
      TORCH_CHECK(
          found == wanted, "Expected a '", wanted, "' device type for generator but found '", found, "'");
    }
  }
}

/// True if an operator works on the CPU and came here only because its generator is a musa device's.
bool works_on_cpu(c10::ArrayRef<IValue> arguments) {
  bool cpu = false;
  bool musa = false;
  auto note = [&](c10::Device device) { (device.type() == kMUSA ? musa : cpu) = true; };
  for (const IValue& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) { note(tensor.device()); });
    if (argument.isDevice()) {
      note(argument.toDevice());
    }
  }
  return cpu && !musa;
}

/// Return whether the host needs an operator's values to continue: a GPU's kernels would wait for the stream there.
bool synchronizes(const OperatorHandle& op) {
  return op.hasTag(at::Tag::data_dependent_output) || op.hasTag(at::Tag::dynamic_output_shape);
}

/// Runs the operator with its kernel for `key`, one of the CPU's.
void run_with_kernel_of(c10::DispatchKey key, const OperatorHandle& op, Stack* stack) {
  require_cpu_kernel(op, key);
  const c10::FunctionSchema& schema = op.schema();
  const size_t first = stack->size() - schema.arguments().size();
  const c10::ArrayRef<IValue> arguments(stack->data() + first, schema.arguments().size());
  const bool on_cpu = works_on_cpu(arguments);
  require_generator_of(on_cpu ? c10::DeviceType::CPU : kMUSA, arguments);
  const c10::Device device = device_of_operands(op, arguments);

  if (!on_cpu) {
    note_fallback(op.operator_name(), arguments);
  }
  c10::musa::MUSAGuard guard(device);
  if (C10_UNLIKELY(!on_cpu && is_captured(device))) {
    if (key != c10::DispatchKey::CPU) {
      refuse_capture(op.operator_name().name.c_str(), "operators of sparse tensors are not recorded");
    }
    record_operator(op, *stack, device);
    return;
  }
  // A copy to the device would be a call that a capture in another thread forbids; on a GPU there is none.
  const c10::musa::MUSAStreamCaptureModeGuard allowed(musaStreamCaptureModeRelaxed);
  std::optional<OperatorActivity> activity;
  if (!on_cpu) {
    if (c10::musa::sync_debug_mode() != c10::musa::SyncDebugMode::Ignore && synchronizes(op)) {
      c10::musa::warn_or_error_on_sync();
    }
    activity.emplace(op.operator_name().name.c_str(), device);
  }
  wait_for_current_stream(device);
  DeviceMemoryGuard in_device_memory;

  // Some kernels (_sparse_mm_reduce_impl) return tensors that only their gradient needs, if an operand requires one.
  // Autograd does not record their calls.
  const bool differentiates = at::GradMode::is_enabled();
  const at::AutoDispatchBelowADInplaceOrView without_graph;
  CpuAliases aliases;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    IValue& value = (*stack)[first + i];
    if (value.isDevice() && value.toDevice().type() == kMUSA) {
      value = c10::Device(c10::DeviceType::CPU);
    } else if (at::Generator generator = musa_generator(schema.arguments()[i], value, device);
               generator.defined()) {
      value = cpu_generator(generator);
    } else {
      value = map_tensors(value, [&](const at::Tensor& tensor) {
        const at::Tensor alias = aliases.alias(tensor);
        if (differentiates && alias.defined() && tensor.requires_grad()) {
          alias.unsafeGetTensorImpl()->set_requires_grad(true);
        }
        return alias;
      });
    }
  }

  if (activity) {
    activity->begin();
  }
  {
    at::RecordFunctionGuard unrecorded(/*is_enabled=*/false); // a GPU's kernel would not make these calls
    op.redispatchBoxed(c10::DispatchKeySet(key), stack);
  }
  activity.reset();

  aliases.write_back();
  for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i) {
    IValue& value = (*stack)[i];
    const size_t holders = value.isTensor() ? 1 : 2; // map_tensors copies a list
    value = map_tensors(
        value, [&](const at::Tensor& result) { return aliases.unalias(result, device, holders); });
  }
}

void run_on_cpu(const OperatorHandle& op, Stack* stack) {
  run_with_kernel_of(c10::DispatchKey::CPU, op, stack);
}

void run_sparse_on_cpu(const OperatorHandle& op, Stack* stack) {
  run_with_kernel_of(c10::DispatchKey::SparseCPU, op, stack);
}

void run_sparse_csr_on_cpu(const OperatorHandle& op, Stack* stack) {
  run_with_kernel_of(c10::DispatchKey::SparseCsrCPU, op, stack);
}

/// Registers a CPU fallback for every operator of PyTorch that has a kernel for `key`. The fallback of the key alone is
/// not enough: many have a kernel for all devices besides, which says that the tensor is not sparse.
void register_cpu_fallbacks(torch::Library& library, c10::DispatchKey key, torch::CppFunction (*fallback)()) {
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    const std::optional<OperatorHandle> op = dispatcher.findOp(name);
    if (c10::musa::library_of(name) == "aten" && op && op->hasKernelForDispatchKey(key)) {
      library.impl(toString(name).c_str(), fallback());
    }
  }
}

} // namespace

TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, m) {
  register_cpu_fallbacks(m, c10::DispatchKey::SparseCPU, [] {
    return torch::CppFunction::makeFromBoxedFunction<&run_sparse_on_cpu>();
  });
}

TORCH_LIBRARY_IMPL(aten, SparseCsrPrivateUse1, m) {
  register_cpu_fallbacks(m, c10::DispatchKey::SparseCsrCPU, [] {
    return torch::CppFunction::makeFromBoxedFunction<&run_sparse_csr_on_cpu>();
  });
}

TORCH_LIBRARY_IMPL(_, SparsePrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_sparse_on_cpu>());
}

TORCH_LIBRARY_IMPL(_, SparseCsrPrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_sparse_csr_on_cpu>());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>());
}

namespace {

// For a device without kernels of these, PyTorch has substitutes that come before the fallback. Those of the norms
// and of addr round at other steps than the CPU kernels, those of the losses warn about a resized output.
[[maybe_unused]] const bool registers_fallbacks = [] {
  for (const char* function :
       {"native_layer_norm", "native_group_norm", "addr", "addr.out", "mse_loss", "smooth_l1_loss"}) {
    register_cpu_fallback(std::string("aten::") + function, c10::KernelFunction::makeFromBoxedFunction<&run_on_cpu>());
  }
  return true;
}();

} // namespace

// Operators that the project declares for the CPU.
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  for (const std::string name : kDeclaredOperators) {
    const size_t dot = std::min(name.find('.'), name.size());
    const c10::OperatorName full("aten::" + name.substr(0, dot), name.substr(std::min(dot + 1, name.size())));
    if (c10::Dispatcher::singleton().findSchema(full)) { // an older PyTorch may lack it
      note_declared(full);
      m.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>());
    }
  }
}

} // namespace at::musa
