#include "torch_musa/csrc/aten/Recording.h"

#include "torch_musa/csrc/aten/CpuAliases.h"
#include "torch_musa/csrc/aten/CpuGenerator.h"
#include "torch_musa/csrc/aten/DeviceMemoryForCpu.h"
#include "torch_musa/csrc/aten/IValues.h"
#include "torch_musa/csrc/core/MUSAException.h"
#include "torch_musa/csrc/core/MUSAGraphsC10Utils.h"
#include "torch_musa/csrc/core/MUSAStream.h"

#include <ATen/ThreadLocalState.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/record_function.h>

#include <musa_sim_work.h>

#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace at::musa {

namespace {

using c10::IValue;
using c10::OperatorHandle;
using torch::jit::Stack;

/// Meta tensors in place of musa ones, and back.
class MetaTensors {
 public:
  at::Tensor meta(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.device().type() != kMUSA) {
      return tensor;
    }
    for (const Pair& pair : pairs_) {
      if (pair.original.is_same(tensor)) {
        return pair.meta;
      }
    }
    at::Tensor made = at::empty_strided(
        tensor.sizes(), tensor.strides(), tensor.options().device(c10::DeviceType::Meta).requires_grad(false));
    made._set_conj(tensor.is_conj());
    made._set_neg(tensor.is_neg());
    pairs_.push_back({tensor, made});
    return made;
  }

  /// The musa tensor for a result: an argument, a view of one, or a new one.
  at::Tensor musa(const at::Tensor& result, c10::Device device) const {
    if (!result.defined() || result.device().type() != c10::DeviceType::Meta) {
      return result;
    }
    for (const Pair& pair : pairs_) {
      if (pair.meta.is_same(result)) {
        return pair.original;
      }
      if (pair.meta.storage().is_alias_of(result.storage())) {
        return at::as_strided(
            pair.original, result.sizes(), result.strides(),
            result.storage_offset() + pair.original.storage_offset());
      }
    }
    return at::empty_strided(result.sizes(), result.strides(), result.options().device(device));
  }

  bool is_argument(const at::Tensor& original) const {
    for (const Pair& pair : pairs_) {
      if (pair.original.storage().is_alias_of(original.storage())) {
        return true;
      }
    }
    return false;
  }

  bool any_resized() const {
    for (const Pair& pair : pairs_) {
      if (pair.meta.sizes() != pair.original.sizes() || pair.meta.strides() != pair.original.strides()) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Pair {
    at::Tensor original;
    at::Tensor meta;
  };
  std::vector<Pair> pairs_;
};

/// An operator with the arguments that it has in each launch. The aliases keep the memory alive.
struct Job {
  OperatorHandle op;
  c10::Device device;
  CpuAliases aliases;
  Stack arguments; // aliases in place of musa tensors
  std::vector<std::pair<size_t, at::Generator>> generators;
  std::vector<std::vector<at::Tensor>> results; // aliases of new tensors to copy into, by the number of the result

  void run() {
    const at::AutoDispatchBelowADInplaceOrView without_autograd;
    const at::NoGradGuard no_grad;
    Stack stack = arguments;
    for (auto& [index, generator] : generators) {
      stack[index] = cpu_generator(generator);
    }
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack);
    for (size_t i = 0; i < results.size(); ++i) {
      size_t next = 0;
      map_tensors(stack[i], [&](const at::Tensor& made) {
        if (const at::Tensor& target = results[i][next++]; target.defined()) {
          target.copy_(made);
        }
        return made;
      });
    }
  }
};

/// The results' shapes, by the operator's meta kernel; `metas` maps tensors to their meta tensors.
Stack results_by_meta(const OperatorHandle& op, const Stack& stack, MetaTensors& metas) {
  const char* name = op.operator_name().name.c_str();
  for (const c10::Argument& result : op.schema().returns()) {
    const c10::TypeKind kind = result.type()->kind();
    if (kind != c10::TypeKind::TensorType && kind != c10::TypeKind::ListType) {
      refuse_capture(name, "the host would have to know its result");
    }
  }
  if (!op.hasComputedKernelForDispatchKey(c10::DispatchKey::Meta)) {
    refuse_capture(name, "PyTorch cannot tell the shape of its results beforehand");
  }
  const size_t count = op.schema().arguments().size();
  Stack meta_stack;
  for (size_t i = stack.size() - count; i < stack.size(); ++i) {
    IValue value = map_tensors(stack[i], [&](const at::Tensor& tensor) { return metas.meta(tensor); });
    if (value.isDevice() && value.toDevice().type() == kMUSA) {
      value = c10::Device(c10::DeviceType::Meta);
    } else if (value.isGenerator()) {
      value = IValue();
    }
    meta_stack.push_back(std::move(value));
  }
  try {
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::Meta), &meta_stack);
  } catch (const c10::NotImplementedError&) {
    refuse_capture(name, "PyTorch cannot tell the shape of its results beforehand");
  } catch (const c10::Error&) {
    throw; // the arguments are wrong, and it says how
  } catch (const std::exception&) {
    // A meta kernel in Python raised something: nonzero's does, for which there is no type here.
    refuse_capture(name, "PyTorch cannot tell the shape of its results beforehand");
  }
  if (metas.any_resized()) {
    refuse_capture(name, "it would resize an argument; give `out` the right shape");
  }
  return meta_stack;
}

