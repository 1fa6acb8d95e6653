// Mixed precision: which operators torch.autocast("musa") runs in low precision and which in float32.
// The lists are PyTorch's own, as for every other GPU.

#include <ATen/autocast_mode.h>
#include <torch/library.h>

namespace at::musa {

namespace {

/// As for CUDA: low-precision probabilities near 0 and 1 make this loss worthless.
at::Tensor refuse_binary_cross_entropy(
    const at::Tensor& /*input*/,
    const at::Tensor& /*target*/,
    const std::optional<at::Tensor>& /*weight*/,
    int64_t /*reduction*/) {
  TORCH_CHECK(
      false,
      "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast. Use "
      "binary_cross_entropy_with_logits or BCEWithLogitsLoss, which take the values before the sigmoid.");
}

} // namespace

// Leave operators that are in no list alone: without this, even fill_() fails under autocast.
TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
#define LOWER_PRECISION(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
  AT_FORALL_LOWER_PRECISION_FP(LOWER_PRECISION)
#undef LOWER_PRECISION

#define FULL_PRECISION(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
  AT_FORALL_FP32(FULL_PRECISION)
#undef FULL_PRECISION

#define FULL_PRECISION_RESULT(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
  AT_FORALL_FP32_SET_OPT_DTYPE(FULL_PRECISION_RESULT)
#undef FULL_PRECISION_RESULT

  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)

#define PROMOTE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)
  AT_FORALL_PROMOTE(PROMOTE)
#undef PROMOTE

  m.impl("binary_cross_entropy", refuse_binary_cross_entropy);
}

} // namespace at::musa
