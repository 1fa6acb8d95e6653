#include <musa_runtime_api.h>
#include <torch/csrc/stable/macros.h>
#include <cstdio>
int main() {
  STD_CUDA_CHECK(musaSuccess);
  STD_CUDA_KERNEL_LAUNCH_CHECK();
  try {
    STD_CUDA_CHECK(musaErrorInvalidValue);
  } catch (const std::runtime_error& error) {
    std::puts(error.what());
  }
}