/// Return the thread state that a new thread has: no modes, no autocast, no gradients.
const at::ThreadLocalState& fresh_state() {
  static const auto& state = *[] {
    at::ThreadLocalState* made = nullptr;
    std::thread([&made] { made = new at::ThreadLocalState(); }).join();
    return made; // leaked: a graph may be launched while static objects end
  }();
  return state;
}

} // namespace

bool is_captured(c10::Device device) {
  musaStreamCaptureStatus status = musaStreamCaptureStatusNone;
  // An error means the default stream beside a capture, whose work the runtime will refuse.
  C10_MUSA_IGNORE_ERROR(musaStreamIsCapturing(c10::musa::getCurrentMUSAStream(device.index()), &status));
  return status == musaStreamCaptureStatusActive;
}

at::Tensor frozen(const at::Tensor& tensor) {
  if (!tensor.defined()) {
    return tensor;
  }
  const at::AutoDispatchBelowADInplaceOrView without_autograd;
  return tensor.detach();
}

void refuse_capture(const char* name, const char* reason) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, name, " cannot be captured into a graph on the simulated musa device: ", reason);
}

void record_job(c10::Device device, const char* name, std::function<void()> job) {
  using Function = std::function<void()>;
  // A thread that waits for the stream runs the stream's work, in the middle of its own.
  auto owned = std::make_unique<Function>([state = &fresh_state(), job = std::move(job)] {
    const at::ThreadLocalStateGuard as_on_a_thread_of_its_own(*state);
    const at::RecordFunctionGuard unrecorded(/*is_enabled=*/false); // a GPU's kernel would not make these calls
    const DeviceMemoryGuard in_host_memory(/*active=*/false); // no work of a stream may allocate
    job();
  });
  C10_MUSA_CHECK(static_cast<musaError_t>(__musa_sim_launch_library_work(
      c10::musa::getCurrentMUSAStream(device.index()).stream(),
      [](void* data) { (*static_cast<Function*>(data))(); }, [](void* data) { delete static_cast<Function*>(data); },
      owned.get(), name)));
  owned.release();
}

void record_operator(const OperatorHandle& op, Stack& stack, c10::Device device) {
  MetaTensors metas;
  const Stack shapes = results_by_meta(op, stack, metas);
  const c10::FunctionSchema& schema = op.schema();
  const size_t first = stack.size() - schema.arguments().size();

  auto job = std::make_shared<Job>(Job{op, device, {}, {}, {}, {}});
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    IValue value = stack[first + i];
    if (value.isDevice() && value.toDevice().type() == kMUSA) {
      value = c10::Device(c10::DeviceType::CPU);
    } else if (at::Generator generator = musa_generator(schema.arguments()[i], value, device); generator.defined()) {
      job->generators.emplace_back(i, generator);
    } else {
      value = map_tensors(value, [&](const at::Tensor& tensor) { return job->aliases.alias(frozen(tensor)); });
    }
    job->arguments.push_back(std::move(value));
  }

  Stack results;
  for (const IValue& shape : shapes) {
    std::vector<at::Tensor> targets;
    results.push_back(map_tensors(shape, [&](const at::Tensor& meta) {
      at::Tensor made = metas.musa(meta, device);
      const bool is_new = made.defined() && !metas.is_argument(made);
      targets.push_back(is_new ? job->aliases.alias(frozen(made)) : at::Tensor());
      return made;
    }));
    job->results.push_back(std::move(targets));
  }
  record_job(device, op.operator_name().name.c_str(), [job] { job->run(); });
  torch::jit::drop(stack, schema.arguments().size());
  stack.insert(stack.end(), results.begin(), results.end());
}

} // namespace at::musa
