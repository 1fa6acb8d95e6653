"""The real CUDA packages that these tests port, build and run, by name and version, and what to build of each.

Nothing of them is in this repository: their source distributions come from the package index, are checked against the
digests below, and are kept in a cache folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Extension:
    """One extension module. `sources` and `include_dirs` are relative to the package's folder, after porting; a source
    may also be one of these tests' own.

    `nvcc` are the flags that the package's own setup.py gives nvcc. `on_device` is false for a twin on the CPU, which
    is built from the untouched sources.
    """

    name: str
    sources: tuple[str, ...]
    include_dirs: tuple[str, ...] = ()
    macros: tuple[str, ...] = ()
    cxx: tuple[str, ...] = ("-O2", "-g0")
    nvcc: tuple[str, ...] = ()
    on_device: bool = True


@dataclass(frozen=True)
class Package:
    """A package: `ported` is the folder that SimplePorting gets, `python` the one to import afterwards (or none)."""

    name: str
    version: str
    sha256: str
    ported: str
    extensions: tuple[Extension, ...] = ()
    python: str = ""

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


def _cpu(name: str, *sources: str, cxx: tuple[str, ...] = ("-O2", "-g0")) -> Extension:
    return Extension(name, sources, cxx=cxx, on_device=False)


def _fast_transformers(stems: Sequence[str]) -> tuple[Extension, ...]:
    """Its setup.py builds one module per source: X_cpu from X_cpu.cpp, X_cuda from X_cuda.cu."""
    extensions = []
    for stem in stems:
        module = "fast_transformers." + stem.replace("/", ".")
        if stem.endswith("_cpu"):
            extensions.append(_cpu(module, f"fast_transformers/{stem}.cpp", cxx=("-O2", "-g0", "-fopenmp")))
        else:
            extensions.append(Extension(module, (f"fast_transformers_musa/{stem}.mu",)))
    return tuple(extensions)


def _torch_scatter(part: str) -> Extension:
    """torch-scatter compiles its CPU code into the extension for the device too: the twin comes along."""
    return Extension(
        f"torch_scatter._{part}_cuda",
        (f"csrc_musa/{part}.cpp", f"csrc_musa/cpu/{part}_cpu.cpp", f"csrc_musa/cuda/{part}_cuda.mu"),
        include_dirs=("csrc_musa",),
        macros=("WITH_PYTHON", "WITH_CUDA"),
        nvcc=("-O3", "--expt-relaxed-constexpr"),
    )


DISCOUNTED_CUMSUM = Package(
    "torch-discounted-cumsum",
    "1.1.0",
    "34e6a7e10f416a7aa84e5fb4e00d6a84a0cfbb0a68bcf22a3434488360f0ea37",
    ported="torch_discounted_cumsum",
    extensions=(
        _cpu("torch_discounted_cumsum_cpu", "torch_discounted_cumsum/discounted_cumsum_cpu.cpp"),
        Extension(
            "torch_discounted_cumsum_cuda",
            (
                "torch_discounted_cumsum_musa/discounted_cumsum_cuda.cpp",
                "torch_discounted_cumsum_musa/discounted_cumsum_cuda_kernel.mu",
            ),
        ),
    ),
    python="torch_discounted_cumsum",
)

TORCH_SCATTER = Package(
    "torch-scatter",
    "2.1.2",
    "69b3aa435f2424ac6a1bfb6ff702da6eb73b33ca0db38fb26989c74159258e47",
    ported="csrc",
    extensions=(
        Extension(
            "torch_scatter._version_cuda",
            ("csrc_musa/version.cpp",),
            include_dirs=("csrc_musa",),
            macros=("WITH_PYTHON", "WITH_CUDA"),
        ),
        *(_torch_scatter(part) for part in ("scatter", "segment_csr", "segment_coo")),
    ),
    python="torch_scatter",
)

FAST_TRANSFORMERS = Package(
    "pytorch-fast-transformers",
    "0.4.0",
    "d1826bc31b9dfbcd018998b897667e89fc6566bd3f8c424cda9f0943544f7e90",
    ported="fast_transformers",
    extensions=_fast_transformers(
        (
            "hashing/hash_cpu",
            "hashing/hash_cuda",
            "aggregate/aggregate_cpu",
            "aggregate/aggregate_cuda",
            "aggregate/clustered_aggregate_cuda",
            "clustering/hamming/cluster_cpu",
            "clustering/hamming/cluster_cuda",
            "sparse_product/sparse_product_cpu",
            "sparse_product/sparse_product_cuda",
            "sparse_product/clustered_sparse_product_cpu",
            "sparse_product/clustered_sparse_product_cuda",
            "causal_product/causal_product_cpu",
            "causal_product/causal_product_cuda",
            "local_product/local_product_cpu",
            "local_product/local_product_cuda",
        )
    ),
    python="fast_transformers",
)

MMCV = Package(
    "mmcv",
    "2.2.0",
    "ac479247e808d8802f89eadf04d4118de86bdfe81361ec5aed0cc1bf731c67c9",
    ported="mmcv/ops/csrc",
    extensions=(
        Extension(
            "mmcv_slice",
            ("mmcv_slice/device.mu", "mmcv_slice/registrations.cpp", "mmcv_slice/host.cpp"),
            include_dirs=tuple(f"mmcv/ops/csrc_musa{folder}" for folder in ("", "/common", "/common/cuda")),
        ),
    ),
)
