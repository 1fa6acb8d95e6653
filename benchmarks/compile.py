"""Measure the cost of compiling for the simulator: mcc beside g++ and, where it is installed, nvcc, on the same files.

    python benchmarks/compile.py [--rounds 3] [--only TEXT] [--corpus [PACKAGE ...]] [--sdists FOLDER] [--ggml FOLDER]

CPU time of a compiler and all its children, medians, in one run; nvcc compiles for one architecture. Peak memory is
that of the largest process. `--corpus` adds the largest files of the corpus (docs/corpus.md), once each: they are
downloaded, ported and compiled, which takes many minutes. `--corpus PACKAGE ...` compiles those of these packages, and
nothing else. `--ggml FOLDER` compiles ggml's largest files, unmodified by either compiler, and nothing else; FOLDER has
ggml/src/ggml-cuda, as a checkout of llama.cpp or whisper.cpp. Needs torch and torch_musa, as `make env` sets up.

A torch for the CPU has headers of CUDA's but not all that these include. nvcc gets stand-ins for those: they declare a
few types, so its time is a little better than on a machine with all of CUDA.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from musa_build.toolchain.compile_flags import TORCH_NVCC_FLAGS, CompileFlags

SMALL = """
__global__ void vadd(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void launch(float* a, float* b, float* c, int n) { vadd<<<(n + 255) / 256, 256>>>(a, b, c, n); }
"""
EMPTY = "__global__ void nothing() {}\n"
SHUFFLE = """
__global__ void sum(const float* in, float* out, int n) {
    __shared__ float sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? in[i] : 0;
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
        for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
        if (threadIdx.x == 0) atomicAdd(out, value);
    }
}
void launch(const float* in, float* out, int n) { sum<<<(n + 255) / 256, 256>>>(in, out, n); }
"""
WITH_LIBRARY = "#include <cmath>\n#include <string>\n#include <vector>\n" + SMALL
EXTENSION = """
#include <torch/extension.h>
#if defined(__MUSACC__) || defined(__CUDACC__)
template <class T> __global__ void scale(const T* in, T* out, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * T(2);
}
#endif
torch::Tensor twice(torch::Tensor x) {
    auto y = torch::empty_like(x);
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "twice", [&] {
#if defined(__MUSACC__) || defined(__CUDACC__)
        scale<scalar_t><<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());
#else
        for (int64_t i = 0; i < x.numel(); ++i) y.data_ptr<scalar_t>()[i] = x.data_ptr<scalar_t>()[i] * scalar_t(2);
#endif
    });
    return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("twice", &twice); }
