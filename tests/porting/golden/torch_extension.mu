#include <torch_musa/csrc/aten/musa/MUSAContext.h>
#include <ATen/musa/MUSAApplyUtils.muh>
#include <torch_musa/csrc/core/MUSAGuard.h>
#include "torch_extension_helper.muh"

#define CHECK_CUDA(x) TORCH_CHECK(x.is_privateuseone(), #x " must be a CUDA tensor")

#ifdef WITH_CUDA
at::Tensor forward(const at::Tensor& x) {
    CHECK_CUDA(x);
    TORCH_CHECK(x->is_privateuseone() && foo_cuda(x));
    at::musa::MUSAGuard guard(x.device());
    const c10::musa::OptionalMUSAGuard optional(at::device_of(x));
    auto stream = at::musa::getCurrentMUSAStream();
    auto options = at::TensorOptions().device(at::kPrivateUse1).dtype(torch::kFloat);
    torch::Device device("musa:0");
    auto zeros = at::zeros({1}, options.device(c10::DeviceType::PrivateUse1, 0));
    AT_MUSA_CHECK(musaGetLastError());
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    TORCH_MUSABLAS_CHECK(status);
    switch (x.device().type()) {
        case c10::DeviceType::PrivateUse1: break;
        case at::kCPU: break;
    }
    CUDA_KERNEL_LOOP(i, n) {}
    return zeros;
}
#endif

TORCH_LIBRARY_IMPL(mylib, PrivateUse1, m) { m.impl("forward", &forward); }
TORCH_LIBRARY_IMPL(mylib, AutogradPrivateUse1, m) { m.impl("forward", &forward); }
REGISTER_DEVICE_IMPL(forward_impl, PrivateUse1, forward);
