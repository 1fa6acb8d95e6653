#include "torch_musa/csrc/aten/mudnn/Functions.h"

#include <atomic>

namespace at::musa {

namespace {

std::atomic<const MudnnFunctions*> provided{nullptr};
std::atomic<bool> tf32_is_allowed{false};

} // namespace

const MudnnFunctions* mudnn_functions() {
  return provided.load();
}

void set_mudnn_functions(const MudnnFunctions* functions) {
  provided.store(functions);
}

bool mudnn_allows_tf32() {
  return tf32_is_allowed.load();
}

void set_mudnn_allows_tf32(bool allow) {
  tf32_is_allowed.store(allow);
}

} // namespace at::musa
