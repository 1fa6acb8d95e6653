"""Words in string literals that mean CUDA to the reader of the string at run time: libraries, variables, programs.

A file with one of them is looked at, even if it has no other name of CUDA.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Optional

# Libraries of CUDA whose file names have none of its names' beginnings.
_LIBRARIES = frozenset(
    f"{before}{name}"
    for before in ("lib", "l")  # the latter in -lcublas
    for name in (
        *("cublas", "cublasLt", "cufft", "cufftw", "curand", "cusolver", "cusolverMg", "cusparse", "cupti", "nvrtc"),
        *("nccl", "cudnn", "nvToolsExt", "nvjpeg", "nvidia", "nvJitLink", "cutensor", "cufile", "cusparseLt"),
        *("nvblas", "nvfatbin", "nvshmem_host", "caffe2_nvrtc"),
        *(f"npp{part}" for part in ("c", "ial", "icc", "idei", "if", "ig", "im", "ist", "isu", "itc", "s")),
        *(f"cudnn_{part}" for part in ("adv", "cnn", "ops", "graph", "heuristic", "engines_precompiled")),
        *(f"cudnn_{part}_{use}" for part in ("adv", "cnn", "ops") for use in ("infer", "train")),
    )
) | {"nvToolsExt64_1"}

# NVIDIA's programs, and what there is for MUSA.
TOOLS: Mapping[str, str] = {
    "nvcc": "mcc is MUSA's compiler",
    "nvidia-smi": "mthreads-gmi is Moore Threads' counterpart",
    **dict.fromkeys(("ptxas", "cuobjdump", "nvdisasm", "nvlink", "fatbinary"), "MUSA has no program of this kind"),
    **dict.fromkeys(("nvprof", "nsys", "ncu", "nv-nsight-cu-cli"), "it sees no card of Moore Threads'"),
    **dict.fromkeys(("cuda-gdb", "cuda-memcheck", "compute-sanitizer"), "it sees no card of Moore Threads'"),
}
# The variables of the environment of CUDA, its libraries and PyTorch's CUDA, and MUSA's: empty where none is known.
VARIABLES: Mapping[str, str] = {
    "CUDA_VISIBLE_DEVICES": "MUSA_VISIBLE_DEVICES",
    "CUDA_LAUNCH_BLOCKING": "MUSA_LAUNCH_BLOCKING",
    "PYTORCH_CUDA_ALLOC_CONF": "PYTORCH_MUSA_ALLOC_CONF",
    **dict.fromkeys(("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR"), "MUSA_HOME"),
    "TORCH_CUDA_ARCH_LIST": "TORCH_MUSA_ARCH_LIST",
    **dict.fromkeys(
        (
            *("CUDA_DEVICE_ORDER", "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_MODULE_LOADING", "CUDA_MODULE_DATA_LOADING"),
            *("CUDA_CACHE_PATH", "CUDA_CACHE_DISABLE", "CUDA_CACHE_MAXSIZE", "CUDA_FORCE_PTX_JIT", "CUDA_AUTO_BOOST"),
            *("CUDA_DISABLE_PTX_JIT", "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY", "CUDA_INJECTION64_PATH"),
            *(
                "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                "CUDA_MANAGED_FORCE_DEVICE_ALLOC",
                "CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
            ),
            *("CUDA_SCALE_LAUNCH_QUEUES", "CUDA_LOG_FILE", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"),
            *("NVIDIA_TF32_OVERRIDE", "CUBLAS_WORKSPACE_CONFIG", "CUBLASLT_LOG_LEVEL", "CUDNN_LOGINFO_DBG", "NVCC"),
            *(
                "NVCC_APPEND_FLAGS",
                "NVCC_PREPEND_FLAGS",
                "PYTORCH_NVML_BASED_CUDA_CHECK",
                "TORCH_CUDNN_V8_API_DISABLED",
            ),
        ),
        "",
    ),
    **{
        f"{torch}NCCL_{name}": f"{torch}MCCL_{name}"
        for torch in ("", "TORCH_")
        for name in (
            *("DEBUG", "DEBUG_SUBSYS", "DEBUG_FILE", "SOCKET_IFNAME", "SOCKET_NTHREADS", "NSOCKS_PERTHREAD"),
            *("IB_DISABLE", "IB_HCA", "IB_TIMEOUT", "IB_RETRY_CNT", "IB_GID_INDEX", "NET", "NET_GDR_LEVEL"),
            *("P2P_DISABLE", "P2P_LEVEL", "SHM_DISABLE", "ALGO", "PROTO", "BUFFSIZE", "NTHREADS", "LAUNCH_MODE"),
            *("MIN_NCHANNELS", "MAX_NCHANNELS", "CROSS_NIC", "TOPO_FILE", "COMM_ID", "CUMEM_ENABLE", "NVLS_ENABLE"),
            *(
                "BLOCKING_WAIT",
                "ASYNC_ERROR_HANDLING",
                "AVOID_RECORD_STREAMS",
                "ENABLE_MONITORING",
                "TRACE_BUFFER_SIZE",
            ),
        )
    },
}
# The beginnings of names of CUDA, and of MUSA's.
PREFIXES: Mapping[str, str] = {
    "cu": "mu",
    "cuda": "musa",
    "__cuda": "__musa",
    "cublas": "mublas",
    "cublasLt": "mublasLt",
    "cufft": "mufft",
    "curand": "murand",
    "cusolver": "musolver",
    "cusolverDn": "musolverDn",
    "cusparse": "musparse",
    "nccl": "mccl",
    "nvrtc": "mtrtc",
    "cudnn": "mudnn",
    "nvtx": "mttx",
}
_ARCHITECTURES = frozenset(
    f"{kind}_{number}{suffix}"
    for kind in ("sm", "compute")
    for number in (
        *("", 20, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120),
        *(121,),
    )
    for suffix in ("", "a", "f")
)
# Words of the names of NVIDIA's cards. (T4 and the like are names of types as well.)
CARDS = frozenset(
    {*("A100", "A800", "H100", "H200", "H800", "B200", "V100", "P100", "L40S"), *("GeForce", "GTX", "RTX", "Quadro")}
)
STRING_IDENTIFIERS = (
    _LIBRARIES
    | _ARCHITECTURES
    | VARIABLES.keys()
    | {
        *(
            "nvcc",
            "nvidia",
            "ptxas",
            "cuobjdump",
            "nvdisasm",
            "nvlink",
            "fatbinary",
            "nvprof",
            "nsys",
            "ncu",
            "sanitizer",
        )
    }
    | {*("ptx", "cubin", "fatbin", "gencode", "cupy", "pycuda", "nvidia0", "nvidiactl")}
    | CARDS
)
_NCCL = re.compile(r"(?:TORCH_)?NCCL_(?!ROOT|HOME|INC|LIB)[A-Z0-9_]+")


# Variables whose values mean the same for MUSA.
OF_SAME_VALUES = frozenset({"CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "PYTORCH_CUDA_ALLOC_CONF"})


def has_same_value(name: str) -> bool:
    """Return whether a variable of the environment is ported by its name alone."""
    return name in OF_SAME_VALUES or ("NCCL_" in name and _NCCL.fullmatch(name) is not None)


def environment_variable(name: str) -> Optional[str]:
    """Return MUSA's name of a variable of the environment for CUDA, empty if none is known; None for other names."""
    if name in VARIABLES:
        return VARIABLES[name]
    return name.replace("NCCL", "MCCL") if _NCCL.fullmatch(name) else None