"""
ARITHMETIC = """
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <c10/core/Scalar.h>
#include <ATen/native/TensorIterator.h>
#if defined(__MUSACC__)
#include <ATen/native/musa/Loops.muh>
#else
#include <ATen/native/cuda/Loops.cuh>
#endif
template <class T> struct Add {
    at::opmath_type<T> alpha;
    __device__ T operator()(T a, T b) const {
        using C = at::opmath_type<T>;
        return static_cast<T>(static_cast<C>(a) + alpha * static_cast<C>(b));
    }
};
template <class T> struct Multiply {
    __device__ T operator()(T a, T b) const {
        using C = at::opmath_type<T>;
        return static_cast<T>(static_cast<C>(a) * static_cast<C>(b));
    }
};
template <> struct Multiply<bool> {
    __device__ bool operator()(bool a, bool b) const { return a && b; }
};
template <class T> struct Sigmoid {
    __device__ T operator()(T a) const {
        using C = at::opmath_type<T>;
        return static_cast<T>(C(1) / (C(1) + std::exp(-static_cast<C>(a))));
    }
};
void add(at::TensorIteratorBase& iterator, const at::Scalar& alpha) {
    AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(at::kHalf, at::kBFloat16, at::kBool, iterator.common_dtype(), "add", [&] {
        at::native::gpu_kernel_with_scalars(iterator, Add<scalar_t>{alpha.to<at::opmath_type<scalar_t>>()});
    });
}
void multiply(at::TensorIteratorBase& iterator) {
    AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(at::kHalf, at::kBFloat16, at::kBool, iterator.common_dtype(), "mul", [&] {
        at::native::gpu_kernel_with_scalars(iterator, Multiply<scalar_t>{});
    });
}
void sigmoid(at::TensorIteratorBase& iterator) {
    AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(at::kHalf, at::kBFloat16, iterator.common_dtype(), "sigmoid", [&] {
        at::native::gpu_kernel(iterator, Sigmoid<scalar_t>{});
    });
}
"""
SMALL_TITLE, SHUFFLE_TITLE = "small", "a reduction by shuffles"
SMALL_FILES = {
    "an empty kernel": EMPTY,
    SMALL_TITLE: SMALL,
    SHUFFLE_TITLE: SHUFFLE,
    "small, with <vector> and kin": WITH_LIBRARY,
}
#: headers that torch's headers include and that a torch for the CPU, or a CUDA of its compiler alone, does not have
STAND_INS = {
    "c10/cuda/impl/cuda_cmake_macros.h": "#define C10_CUDA_BUILD_SHARED_LIBS",
    "ATen/cuda/CUDAConfig.h": '#define AT_CUDNN_ENABLED() 0\n#define AT_MAGMA_ENABLED() 0\n#define NVCC_FLAGS_EXTRA ""',
    "cublas_v2.h": "typedef struct S1* cublasHandle_t; enum cublasStatus_t {CUBLAS_STATUS_SUCCESS};"
    " enum cublasOperation_t {CUBLAS_OP_N}; enum cublasMath_t {CUBLAS_TF32_TENSOR_OP_MATH};"
    " cublasStatus_t cublasCreate(cublasHandle_t*); cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t);"
    " cublasStatus_t cublasSetStream(cublasHandle_t, struct CUstream_st*);"
    " cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t);"
    " const char* cublasGetStatusString(cublasStatus_t);",
    "cublasLt.h": "typedef struct S2* cublasLtHandle_t;",
    "cusparse.h": "typedef struct S3* cusparseHandle_t; enum cusparseStatus_t {CUSPARSE_STATUS_SUCCESS};"
    " const char* cusparseGetErrorString(cusparseStatus_t);",
    "cusolver_common.h": "enum cusolverStatus_t {CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_EXECUTION_FAILED};",
    "cusolverDn.h": "#include <cusolver_common.h>\ntypedef struct S4* cusolverDnHandle_t;",
}


@dataclass(frozen=True)
class Largest:
    """The files of a package that take longest. `sources` is the folder to port; `includes` are relative to it."""

    sources: str
    names: tuple[str, ...]
    includes: tuple[str, ...] = ("",)
    flags: tuple[str, ...] = ()


LARGEST = {
    "causal-conv1d==1.7.0": Largest("csrc", ("causal_conv1d_bwd.cu", "causal_conv1d_fwd.cu")),
    "torch-scatter==2.1.2": Largest("csrc", ("cuda/scatter_cuda.cu",)),
    "nerfacc==0.5.3": Largest("nerfacc/cuda/csrc", ("scan.cu",), includes=("", "include")),
    "torch-harmonics==0.8.0": Largest(
        "torch_harmonics/csrc",
        ("attention/attention_bwd_cuda.cu", "disco/disco_cuda_bwd.cu"),
        includes=("attention", "disco"),
    ),
    "torch-points-kernels==0.7.0": Largest(
        "cuda", ("src/gridding_gpu.cu",), includes=("include",), flags=("-DVERSION_GE_1_3",)
    ),
    "torch-sparse==0.6.18": Largest("csrc", ("cuda/spmm_cuda.cu",), flags=("-DWITH_PYTHON", "-DWITH_CUDA")),
    "inplace-abn==1.1.0": Largest(".", ("src/inplace_abn_cuda.cu",), includes=("include",), flags=("-DWITH_CUDA=1",)),
    "monai==1.6.1": Largest(
        "monai/_extensions/gmm",
        ("gmm_cuda.cu",),
        flags=("-DCHANNEL_COUNT=3", "-DMIXTURE_COUNT=3", "-DMIXTURE_SIZE=1"),
    ),
    "spatial-correlation-sampler==0.5.0": Largest(
        "Correlation_Module", ("correlation_cuda_kernel.cu",), flags=("-DUSE_CUDA",)
    ),
    "mamba-ssm==2.3.2.post1": Largest(
        "csrc/selective_scan", ("selective_scan_fwd_fp32.cu", "selective_scan_bwd_fp32_real.cu")
    ),
}
#: of ggml/src/ggml-cuda, those of each kind that take mcc longest. mmf.cu is no comparison: for CUDA, its kernels are
#: in 16 other files.
GGML_LARGEST = (
    "binbcast.cu",
    "getrows.cu",
    "mmf.cu",
    "mmvf.cu",
    "mmvq.cu",
    "topk-moe.cu",
    "template-instances/mmq-instance-nvfp4.cu",
    "template-instances/mmq-instance-q2_k.cu",
    "template-instances/fattn-tile-instance-dkq112-dv112.cu",
    "template-instances/fattn-vec-instance-q4_0-q4_0.cu",
)
#: the flags of both compilers, from ggml's CMakeLists.txt
GGML_FLAGS = ("-O3", "-DNDEBUG", "-std=c++17", "-DGGML_BACKEND_BUILD", "-DGGML_BACKEND_SHARED", "-DGGML_SHARED", "-w")
TORCH_FLAGS = ("-O2", "-std=c++20", "-DTORCH_EXTENSION_NAME=x", "-DTORCH_API_INCLUDE_EXTENSION_H", "-w")


@dataclass(frozen=True)
class Cost:
    """The cost of one command."""

    seconds: float
    megabytes: float

    @classmethod
    def of(cls, command: Sequence[str]) -> Cost:
        process = subprocess.Popen(command)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"this command failed with {process.returncode}: {' '.join(command)}")
        return cls(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


Costs = Mapping[str, Cost]


@dataclass(frozen=True)
class Compilers:
    """The commands of each compiler, all but what names the source."""

    made: Path
    mcc: str
    nvcc: str  # empty if there is none
    torch: Path
    musa_includes: tuple[str, ...]

    @classmethod
    def find(cls, made: Path) -> Compilers:
        os.environ.setdefault("MUSA_BUILD_SIMULATOR", "1")
        root = subprocess.run([sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=True)
        for name, text in STAND_INS.items():
            (made / "stand-ins" / name).parent.mkdir(parents=True, exist_ok=True)
            (made / "stand-ins" / name).write_text(f"#pragma once\n{text}\n")
        torch = importlib.util.find_spec("torch")
        if torch is None or torch.origin is None:
            sys.exit("no torch: run this in the environment of `make env`")
        # Asked in another process: this one must stay small, as Linux counts its memory as its children's.
        ask = [sys.executable, "-c", "import json, musa_build; print(json.dumps(musa_build.include_paths()))"]
        includes = json.loads(subprocess.run(ask, capture_output=True, text=True, check=True).stdout)
        mcc, nvcc = f"{root.stdout.strip()}/bin/mcc", shutil.which("nvcc") or ""
        return cls(made, mcc, nvcc, Path(torch.origin).parent, (*includes, sysconfig.get_path("include")))

    def plain(self, name: str, text: str) -> dict[str, list[str]]:
        """Return the commands for a source without torch."""
        commands = {"mcc": [self.mcc, "-O2", "-c", self._source(f"{name}.mu", text), *self._output]}
        if self.nvcc:
            commands["nvcc"] = [self.nvcc, "-O2", "-arch=sm_80", "-c", self._source(f"{name}.cu", text), *self._output]
        return commands

    def cmake(self, name: str, text: str) -> dict[str, list[str]]:
        """Return the commands for a source without torch as CMake has them, for a shared library in Release."""
        commands = self.plain(name, text)
        at = str(self.made)
        flags = ["-Dsmall_EXPORTS", "-DUSE_FAST_PATH=1", f"-I{at}/include", "-O3", "-DNDEBUG"]
        written = ["-MD", "-MT", "small.o", "-MF", f"{at}/small.d"]
        own = {
            "mcc": ["-isystem", f"{Path(self.mcc).parents[1]}/include", "-std=gnu++17", "-fPIC"],
            "nvcc": ["-std=c++17", "-Xcompiler=-fPIC"],
        }
        return {
            who: [command[0], *flags, *own[who], *written, *(arg for arg in command[1:] if arg != "-O2")]
            for who, command in commands.items()
        }

    def as_extension(self, name: str, text: str) -> dict[str, list[str]]:
        """Return the commands for a source without torch with the flags of torch's extensions."""
        return self.with_torch(self._source(f"{name}.mu", text), self._source(f"{name}.cu", text))

    def extension(self) -> dict[str, list[str]]:
        """Return the commands for one that includes all of torch."""
        source = self._source("extension.cpp", EXTENSION)
        gxx = ["g++", *TORCH_FLAGS, "-fPIC", *map("-I{}".format, self.musa_includes), "-c", source, *self._output]
        return {"g++": gxx, **self.with_torch(source, self._source("extension.cu", EXTENSION))}

    def arithmetic(self) -> dict[str, list[str]]:
        """Return the commands for operators on PyTorch's own loops over tensors, in all types."""
        return self.with_torch(self._source("arithmetic.mu", ARITHMETIC), self._source("arithmetic.cu", ARITHMETIC))

    def with_torch(self, musa: str, cuda: str) -> dict[str, list[str]]:
        """Return the commands for a source of an extension, as ported and as it was."""
        build = CompileFlags.parse({"nvcc": []}, "benchmark")
        flags = ("-U__CUDA__", *build.mcc, *map("-I{}".format, self.musa_includes))
        commands = {"mcc": [self.mcc, *TORCH_FLAGS, *flags, "-x", "musa", "-c", musa, *self._output]}
        if self.nvcc:
            own = self.torch / "include"
            includes = (own, own / "torch/csrc/api/include", sysconfig.get_path("include"), self.made / "stand-ins")
            flags = ("--expt-relaxed-constexpr", "--expt-extended-lambda", "-Xcompiler=-fPIC", "-arch=sm_80")
            macros = (macro.replace("MUSA", "CUDA") for macro in TORCH_NVCC_FLAGS)
            nvcc = [self.nvcc, *TORCH_FLAGS, *flags, *macros, *map("-I{}".format, includes)]
            commands["nvcc"] = [*nvcc, "-c", cuda, *self._output]
        return commands

    def ggml(self, ggml: Path, name: str) -> dict[str, list[str]]:
        """Return the commands for one of ggml's CUDA sources, in which macros give CUDA's names to MUSA's."""
        own = {
            "mcc": "-x musa -mtgpu --cuda-gpu-arch=mp_31 -DGGML_USE_MUSA -fPIC -Od3 -fno-strict-aliasing -ffast-math "
            "-fsigned-char -fmusa-flush-denormals-to-zero",
            "nvcc": "-arch=sm_86 -DGGML_USE_CUDA -Xcompiler=-fPIC -use_fast_math -extended-lambda "
            f"-I{self.made}/stand-ins",
        }
        flags = (*GGML_FLAGS, f"-I{ggml / 'src'}", f"-I{ggml / 'include'}")
        compilers = {"mcc": self.mcc, **({"nvcc": self.nvcc} if self.nvcc else {})}
        return {
            who: [compiler, *flags, *own[who].split(), "-c", str(ggml / "src/ggml-cuda" / name), *self._output]
            for who, compiler in compilers.items()
        }

    @property
    def _output(self) -> list[str]:
        return ["-o", str(self.made / "out.o")]

    def _source(self, name: str, text: str) -> str:
        (self.made / name).write_text(text)
        return str(self.made / name)


