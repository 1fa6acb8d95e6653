"""Device memory, and page-locked host memory. All sizes are in bytes.

There is no cache: what is reserved is what tensors use, and freeing a tensor frees its memory.
"""

from __future__ import annotations

import os
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Union

import torch

from torch_musa import _MUSAC
from torch_musa.core.device import DeviceLike, device_count, device_index
from torch_musa.core.memory_history import _dump_snapshot as _dump_snapshot  # torch.musa.memory's names
from torch_musa.core.memory_history import _record_memory_history as _record_memory_history
from torch_musa.core.memory_history import _save_memory_usage as _save_memory_usage
from torch_musa.core.memory_history import _save_segment_usage as _save_segment_usage
from torch_musa.core.memory_history import _snapshot as _snapshot
from torch_musa.core.memory_history import memory_snapshot as memory_snapshot
from torch_musa.core.memory_pools import MemPool as MemPool
from torch_musa.core.memory_pools import MemPoolContext as MemPoolContext
from torch_musa.core.memory_pools import MUSAPluggableAllocator as MUSAPluggableAllocator
from torch_musa.core.memory_pools import change_current_allocator as change_current_allocator
from torch_musa.core.memory_pools import use_mem_pool as use_mem_pool
from torch_musa.core.stream import Stream

_COUNTED = {
    "bytes": ("allocated_bytes", "active_bytes", "requested_bytes", "reserved_bytes"),
    "blocks": ("allocation", "active", "segment"),
}
_HOST_COUNTED = {
    **dict.fromkeys(("allocated_bytes", "active_bytes"), "bytes"),
    **dict.fromkeys(("allocations", "active_requests"), "blocks"),
}

_ACCELERATOR_STATS = getattr(getattr(torch, "accelerator", None), "memory_stats", None)
"""PyTorch's own function, from 2.9 on. Programs (torchada) replace it by one that calls memory_stats."""


def memory_allocated(device: DeviceLike = None) -> int:
    """Return the bytes that tensors on a device use now."""
    return _MUSAC.memory_stats(device_index(device))["bytes.current"]


def max_memory_allocated(device: DeviceLike = None) -> int:
    """Return the most bytes that tensors used at a time since the last reset_peak_memory_stats."""
    return _MUSAC.memory_stats(device_index(device))["bytes.peak"]


def memory_reserved(device: DeviceLike = None) -> int:
    """Return the bytes that are held from the device. There is no cache, so they equal memory_allocated."""
    return memory_allocated(device)


