// Autograd's treatment of an operator that has no formula for it, such as the collectives of torch.distributed.

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/library.h>

#include <optional>

namespace at::musa {

namespace {

/// PyTorch 2.8 has this for its own devices alone; later releases have it for all, and a second one is an error.
class AutogradFallback {
 public:
  AutogradFallback() {
    constexpr auto kKey = c10::DispatchKey::AutogradPrivateUse1;
    if (c10::Dispatcher::singleton().hasBackendFallbackForDispatchKey(kKey)) {
      return;
    }
    library_.emplace(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__);
    library_->fallback(torch::autograd::basicAutogradNotImplementedFallback());
  }

 private:
  std::optional<torch::Library> library_;
};

const AutogradFallback autograd_fallback;

} // namespace

} // namespace at::musa
