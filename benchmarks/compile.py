"""What compiling costs with the simulator's mcc: a small kernel, and a torch extension against g++ on the same file.

    python benchmarks/compile.py [--rounds 3]

CPU time of the compiler and all its children, medians, in one run. mcc reads every file twice (host and device), so
twice g++'s time would be par if both compilers were equally fast. Needs torch and torch_musa, as `make env` sets up.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from musa_build import include_paths

SMALL = """
__global__ void vadd(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void launch(float* a, float* b, float* c, int n) { vadd<<<(n + 255) / 256, 256>>>(a, b, c, n); }
"""
EXTENSION = """
#include <torch/extension.h>
#ifdef __MUSACC__
template <class T> __global__ void scale(const T* in, T* out, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * T(2);
}
#endif
torch::Tensor twice(torch::Tensor x) {
    auto y = torch::empty_like(x);
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "twice", [&] {
#ifdef __MUSACC__
        scale<scalar_t><<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());
#else
        for (int64_t i = 0; i < x.numel(); ++i) y.data_ptr<scalar_t>()[i] = x.data_ptr<scalar_t>()[i] * scalar_t(2);
#endif
    });
    return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("twice", &twice); }
"""


def cpu_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    os.environ.setdefault("MUSA_BUILD_SIMULATOR", "1")
    root = subprocess.run([sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=True).stdout
    mcc = f"{root.strip()}/bin/mcc"
    includes = [f"-I{path}" for path in [*include_paths(), sysconfig.get_path("include")]]
    with tempfile.TemporaryDirectory() as made:
        small, extension = Path(made) / "small.mu", Path(made) / "extension.cpp"
        small.write_text(SMALL)
        extension.write_text(EXTENSION)
        flags = ["-O2", "-fPIC", "-std=c++20", "-DTORCH_EXTENSION_NAME=x", "-w", *includes, "-c", "-o", f"{made}/out.o"]
        contestants = {
            "small .mu, mcc": [mcc, "-O2", "-c", str(small), "-o", f"{made}/out.o"],
            "torch/extension.h, g++": ["g++", *flags, str(extension)],
            "torch/extension.h, mcc": [mcc, *flags, "-U__CUDA__", "-x", "musa", str(extension)],
        }
        times: dict[str, list[float]] = {name: [] for name in contestants}
        for _ in range(rounds):
            for name, command in contestants.items():
                times[name].append(cpu_seconds(command))
    median = {name: statistics.median(values) for name, values in times.items()}
    for name, value in median.items():
        print(f"{name:26}{value:8.2f} s CPU")
    print(f"mcc / g++ on the same file: {median['torch/extension.h, mcc'] / median['torch/extension.h, g++']:.2f}")


if __name__ == "__main__":
    main()
