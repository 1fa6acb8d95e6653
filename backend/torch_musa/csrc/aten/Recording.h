#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/Device.h>

#include <functional>

// PyTorch's operators in a stream that is being captured into a graph. Their CPU kernels would run at once, and need
// values that do not exist yet; so the graph is given a job that runs them at each launch.
namespace at::musa {

/// True while the thread's current stream on `device` is captured.
bool is_captured(c10::Device device);

/// Return the tensor without its autograd history: a job may keep it.
at::Tensor frozen(const at::Tensor& tensor);

/// Makes `job` part of the graph. It may use device memory, and must not call the runtime.
void record_job(c10::Device device, const char* name, std::function<void()> job);

/// Makes the operator part of the graph and replaces the arguments on the stack by its results: musa tensors whose memory
/// each launch fills. PyTorch's meta kernel says of what shape they are. Throws, and names the operator, if only the
/// values could tell, or if an argument is to be resized.
void record_operator(const c10::OperatorHandle& op, torch::jit::Stack& stack, c10::Device device);

/// Throw an error that says why the operator cannot be captured.
[[noreturn]] void refuse_capture(const char* name, const char* reason);

} // namespace at::musa