def corpus(compilers: Compilers, packages: Sequence[str], sdists: Path | None) -> Iterator[tuple[str, Costs]]:
    """Port the packages, one after the other, and compile their largest files."""
    for requirement in packages:
        work = compilers.made / requirement
        work.mkdir()
        with tarfile.open(kept(requirement, sdists) or downloaded(requirement, work)) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python before 3.11.4 has none
            archive.extractall(work)
        largest = LARGEST[requirement]
        sources = next(path for path in work.iterdir() if path.is_dir()) / largest.sources
        ported = work / "ported"
        subprocess.run([sys.executable, "-m", "musa_build", "port", sources, "-o", ported], check=True)
        for name in largest.names:
            musa = ported / Path(name).with_suffix(".mu")
            commands = compilers.with_torch(str(musa), str(sources / name))
            for command, folder in (("mcc", ported), ("nvcc", sources)):
                if command in commands:
                    commands[command][1:1] = [
                        *largest.flags,
                        *(f"-I{folder / include}" for include in largest.includes),
                    ]
            yield f"{requirement}: {name}", measure(commands, 1)


def kept(requirement: str, sdists: Path | None) -> Path | None:
    """Return the source distribution in `sdists`, if it is there."""
    name, version = requirement.split("==")
    pattern = f"{re.sub('[-_.]', '[-_.]', name)}-{version}.tar.gz"
    return next(sdists.glob(pattern), None) if sdists else None


