#include <torch/extension.h>
#include <torch_musa/csrc/aten/musa/MUSABlas.h>
#include <ATen/musa/detail/TensorInfo.muh>
#include <ATen/musa/Atomic.muh>
#include <torch_musa/csrc/core/GuardImpl.h>

at::Tensor on_device(at::Tensor x) {
    if (x.is_privateuseone() || x -> is_privateuseone ()) x = x.to(at::DeviceType::PrivateUse1);
    auto a = torch::zeros({1}, torch::TensorOptions().device(torch::kPrivateUse1, 0));
    auto b = torch::Device("musa"); auto c = at::Device{"musa:1"}; auto d = torch::device("musa");
    c10::Device e(at::DeviceType::PrivateUse1, 0); f(c10::kPrivateUse1); g(kPrivateUse1); h(c10::Backend::PrivateUse1);
    switch (x.device().type()) {
        case torch::kPrivateUse1: return a;
        case at::DeviceType::PrivateUse1: return b;
        default: return x.to("cuda");
    }
}
auto key = c10::DispatchKey::AutogradPrivateUse1; auto sparse = c10::DispatchKey::SparsePrivateUse1; auto k = c10::DispatchKey::PrivateUse1;
TORCH_LIBRARY_IMPL(ops, PrivateUse1, m) { m.impl("f", c10::DispatchKey::PrivateUse1, f); }
TORCH_LIBRARY_IMPL(ops, AutocastPrivateUse1, m) {}
auto parsed = c10::parseDispatchKey("PrivateUse1");
#define REGISTER(name, device) register_it(#name, at::k##device)
REGISTER(f, CUDA)
void streams(c10::musa::MUSAStream s) {
    c10::musa::MUSAStreamGuard guard(s); at::musa::MUSAMultiStreamGuard more; at::musa::MUSAEvent event; c10::musa::MUSAStreamCaptureModeGuard mode{musaStreamCaptureModeRelaxed};
    auto generator = at::musa::detail::getDefaultMUSAGenerator(); at::MUSAGeneratorImpl* g;
    at::PhiloxMusaState state = g->philox_musa_state(4); auto seeds = at::musa::philox::unpack(state);
    C10_MUSA_CHECK(musaGetLastError()); at::ceil_div(1, 2); C10_MUSA_CHECK(x); C10_MUSA_KERNEL_LAUNCH_CHECK();
    gpuAtomicAdd(p, v); TORCH_CUDA_CPP_API int keep; c10::musa::MUSACachingAllocator::emptyCache();
}
