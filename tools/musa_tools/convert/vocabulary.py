"""torch_musa's names for PyTorch's names with CUDA in them. All assumptions about them are here and in extension.py.

The names are those of torch_musa 2.7.1. An older one lacks some (graphs, memory pools).
"""

from __future__ import annotations

import re
from typing import Optional

# torch.cuda.X is torch.musa.X
MEMBERS = frozenset(
    """
    device device_of set_device current_device is_available device_count synchronize get_device_name
    get_device_capability get_device_properties can_device_access_peer _exchange_device _maybe_exchange_device
    _DeviceGuard get_arch_list is_bf16_supported is_tf32_supported Stream Event ExternalStream StreamContext stream
    set_stream current_stream default_stream _lazy_init _lazy_call _is_in_bad_fork is_initialized init _sleep
    ipc_collect current_blas_handle OutOfMemoryError default_generators amp memory set_per_process_memory_fraction
    empty_cache memory_stats memory_stats_as_nested_dict reset_accumulated_memory_stats reset_peak_memory_stats
    reset_max_memory_allocated reset_max_memory_cached memory_allocated max_memory_allocated memory_reserved
    max_memory_reserved memory_snapshot memory_summary mem_get_info get_allocator_backend change_current_allocator
    MemPool use_mem_pool _record_memory_history _dump_snapshot _set_allocator_settings get_rng_state
    get_rng_state_all set_rng_state set_rng_state_all manual_seed manual_seed_all seed seed_all initial_seed graph
    graph_pool_handle is_current_stream_capturing make_graphed_callables FloatTensor DoubleTensor HalfTensor
    BFloat16Tensor ByteTensor CharTensor ShortTensor IntTensor LongTensor BoolTensor
    """.split()  # noqa: SIM905 (as a list it would take a line each)
)
AMP_MEMBERS = frozenset({"autocast", "GradScaler", "custom_fwd", "custom_bwd"})
MEMORY_MEMBERS = MEMBERS | {"_snapshot", "_save_segment_usage", "_save_memory_usage"}
# torch.cuda.X has another name
RENAMED = {
    "CUDAGraph": "MUSAGraph",
    "CUDAPluggableAllocator": "MUSAPluggableAllocator",
    "cudart": "musart",
}
# submodule of torch.cuda -> (the path below torch.musa, the module to import, its names; None for those of torch.musa)
SUBMODULES: dict[str, tuple[str, str, Optional[frozenset[str]]]] = {
    "amp": ("amp", "torch_musa.core.amp", AMP_MEMBERS),
    "amp.autocast_mode": ("amp", "torch_musa.core.amp", AMP_MEMBERS),
    "amp.grad_scaler": ("amp", "torch_musa.core.amp", AMP_MEMBERS),
    "memory": ("memory", "torch_musa.core.memory", MEMORY_MEMBERS),
    "random": ("", "torch_musa.core.random", None),
    "nccl": ("mccl", "torch_musa.core.mccl", frozenset({"version"})),
    "streams": ("", "torch_musa.core.stream", None),
}
_ENVIRONMENT = {
    "CUDA_VISIBLE_DEVICES": "MUSA_VISIBLE_DEVICES",
    "CUDA_LAUNCH_BLOCKING": "MUSA_LAUNCH_BLOCKING",
    "PYTORCH_CUDA_ALLOC_CONF": "PYTORCH_MUSA_ALLOC_CONF",
}
# NCCL_ROOT and its like say where NCCL is installed
_NCCL_VARIABLE = re.compile(r"(?:TORCH_)?NCCL_(?!ROOT|HOME|INC|LIB)[A-Z0-9_]+")
# variables of CUDA's that say something which is different for MUSA -> why they stay
OTHER_VALUES = {
    "CUDA_HOME": "is the root of NVIDIA's toolkit; MUSA_HOME is that of the MUSA SDK",
    "CUDA_PATH": "is the root of NVIDIA's toolkit; MUSA_HOME is that of the MUSA SDK",
    "cudagraphs": "is a backend of torch.compile for CUDA alone",
    "TORCH_CUDA_ARCH_LIST": "names NVIDIA's architectures; TORCH_MUSA_ARCH_LIST names those of MUSA",
}
# functions of torch whose results name a card, its capability or a library -> what they give on MUSA
CARD_FACTS = {
    "torch.cuda.get_device_capability": "the capabilities of MUSA's cards are (2, 1), (2, 2) and (3, 1)",
    "torch.cuda.get_arch_list": "MUSA's architectures are mp_21, mp_22 and mp_31",
    "torch.cuda.get_device_name": "the names of Moore Threads' cards begin with MTT",
    "torch.backends.cudnn.version": "cuDNN's version is None on MUSA",
    "torch.backends.cudnn.is_available": "there is no cuDNN on MUSA, so this is False",
    "torch.backends.cudnn.is_acceptable": "there is no cuDNN on MUSA, so this is False",
    "torch.backends.cuda.is_built": "PyTorch for MUSA has no CUDA, so this is False",
    "torch.backends.cuda.preferred_linalg_library": "this fails if a library of CUDA's is given",
    "torch.backends.cuda.preferred_blas_library": "this fails if a library of CUDA's is given",
}
CARD_PROPERTIES = "torch.cuda.get_device_properties"
CAPABILITY_PROPERTIES = frozenset({"major", "minor"})
_LIBRARY = r"cudart|nvrtc|cublas(?:Lt)?|cufft|curand|cusparse|cusolver|cudnn"
# words in strings that name a program, library or architecture of NVIDIA's -> what there is for MUSA
OTHER_TOOLS = (
    (re.compile(r"\bnvidia-smi\b"), "mthreads-gmi is Moore Threads' counterpart of nvidia-smi"),
    (re.compile(r"(?<![\w/-])nvcc(?:\.exe)?\b(?!\.)"), "mcc is MUSA's compiler"),
    (
        re.compile(r"\blib(?:cuda|cudart|nvrtc|cublas\w*|cufft|curand|cusparse|cusolver|cudnn\w*|nccl)\.so\b"),
        "this library is NVIDIA's",
    ),
    (
        re.compile(rf"(?:^|\s)-l(?:{_LIBRARY})\b|^(?:{_LIBRARY})$|/usr/local/cuda\b"),
        "this library or folder is NVIDIA's",
    ),
    (
        re.compile(r"\b(?:compute|sm)_\d{2,3}[af]?\b"),
        "this is an architecture of NVIDIA's; MUSA's are mp_21, mp_22 and mp_31",
    ),
)
_DISPATCH_KEY = re.compile(r"(Autograd|Autocast|Sparse|SparseCsr|Quantized|NestedTensor|AutogradNestedTensor|)CUDA")
OTHER_VARIABLE = re.compile(r"(?:[A-Z]+_)*(?:CUDA|CUDNN|CUBLAS|CUFFT|CUSPARSE|NVCC|NCCL|NVIDIA)[A-Z0-9_]*")
_PROFILER_COLUMN = re.compile(r"(?:self_)?cuda_(?:time_total|memory_usage)")

