#include <torch/all.h>

#include <ATen/cuda/CachingHostAllocator.h>
#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDADeviceAssertionHost.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAMiscFunctions.h>
#include <torch/csrc/cuda/nccl.h>

#include <iostream>

int main() {
  c10::register_privateuse1_backend("musa");
  std::cout << torch::cuda::is_available() << int(torch::cuda::device_count()) << torch::cuda::cudnn_is_available();
  const c10::cuda::CUDAGuard guard(1);
  torch::cuda::manual_seed_all(5);
  torch::cuda::manual_seed(7);
  for (int device : {0, 1}) {
    std::cout << " " << at::globalContext().defaultGenerator(c10::Device(at::kCUDA, device)).current_seed();
  }
  torch::cuda::synchronize();
  torch::cuda::synchronize(0);
  try {
    torch::cuda::synchronize(2);
  } catch (const c10::Error& error) {
    std::cout << " " << error.what_without_backtrace() << "\n";
  }
  const auto stream = c10::cuda::getCurrentCUDAStream();
  auto pinned = at::cuda::getCachingHostAllocator()->allocate(8);
  int other = 0;
  std::cout << at::cuda::CachingHostAllocator_recordEvent(pinned.get(), pinned.get_context(), stream)
            << at::cuda::CachingHostAllocator_recordEvent(&other, nullptr, stream);
  at::cuda::CachingHostAllocator_emptyCache();
  std::cout << c10::cuda::CUDACachingAllocator::CUDAAllocatorConfig::expandable_segments()
            << c10::cuda::CUDAKernelLaunchRegistry::get_singleton_ref().has_failed()
            << c10::cuda::get_cuda_check_suffix() << (torch::cuda::nccl::version() >> 32) << "\n";
  const std::lock_guard<std::mutex> lock(*c10::cuda::getFreeMutex());
}
