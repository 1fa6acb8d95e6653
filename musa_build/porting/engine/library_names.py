"""The libraries of CUDA, and those of MUSA in their position."""

from __future__ import annotations

from collections.abc import Mapping

#: CUDA's library -> MUSA's, "" if MUSA has none. A name is that after `-l`, without "_static". Sources: docs/known.md;
#: `mufftw` is a guess by its form (docs/unverified.md).
COUNTERPARTS: Mapping[str, str] = {
    "cuda": "musa",
    "cudart": "musart",
    "cublas": "mublas",
    "cublasLt": "mublasLt",
    "cufft": "mufft",
    "cufftw": "mufftw",
    "curand": "murand",
    "cusolver": "musolver",
    "cusparse": "musparse",
    "nccl": "mccl",
    "nvrtc": "mtrtc",
    "nvidia-ml": "mtml",
    "nvjpeg": "mtjpeg",
    "cupti": "mupti",
    **dict.fromkeys(("caffe2_nvrtc", "torch_cuda", "torch_cuda_linalg", "c10_cuda", "cusparseLt", "nvblas"), ""),
    **dict.fromkeys(("cudnn", "nvToolsExt", "nvtx3", "cudadevrt", "nvJitLink", "nvrtc-builtins", "nvfatbin"), ""),
    **dict.fromkeys(("cusolverMg", "nvidia-ptxjitcompiler", "nvperf", "cufile", "cutensor"), ""),
}
