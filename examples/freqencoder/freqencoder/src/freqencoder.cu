#include "freqencoder.h"

#include <algorithm>

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#define CHECK_INPUT(x)                                                    \
    TORCH_CHECK(x.device().is_cuda(), #x " must be on the GPU");          \
    TORCH_CHECK(x.is_contiguous(), #x " must be contiguous");             \
    TORCH_CHECK(x.dim() == 2, #x " must have two dimensions, not ", x.dim())

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int64_t kMaxBlocks = 65535;

unsigned int blocks_for(int64_t count) {
    const int64_t blocks = (count + kThreadsPerBlock - 1) / kThreadsPerBlock;
    return static_cast<unsigned int>(std::min(blocks, kMaxBlocks));
}

// One thread handles one element of `inputs` at a time. Multiplying by a power of two is exact, so the argument of sin and
// cos carries no error beyond the rounding of x itself.
template <typename scalar_t>
__global__ void encode_kernel(
    const scalar_t* __restrict__ inputs,
    scalar_t* __restrict__ outputs,
    int64_t count,
    int64_t dim,
    int64_t degree) {
    using compute_t = at::opmath_type<scalar_t>;
    const int64_t channels = dim * (1 + 2 * degree);
    const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        scalar_t* output = outputs + (i / dim) * channels + i % dim;
        compute_t angle = static_cast<compute_t>(inputs[i]);
        *output = inputs[i];
        for (int64_t k = 0; k < degree; ++k) {
            output += dim;
            *output = static_cast<scalar_t>(sin(angle));
            output += dim;
            *output = static_cast<scalar_t>(cos(angle));
            angle *= 2;
        }
    }
}

template <typename scalar_t>
__global__ void encode_backward_kernel(
    const scalar_t* __restrict__ grad_outputs,
    const scalar_t* __restrict__ inputs,
    scalar_t* __restrict__ grad_inputs,
    int64_t count,
    int64_t dim,
    int64_t degree) {
    using compute_t = at::opmath_type<scalar_t>;
    const int64_t channels = dim * (1 + 2 * degree);
    const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        const scalar_t* grad = grad_outputs + (i / dim) * channels + i % dim;
        const compute_t x = static_cast<compute_t>(inputs[i]);
        compute_t sum = static_cast<compute_t>(*grad);
        compute_t frequency = 1;
        for (int64_t k = 0; k < degree; ++k) {
            grad += dim;
            const compute_t grad_sin = static_cast<compute_t>(*grad);
            grad += dim;
            const compute_t grad_cos = static_cast<compute_t>(*grad);
            sum += frequency * (grad_sin * cos(frequency * x) - grad_cos * sin(frequency * x));
            frequency *= 2;
        }
        grad_inputs[i] = static_cast<scalar_t>(sum);
    }
}

}  // namespace

at::Tensor encode(const at::Tensor& inputs, int64_t degree) {
    CHECK_INPUT(inputs);
    TORCH_CHECK(degree >= 0, "degree must not be negative, but is ", degree);
    const c10::cuda::CUDAGuard guard(inputs.device());

    const int64_t dim = inputs.size(1);
    at::Tensor outputs = at::empty({inputs.size(0), dim * (1 + 2 * degree)}, inputs.options());
    const int64_t count = inputs.numel();
    if (count == 0) {
        return outputs;
    }
    const auto stream = at::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(inputs.scalar_type(), "freqencoder encode", [&] {
        encode_kernel<scalar_t><<<blocks_for(count), kThreadsPerBlock, 0, stream>>>(
            inputs.const_data_ptr<scalar_t>(), outputs.mutable_data_ptr<scalar_t>(), count, dim, degree);
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return outputs;
}

at::Tensor encode_backward(const at::Tensor& grad_outputs, const at::Tensor& inputs, int64_t degree) {
    CHECK_INPUT(grad_outputs);
    CHECK_INPUT(inputs);
    TORCH_CHECK(degree >= 0, "degree must not be negative, but is ", degree);
    TORCH_CHECK(grad_outputs.device() == inputs.device(), "grad_outputs and inputs must be on the same device");
    TORCH_CHECK(grad_outputs.scalar_type() == inputs.scalar_type(), "grad_outputs and inputs must have the same type");
    const int64_t dim = inputs.size(1);
    TORCH_CHECK(
        grad_outputs.size(0) == inputs.size(0) && grad_outputs.size(1) == dim * (1 + 2 * degree),
        "grad_outputs must have the shape that encode returned, but is ",
        grad_outputs.sizes());
    const c10::cuda::CUDAGuard guard(inputs.device());

    at::Tensor grad_inputs = at::empty_like(inputs);
    const int64_t count = inputs.numel();
    if (count == 0) {
        return grad_inputs;
    }
    const auto stream = at::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(inputs.scalar_type(), "freqencoder encode_backward", [&] {
        encode_backward_kernel<scalar_t><<<blocks_for(count), kThreadsPerBlock, 0, stream>>>(
            grad_outputs.const_data_ptr<scalar_t>(),
            inputs.const_data_ptr<scalar_t>(),
            grad_inputs.mutable_data_ptr<scalar_t>(),
            count,
            dim,
            degree);
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return grad_inputs;
}
