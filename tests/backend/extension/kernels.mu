// Kernels that use what extensions use of torch_musa: guard, stream, checks, dispatch over half types, a fault.
#include <ATen/DeviceGuard.h>
#include <ATen/core/Tensor.h>
#include <ATen/Dispatch.h>
#include <torch/library.h>

#include "torch_musa/csrc/aten/musa/Exceptions.h"
#include "torch_musa/csrc/aten/musa/MUSAAtomic.muh"
#include "torch_musa/csrc/aten/musa/MUSAContext.h"
#include "torch_musa/csrc/core/MUSAException.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/MUSAStream.h"

#include "reductions.muh" // a source of its own would read PyTorch's headers once more for the host and once for the device

namespace {

template <typename scalar_t>
__global__ void scale_kernel(const scalar_t* x, scalar_t* y, float factor, int64_t n) {
  int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) {
    y[i] = static_cast<scalar_t>(static_cast<float>(x[i]) * factor);
  }
}

// Row sums, through the accessors that carry sizes and strides into a kernel by value.
template <typename scalar_t>
__global__ void row_sum_kernel(
    at::PackedTensorAccessor32<scalar_t, 2, at::RestrictPtrTraits> x,
    at::PackedTensorAccessor64<scalar_t, 1> y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < x.size(0)) {
    scalar_t sum = 0;
    for (int column = 0; column < x.size(1); ++column) {
      sum += x[row][column];
    }
    y[row] = sum;
  }
}

// A sum in two steps, as PyTorch's reductions do it: every warp by shuffles, then one thread over the warps' sums in
// `slots` slots of shared memory. outside counts the warps that found no free slot.
__global__ void block_sum_kernel(const float* x, float* sum, int* outside, int slots) {
  extern __shared__ float of_warp[];
  float value = x[threadIdx.x];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  const int warp = threadIdx.x / warpSize;
  if (threadIdx.x % warpSize == 0) {
    if (warp < slots) {
      of_warp[warp] = value;
    } else {
      at::musa::gpuAtomicAdd(outside, 1);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *sum = 0;
    for (int i = 0; i < slots; ++i) {
      *sum += of_warp[i];
    }
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

void launch_row_sum(const at::Tensor& x, const at::Tensor& y) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "row_sum", [&] {
    row_sum_kernel<scalar_t><<<(x.size(0) + 63) / 64, 64, 0, at::musa::getCurrentMUSAStream()>>>(
        x.packed_accessor32<scalar_t, 2, at::RestrictPtrTraits>(), y.packed_accessor64<scalar_t, 1>());
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

/// Shared memory is sized by what the host says of a warp.
void launch_block_sum(const at::Tensor& x, const at::Tensor& sum, const at::Tensor& outside, bool by_properties) {
  const int threads = static_cast<int>(x.numel());
  const int warp = by_properties ? at::musa::getCurrentDeviceProperties()->warpSize : at::musa::warp_size();
  const int slots = threads / warp;
  block_sum_kernel<<<1, threads, slots * sizeof(float), at::musa::getCurrentMUSAStream()>>>(
      x.const_data_ptr<float>(), sum.mutable_data_ptr<float>(), outside.mutable_data_ptr<int>(), slots);
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

int64_t c10_warp_size() {
  return C10_WARP_SIZE;
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
  m.def("launch_row_sum(Tensor x, Tensor(a!) y) -> ()", &launch_row_sum);
  m.def(
      "launch_block_sum(Tensor x, Tensor(a!) sum, Tensor(b!) outside, bool by_properties) -> ()", &launch_block_sum);
  m.def("c10_warp_size() -> int", &c10_warp_size);
  m.def("launch_too_many_threads(Tensor x) -> ()", &launch_too_many_threads);
  m.def("fault(Tensor x) -> ()", &fault);
}