def max_memory_reserved(device: DeviceLike = None) -> int:
    """Return the most bytes held from the device at a time since the last reset_peak_memory_stats."""
    return max_memory_allocated(device)


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Set the peaks to the current use."""
    _MUSAC.reset_peak_memory_stats(device_index(device))


def reset_max_memory_allocated(device: DeviceLike = None) -> None:
    """Do as reset_peak_memory_stats, of which this is the old name."""
    reset_peak_memory_stats(device)


def reset_accumulated_memory_stats(device: DeviceLike = None) -> None:
    """Set the totals of memory ever allocated and ever freed to 0."""
    _MUSAC.reset_accumulated_memory_stats(device_index(device))


def memory_stats(device: DeviceLike = None) -> dict[str, int]:
    """Return the counters of a device, by the names of torch.cuda.memory_stats; those of a cache are 0.

    Returns:
        Bytes in `..._bytes.all.current`, `.peak`, `.allocated` and `.freed`; numbers of blocks in the other counters.
    """
    index = device_index(device)
    stats = _own_stats(index)
    if _ACCELERATOR_STATS is not None:
        stats = {**_ACCELERATOR_STATS(index), **stats}
    return OrderedDict(sorted(stats.items()))


def memory_stats_as_nested_dict(device: DeviceLike = None) -> dict[str, Any]:
    """Return memory_stats with one dictionary for each part of the names."""
    return _nested(memory_stats(device))


def memory_stats_all() -> dict[int, dict[str, int]]:
    """Return memory_stats of all devices, by their indices."""
    return {index: memory_stats(index) for index in range(device_count())}


def _own_stats(index: int) -> dict[str, int]:
    stats = _MUSAC.memory_stats(index)
    named = {
        "num_ooms": stats["out_of_memory"],
        "num_device_alloc": stats["blocks.allocated"],
        "num_device_free": stats["blocks.freed"],
    }
    for counted, kinds in _COUNTED.items():
        for kind in kinds:
            for metric in ("current", "peak", "allocated", "freed"):
                named[f"{kind}.all.{metric}"] = stats[f"{counted}.{metric}"]
    return named


def _nested(flat: dict[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in flat.items():
        *parents, last = name.split(".")
        level = result
        for parent in parents:
            level = level.setdefault(parent, {})
        level[last] = value
    return result


def host_memory_stats() -> dict[str, int]:
    """Return the counters of page-locked host memory, by the names of torch.cuda.host_memory_stats, without times."""
    stats = _MUSAC.pinned_memory_stats()
    result = {"num_host_alloc": stats["blocks"]["allocated"], "num_host_free": stats["blocks"]["freed"]}
    for name, counted in _HOST_COUNTED.items():
        result.update({f"{name}.{metric}": value for metric, value in stats[counted].items()})
    return OrderedDict(sorted(result.items()))


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """Return host_memory_stats with one dictionary for each part of the names."""
    return _nested(host_memory_stats())


def reset_peak_host_memory_stats() -> None:
    """Set the peaks of page-locked memory to the current use."""
    _MUSAC.reset_peak_pinned_memory_stats()


def reset_accumulated_host_memory_stats() -> None:
    """Set the totals of page-locked memory ever allocated and ever freed to 0."""
    _MUSAC.reset_accumulated_pinned_memory_stats()


def memory_cached(device: DeviceLike = None) -> int:
    """Return memory_reserved, of which this is the old name, with a FutureWarning."""
    _warn_of_old_name("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device: DeviceLike = None) -> int:
    """Return max_memory_reserved, of which this is the old name, with a FutureWarning."""
    _warn_of_old_name("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def reset_max_memory_cached(device: DeviceLike = None) -> None:
    """Do as reset_peak_memory_stats, of which this is the old name, with a FutureWarning."""
    _warn_of_old_name("reset_max_memory_cached", "reset_peak_memory_stats")
    reset_peak_memory_stats(device)


def _warn_of_old_name(old: str, new: str) -> None:
    warnings.warn(f"torch.musa.{old} has been renamed to torch.musa.{new}", FutureWarning, stacklevel=3)


def memory_summary(device: DeviceLike = None, abbreviated: bool = False) -> str:
    """Return a table of a device's memory for people.

    Args:
        device: A device; None is the current one.
        abbreviated: Leave out the totals of memory ever allocated and freed.
    """
    index = device_index(device)
    stats = _MUSAC.memory_stats(index)
    free, total = mem_get_info(index)
    rows = [
        ("used by tensors", stats["bytes.current"]),
        ("peak used by tensors", stats["bytes.peak"]),
        ("reserved", memory_reserved(index)),
        ("free on the device", free),
        ("total on the device", total),
    ]
    if not abbreviated:
        rows += [("ever allocated", stats["bytes.allocated"]), ("ever freed", stats["bytes.freed"])]
    lines = [f"Memory of musa:{index} in bytes"]
    return "\n".join(lines + [f"{name:<22}{value:>20,}" for name, value in rows])


def mem_get_info(device: DeviceLike = None) -> tuple[int, int]:
    """Return (free, total) bytes of a device. What other parts of the process use is not free either."""
    return _MUSAC.memory_info(device_index(device))


def list_gpu_processes(device: DeviceLike = None) -> str:
    """Return a table of the processes that use a device, in MiB.

    It lists this process at most, because each process simulates devices of its own.
    """
    index = device_index(device)
    used = memory_allocated(index)
    line = (
        f"process {os.getpid():>10d} uses {used / 2**20:>12.3f} MB GPU memory" if used else "no processes are running"
    )
    return f"GPU:{index}\n{line}"


def empty_cache() -> None:
    """Do nothing: there is no cache to empty."""


def set_per_process_memory_fraction(fraction: float, device: DeviceLike = None) -> None:
    """Let this process use only a part of a device. Allocating more raises torch.OutOfMemoryError.

    Args:
        fraction: The part, from 0.0 to 1.0.
        device: A device; None is the current one.

    Raises:
        TypeError: The fraction is not a float.
        ValueError: It is not from 0 to 1.
    """
    if not isinstance(fraction, float):
        raise TypeError(f"Invalid type for fraction argument, must be `float`, but got: {type(fraction).__name__}")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1, from 0 to 1")
    _MUSAC.set_memory_fraction(fraction, device_index(device))


def get_per_process_memory_fraction(device: DeviceLike = None) -> float:
    """Return the part of a device that this process may use, from 0.0 to 1.0."""
    return _MUSAC.memory_fraction(device_index(device))


def get_allocator_backend() -> str:
    """Return "native": the backend has its own allocator."""
    return "native"


def caching_allocator_alloc(size: int, device: DeviceLike = None, stream: Union[Stream, int, None] = None) -> int:
    """Allocate device memory and return its address. Free it with caching_allocator_delete.

    Args:
        size: The number of bytes.
        device: A device; None is the current one.
        stream: A torch.musa.Stream or its musa_stream. It has no effect: memory is never reused before it is free.

    Raises:
        TypeError: The stream is neither.
        torch.OutOfMemoryError: The device has no room left.
    """
    if stream is not None and not isinstance(stream, (Stream, int)):
        raise TypeError(f"Expected a torch.musa.Stream or the int of its musa_stream, but got: {type(stream).__name__}")
    return _MUSAC.allocate(size, device_index(device))


def caching_allocator_delete(mem_ptr: int) -> None:
    """Free memory of caching_allocator_alloc.

    Args:
        mem_ptr: The address that caching_allocator_alloc returned.

    Raises:
        ValueError: It is not such an address, or it is free already.
    """
    _MUSAC.release(mem_ptr)


def caching_allocator_enable(value: bool = True) -> None:
    """Do nothing: there is no cache to switch on or off."""


@contextmanager
def caching_allocator_disabled() -> Iterator[None]:
    """Return a context manager for code without a cache. It does nothing, because there is none."""
    yield
