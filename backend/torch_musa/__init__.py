"""torch_musa for the simulated MUSA SDK: PyTorch's `musa` device on a machine without the hardware.

Importing it makes `device="musa"`, `tensor.musa()` and `torch.musa` work. `import torch` imports it by itself. As in
Moore Threads' package, `torch.musa` is this very package.

Kernels of extensions run in the simulator. PyTorch's own operators run PyTorch's CPU kernels on device memory: their
results are right, but their timings say nothing about a GPU.

For all functions: memory is in bytes unless they say otherwise. A `device` is an index, "musa", "musa:1", a
torch.device, a torch.musa.device, or None for the current device. A device of another type raises ValueError, and an
index without a device raises RuntimeError.
"""


def _autoload() -> None:
    """Do nothing: PyTorch's entry point `torch.backends` calls this, and the import is all that is needed.

    It is above the imports because `import torch` calls it while this module is still being imported.
    """


import atexit
import sys
from importlib.metadata import version

from torch_musa import _library, _module_paths

# The order below matters (refuse, import torch, load the library, then what needs it), and all imports are exports.
# ruff: noqa: E402, F401
_library.refuse_beside_vendor()

import torch
from torch.utils.backend_registration import generate_methods_for_privateuse1_backend, rename_privateuse1_backend

_library.refuse_other_build(torch)
_MUSAC = _library.load()
_MUSAC.fallback_policy()  # a wrong MUSA_FALLBACK is reported here, not in the middle of the program

from torch_musa import distributed
from torch_musa._compile import registration
from torch_musa.core import (
    _utils,
    amp,
    comm,
    fused,
    graphs,
    mccl,
    memory,
    nvtx,
    profiler,
    random,
    serialization,
    sharing,
    sparse,
)
from torch_musa.core import stream as streams
from torch_musa.core._utils import _get_generator, _sleep
from torch_musa.core.amp import amp_definitely_not_available
from torch_musa.core.device import (
    DeviceProperties,
    _DeviceGuard,
    _exchange_device,
    _is_in_bad_fork,
    _lazy_init,
    _maybe_exchange_device,
    can_device_access_peer,
    current_device,
    device,
    device_count,
    device_of,
    get_amp_supported_dtype,
    get_arch_list,
    get_device_capability,
    get_device_name,
    get_device_properties,
    get_gencode_flags,
    get_sync_debug_mode,
    init,
    is_available,
    is_bf16_supported,
    is_initialized,
    is_tf32_supported,
    runtime_version,
    set_device,
    set_sync_debug_mode,
    synchronize,
)
from torch_musa.core.fallback import fallback_report, operator_kinds, reset_fallback_report
from torch_musa.core.graphs import MUSAGraph, graph, graph_pool_handle, make_graphed_callables
from torch_musa.core.memory import (
    MemPool,
    MemPoolContext,
    MUSAPluggableAllocator,
    _dump_snapshot,
    _record_memory_history,
    _snapshot,
    caching_allocator_alloc,
    caching_allocator_delete,
    caching_allocator_disabled,
    caching_allocator_enable,
    change_current_allocator,
    empty_cache,
    get_allocator_backend,
    get_per_process_memory_fraction,
    host_memory_stats,
    host_memory_stats_as_nested_dict,
    list_gpu_processes,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_all,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_host_memory_stats,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_host_memory_stats,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
    use_mem_pool,
)
from torch_musa.core.mudnn import mudnn
from torch_musa.core.random import (
    fork_rng,
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from torch_musa.core.runtime import (
    DeferredMusaCallError,
    MusaError,
    _lazy_call,
    check_error,
    current_blas_handle,
    current_blaslt_handle,
    current_solver_handle,
    ipc_collect,
    is_current_stream_capturing,
    musart,
    musaStatus,
)
from torch_musa.core.sensors import (
    clock_rate,
    device_memory_used,
    memory_usage,
    power_draw,
    temperature,
    utilization,
)
from torch_musa.core.storage_types import (
    BFloat16Storage,
    BoolStorage,
    ByteStorage,
    CharStorage,
    ComplexDoubleStorage,
    ComplexFloatStorage,
    DoubleStorage,
    FloatStorage,
    HalfStorage,
    IntStorage,
    LongStorage,
    ShortStorage,
)
from torch_musa.core.stream import (
    Event,
    ExternalStream,
    Stream,
    StreamContext,
    _set_stream_by_id,
    current_stream,
    default_stream,
    get_stream_from_external,
    set_stream,
    stream,
)
from torch_musa.core.tensor_types import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)

__version__ = version("torch-musa-sim")
OutOfMemoryError = torch.OutOfMemoryError
has_half = True
has_magma = False
default_generators = tuple(random.default_generator(index) for index in range(device_count()))


def __getattr__(name: str) -> bool:
    if name == "_initialized":  # PyTorch reads it as a variable; it must always be up to date
        return is_initialized()
    raise AttributeError(_module_paths.why_absent(name))


def _register() -> None:
    """Register the device's name, and the modules with its Python functions, with PyTorch."""
    rename_privateuse1_backend("musa")
    torch._register_device_module("musa", sys.modules[__name__])  # type: ignore[no-untyped-call]
    sys.modules["torch.musa.amp"] = amp
    sys.modules["torch.musa.sparse"] = sparse
    generate_methods_for_privateuse1_backend(for_packed_sequence=True, for_storage=True)
    sys.modules["torch.backends.mudnn"] = mudnn
    torch.backends.mudnn = mudnn  # type: ignore[attr-defined]
    torch.version.musa = _MUSAC._musa_version  # type: ignore[attr-defined]
    registration.register()
    _module_paths.register()
    amp.register()
    fused.register()
    serialization.register()
    sharing.register()
    profiler.add_musa_names()
    profiler.choose_events(_MUSAC.profiles_device())
    comm.register()
    distributed.register()
    atexit.register(_finish)


def _finish() -> None:
    """Wait until autograd's threads are idle, before the interpreter shuts down."""
    if not _is_in_bad_fork():
        _MUSAC.wait_for_autograd()


if not hasattr(torch, "musa"):
    _register()
