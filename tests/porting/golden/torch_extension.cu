#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAApplyUtils.cuh>
#include <c10/cuda/CUDAGuard.h>
#include "torch_extension_helper.cuh"

#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor")

#ifdef WITH_CUDA
at::Tensor forward(const at::Tensor& x) {
    CHECK_CUDA(x);
    TORCH_CHECK(x->is_cuda() && foo_cuda(x));
    at::cuda::CUDAGuard guard(x.device());
    const c10::cuda::OptionalCUDAGuard optional(at::device_of(x));
    auto stream = at::cuda::getCurrentCUDAStream();
    auto options = at::TensorOptions().device(at::kCUDA).dtype(torch::kFloat);
    torch::Device device("cuda:0");
    auto zeros = at::zeros({1}, options.device(c10::DeviceType::CUDA, 0));
    AT_CUDA_CHECK(cudaGetLastError());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    TORCH_CUDABLAS_CHECK(status);
    switch (x.device().type()) {
        case c10::DeviceType::CUDA: break;
        case at::kCPU: break;
    }
    CUDA_KERNEL_LOOP(i, n) {}
    return zeros;
}
#endif

TORCH_LIBRARY_IMPL(mylib, CUDA, m) { m.impl("forward", &forward); }
TORCH_LIBRARY_IMPL(mylib, AutogradCUDA, m) { m.impl("forward", &forward); }
REGISTER_DEVICE_IMPL(forward_impl, CUDA, forward);
