// The backend leaves a few operators to the CPU by name. Where this library has kernels, it takes them back, or
// PyTorch would warn that these registrations are overridden.

#include "torch_musa/csrc/aten/FallbackPolicy.h"

namespace {

/// Runs before the static initialisers of this library, which register its kernels.
__attribute__((constructor(101))) void end_cpu_fallbacks() {
  for (const char* name :
      {"aten::native_layer_norm", "aten::native_group_norm", "aten::addr", "aten::addr.out", "aten::mse_loss",
       "aten::smooth_l1_loss", "aten::convolution_overrideable", "aten::convolution_backward_overrideable"}) {
    at::musa::end_cpu_fallback(name);
  }
}

} // namespace