# libraries with devices of their own that are called cuda
OTHER_LIBRARIES = frozenset(
    """
    numba cupy cupyx pycuda cuda tensorrt onnxruntime onnx triton jax jaxlib tensorflow paddle tvm warp taichi mxnet
    cudf cuml rmm dask_cuda pynvml skcuda chainer nvidia openvino ctranslate2 faiss
    """.split()  # noqa: SIM905 (as a list it would take a line each)
)


def is_foreign(dotted: Optional[str]) -> bool:
    """Whether a name belongs to a library that has a `cuda` of its own."""
    return dotted is not None and dotted.split(".")[0] in OTHER_LIBRARIES


def profiler_column(name: str) -> Optional[str]:
    """Return torch_musa's name of a column of the profiler's tables, for one of CUDA's."""
    return name.replace("cuda", "musa") if _PROFILER_COLUMN.fullmatch(name) else None


def dispatch_key(name: str) -> Optional[str]:
    """Return MUSA's dispatch key for one of CUDA's: torch_musa registers its device as PrivateUse1."""
    found = _DISPATCH_KEY.fullmatch(name)
    return f"{found.group(1)}PrivateUse1" if found else None


def environment_variable(name: str) -> Optional[str]:
    """Return the name that MUSA gives to an environment variable of CUDA or NCCL."""
    if _NCCL_VARIABLE.fullmatch(name):
        return name.replace("NCCL", "MCCL")
    return _ENVIRONMENT.get(name)


def musa_path(path: str) -> Optional[str]:
    """Return the path below torch.musa for one below torch.cuda ("amp.autocast"), or None if MUSA has nothing there."""
    if not path:
        return ""
    submodule, _, name = path.rpartition(".")
    if path in SUBMODULES:
        return SUBMODULES[path][0]
    head = path.split(".")[0]
    while submodule and submodule not in SUBMODULES:  # a member of a member: torch.cuda.Stream.synchronize
        submodule, _, _ = submodule.rpartition(".")
    if not submodule:
        new_head = RENAMED.get(head, head if head in MEMBERS else None)
        return None if new_head is None else new_head + path[len(head) :]
    base, _, members = SUBMODULES[submodule]
    rest = path[len(submodule) + 1 :]
    name = rest.split(".")[0]
    if name in RENAMED:
        rest = RENAMED[name] + rest[len(name) :]
    elif name not in (MEMBERS if members is None else members):
        return None
    return f"{base}.{rest}" if base else rest
