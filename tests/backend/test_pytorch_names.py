"""PyTorch's own C++ names for CUDA, in a program that was written for CUDA and ported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import needs_2_13

# torch/all.h and torch/extension.h bring torch::cuda, so few programs include torch/cuda.h.
PROGRAM = """
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
    std::cout << " " << error.what_without_backtrace() << "\\n";
  }
  const auto stream = c10::cuda::getCurrentCUDAStream();
  auto pinned = at::cuda::getCachingHostAllocator()->allocate(8);
  int other = 0;
  std::cout << at::cuda::CachingHostAllocator_recordEvent(pinned.get(), pinned.get_context(), stream)
            << at::cuda::CachingHostAllocator_recordEvent(&other, nullptr, stream);
  at::cuda::CachingHostAllocator_emptyCache();
  std::cout << c10::cuda::CUDACachingAllocator::CUDAAllocatorConfig::expandable_segments()
            << c10::cuda::CUDAKernelLaunchRegistry::get_singleton_ref().has_failed()
            << c10::cuda::get_cuda_check_suffix() << (torch::cuda::nccl::version() >> 32) << "\\n";
  const std::lock_guard<std::mutex> lock(*c10::cuda::getFreeMutex());
}
"""


@pytest.mark.slow
@needs_2_13
def test_a_ported_program_uses_the_names_that_pytorch_has_for_cuda(request: pytest.FixtureRequest) -> None:
    assert request.config.cache is not None
    project = Path(request.config.cache.mkdir("pytorch_names"))
    (project / "cuda").mkdir(exist_ok=True)
    (project / "cuda" / "main.cpp").write_text(PROGRAM)
    environment = {**os.environ, "TORCH_EXTENSIONS_DIR": str(project), "MUSA_BUILD_SIMULATOR": "1"}

    def python(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    python("-m", "musa_build", "port", str(project / "cuda"), "-o", str(project / "musa"))
    code = "import sys; from musa_build import load; print(load('names', [sys.argv[1]], is_standalone=True))"
    program = python("-c", code, str(project / "musa" / "main.cpp"))
    ran = subprocess.run([program], capture_output=True, text=True, env={"MUSA_SIM_DEVICES": "2"}, check=False)
    out_of_range = "Device index out of range: 2"
    assert (ran.returncode, ran.stdout) == (0, f"120 5 7 {out_of_range}\n10002\n"), ran.stderr