def downloaded(requirement: str, work: Path) -> Path:
    """Have pip download the source distribution. With FORCE_MUSA=1, a setup.py that asks for CUDA can be asked too."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]
    command = [*pip, "--no-binary", ":all:", "-d", str(work), requirement]
    subprocess.run(command, check=True, env={**os.environ, "FORCE_MUSA": "1"})
    return next(work.glob("*.tar.gz"))


def measure(commands: Mapping[str, Sequence[str]], rounds: int) -> Costs:
    """Run all compilers in turn: the medians of their times, and the most memory."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(Cost.of(command))
    return {
        name: Cost(statistics.median(cost.seconds for cost in all_of), max(cost.megabytes for cost in all_of))
        for name, all_of in costs.items()
    }


def report(title: str, costs: Costs) -> None:
    """Print one file's lines, and mcc's time as a multiple of the others'."""
    for name, cost in costs.items():
        print(f"{title:56} {name:5}{cost.seconds:9.2f} s CPU{cost.megabytes:8.0f} MB", flush=True)
    for other in costs.keys() - {"mcc"}:
        print(f"{title:56} mcc / {other}: {costs['mcc'].seconds / costs[other].seconds:.2f}", flush=True)


def rows(compilers: Compilers, rounds: int) -> Iterator[tuple[str, Callable[[], Mapping[str, Sequence[str]]], int]]:
    """Yield each row's name, what gives its commands and writes its sources, and how often it is measured."""
    for title, text in SMALL_FILES.items():
        yield title, partial(compilers.plain, "small", text), rounds
    for title in (SMALL_TITLE, SHUFFLE_TITLE):
        text = SMALL_FILES[title]
        yield f"{title}, flags of CMake's Release", partial(compilers.cmake, "small", text), rounds
        yield f"{title}, flags of torch's extensions", partial(compilers.as_extension, "small", text), rounds
    yield "torch/extension.h", compilers.extension, rounds
    yield "PyTorch's Loops, three operators", compilers.arithmetic, 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--corpus", nargs="*", choices=LARGEST, metavar="PACKAGE", help="the largest files of the corpus, once each"
    )
    parser.add_argument("--only", default="", help="part of a row's name")
    parser.add_argument("--sdists", type=Path, help="a folder with source distributions that need no download")
    parser.add_argument("--ggml", type=Path, metavar="FOLDER", help="a checkout with ggml: its largest CUDA files")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        compilers = Compilers.find(Path(made))
        if not compilers.nvcc:
            print("no nvcc on PATH: mcc is compared with g++ alone")
        for name in GGML_LARGEST if chosen.ggml else ():
            if chosen.only in name:
                report(f"ggml: {name}", measure(compilers.ggml(chosen.ggml / "ggml", name), chosen.rounds))
        if not chosen.corpus and not chosen.ggml:
            for title, commands, rounds in rows(compilers, chosen.rounds):
                if chosen.only in title:
                    report(title, measure(commands(), rounds))
        if chosen.corpus is not None:
            for title, costs in corpus(compilers, chosen.corpus or list(LARGEST), chosen.sdists):
                report(title, costs)


if __name__ == "__main__":
    main()
