#include <torch/extension.h>
#include <ATen/cuda/CUDABlas.h>
#include <ATen/cuda/detail/TensorInfo.cuh>
#include <THC/THCAtomics.cuh>
#include <c10/cuda/impl/CUDAGuardImpl.h>

at::Tensor on_device(at::Tensor x) {
    if (x.is_cuda() || x -> is_cuda ()) x = x.cuda();
    auto a = torch::zeros({1}, torch::TensorOptions().device(torch::kCUDA, 0));
    auto b = torch::Device("cuda"); auto c = at::Device{"cuda:1"}; auto d = torch::device("cuda");
    c10::Device e(at::DeviceType::CUDA, 0); f(c10::kCUDA); g(kCUDA); h(c10::Backend::CUDA);
    switch (x.device().type()) {
        case torch::kCUDA: return a;
        case at::DeviceType::CUDA: return b;
        default: return x.to("cuda");
    }
}
auto key = c10::DispatchKey::AutogradCUDA; auto sparse = c10::DispatchKey::SparseCUDA; auto k = c10::DispatchKey::CUDA;
TORCH_LIBRARY_IMPL(ops, CUDA, m) { m.impl("f", c10::DispatchKey::CUDA, f); }
TORCH_LIBRARY_IMPL(ops, AutocastCUDA, m) {}
auto parsed = c10::parseDispatchKey("CUDA");
#define REGISTER(name, device) register_it(#name, at::k##device)
REGISTER(f, CUDA)
void streams(c10::cuda::CUDAStream s) {
    c10::cuda::CUDAStreamGuard guard(s); at::cuda::CUDAMultiStreamGuard more; at::cuda::CUDAEvent event; c10::cuda::CUDAStreamCaptureModeGuard mode{cudaStreamCaptureModeRelaxed};
    auto generator = at::cuda::detail::getDefaultCUDAGenerator(); at::CUDAGeneratorImpl* g;
    at::PhiloxCudaState state = g->philox_cuda_state(4); auto seeds = at::cuda::philox::unpack(state);
    THCudaCheck(cudaGetLastError()); THCCeilDiv(1, 2); C10_CUDA_CHECK(x); C10_CUDA_KERNEL_LAUNCH_CHECK();
    gpuAtomicAdd(p, v); TORCH_CUDA_CPP_API int keep; c10::cuda::CUDACachingAllocator::emptyCache();
}
