// Kernels that use what extensions use of torch_musa: guard, stream, checks, dispatch over half types, a fault.
#include <ATen/DeviceGuard.h>
#include <ATen/core/Tensor.h>
#include <ATen/Dispatch.h>
#include <torch/library.h>

#include "torch_musa/csrc/aten/musa/Exceptions.h"
#include "torch_musa/csrc/aten/musa/MUSAContext.h"
#include "torch_musa/csrc/core/MUSAException.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/MUSAStream.h"

namespace {

template <typename scalar_t>
__global__ void scale_kernel(const scalar_t* x, scalar_t* y, float factor, int64_t n) {
  int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) {
    y[i] = static_cast<scalar_t>(static_cast<float>(x[i]) * factor);
  }
}

__global__ void fault_kernel(int* nowhere) {
  *nowhere = 1;
}

void launch_scale(const at::Tensor& x, const at::Tensor& y, double factor) {
  const at::musa::OptionalMUSAGuard guard(at::device_of(x));
  const int64_t n = x.numel();
  if (n == 0) {
    return;
  }
  musaStream_t stream = at::musa::getCurrentMUSAStream();
  const int threads = 256;
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "scale", [&] {
    scale_kernel<scalar_t><<<(n + threads - 1) / threads, threads, 0, stream>>>(
        x.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), static_cast<float>(factor), n);
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

void launch_too_many_threads(const at::Tensor& x) {
  scale_kernel<float><<<1, 4096>>>(x.const_data_ptr<float>(), nullptr, 1.0f, 0);
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

void fault(const at::Tensor& x) {
  c10::musa::MUSAGuard guard(x.device());
  fault_kernel<<<1, 1, 0, c10::musa::getCurrentMUSAStream()>>>(reinterpret_cast<int*>(8));
  AT_MUSA_CHECK(musaGetLastError());
}

} // namespace

TORCH_LIBRARY_FRAGMENT(musa_probe, m) {
  m.def("launch_scale(Tensor x, Tensor(a!) y, float factor) -> ()", &launch_scale);
  m.def("launch_too_many_threads(Tensor x) -> ()", &launch_too_many_threads);
  m.def("fault(Tensor x) -> ()", &fault);
}
