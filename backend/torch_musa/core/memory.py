"""Device memory. There is no cache: what is reserved is what tensors use, and freeing a tensor frees its memory."""

from __future__ import annotations

import os
import pickle
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Union

import torch

from torch_musa import _MUSAC
from torch_musa.core.device import DeviceLike, device_count, device_index
from torch_musa.core.stream import Stream

_COUNTED = {
    "bytes": ("allocated_bytes", "active_bytes", "requested_bytes", "reserved_bytes"),
    "blocks": ("allocation", "active", "segment"),
}
_HOST_COUNTED = {
    **dict.fromkeys(("allocated_bytes", "active_bytes"), "bytes"),
    **dict.fromkeys(("allocations", "active_requests"), "blocks"),
}


def memory_allocated(device: DeviceLike = None) -> int:
    """Return the bytes that tensors use now."""
    return _MUSAC.memory_stats(device_index(device))["bytes.current"]


def max_memory_allocated(device: DeviceLike = None) -> int:
    """Return the most bytes that tensors used at once since the last reset."""
    return _MUSAC.memory_stats(device_index(device))["bytes.peak"]


def memory_reserved(device: DeviceLike = None) -> int:
    """Return the bytes held from the device; without a cache the same as memory_allocated."""
    return memory_allocated(device)


def max_memory_reserved(device: DeviceLike = None) -> int:
    """Return the most bytes held from the device at once since the last reset."""
    return max_memory_allocated(device)


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Let the peaks start anew at what is used now."""
    _MUSAC.reset_peak_memory_stats(device_index(device))


def reset_max_memory_allocated(device: DeviceLike = None) -> None:
    """Old name of reset_peak_memory_stats."""
    reset_peak_memory_stats(device)


def reset_accumulated_memory_stats(device: DeviceLike = None) -> None:
    """Let the totals of memory ever allocated and freed start anew at 0."""
    _MUSAC.reset_accumulated_memory_stats(device_index(device))


def memory_stats(device: DeviceLike = None) -> dict[str, int]:
    """Return the counters under torch.cuda.memory_stats' names; those of a cache and its pools are 0."""
    index = device_index(device)
    stats = _own_stats(index)
    if hasattr(torch.accelerator, "memory_stats"):  # PyTorch 2.9, whose names these are
        stats = {**torch.accelerator.memory_stats(index), **stats}
    return OrderedDict(sorted(stats.items()))


def memory_stats_as_nested_dict(device: DeviceLike = None) -> dict[str, Any]:
    """Return memory_stats with one dictionary for each part of the names."""
    return _nested(memory_stats(device))


def memory_stats_all() -> dict[int, dict[str, int]]:
    """Return memory_stats of every device, by its index."""
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
        place = result
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return result


def host_memory_stats() -> dict[str, int]:
    """Return the counters of page-locked host memory under torch.cuda.host_memory_stats' names, without times."""
    stats = _MUSAC.pinned_memory_stats()
    result = {"num_host_alloc": stats["blocks"]["allocated"], "num_host_free": stats["blocks"]["freed"]}
    for name, counted in _HOST_COUNTED.items():
        result.update({f"{name}.{metric}": value for metric, value in stats[counted].items()})
    return OrderedDict(sorted(result.items()))


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """Return host_memory_stats with one dictionary for each part of the names."""
    return _nested(host_memory_stats())


def reset_peak_host_memory_stats() -> None:
    """Let the peaks of page-locked memory start anew at what is used now."""
    _MUSAC.reset_peak_pinned_memory_stats()


def reset_accumulated_host_memory_stats() -> None:
    """Let the totals of page-locked memory ever allocated and freed start anew at 0."""
    _MUSAC.reset_accumulated_pinned_memory_stats()


def memory_cached(device: DeviceLike = None) -> int:
    """Old name of memory_reserved."""
    _warn_of_old_name("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device: DeviceLike = None) -> int:
    """Old name of max_memory_reserved."""
    _warn_of_old_name("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def reset_max_memory_cached(device: DeviceLike = None) -> None:
    """Old name of reset_peak_memory_stats."""
    _warn_of_old_name("reset_max_memory_cached", "reset_peak_memory_stats")
    reset_peak_memory_stats(device)


def _warn_of_old_name(old: str, new: str) -> None:
    warnings.warn(f"torch.musa.{old} has been renamed to torch.musa.{new}", FutureWarning, stacklevel=3)


def memory_summary(device: DeviceLike = None, abbreviated: bool = False) -> str:
    """Return memory_stats as a table for people; `abbreviated` leaves out the totals."""
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
    """Return (free, total) bytes of a device, whoever uses the rest."""
    return _MUSAC.memory_info(device_index(device))


def list_gpu_processes(device: DeviceLike = None) -> str:
    """Return a table of the processes that use a device: this one at most, for each process simulates its own."""
    index = device_index(device)
    used = memory_allocated(index)
    line = (
        f"process {os.getpid():>10d} uses {used / 2**20:>12.3f} MB GPU memory" if used else "no processes are running"
    )
    return f"GPU:{index}\n{line}"


def empty_cache() -> None:
    """Do nothing: there is no cache to empty."""


def set_per_process_memory_fraction(fraction: float, device: DeviceLike = None) -> None:
    """Let this process use at most `fraction` (0 to 1) of a device; more raises torch.OutOfMemoryError.

    Raises:
        TypeError: the fraction is not a float.
        ValueError: it is not from 0 to 1.
    """
    if not isinstance(fraction, float):
        raise TypeError(f"Invalid type for fraction argument, must be `float`, but got: {type(fraction).__name__}")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1, from 0 to 1")
    _MUSAC.set_memory_fraction(fraction, device_index(device))


def get_per_process_memory_fraction(device: DeviceLike = None) -> float:
    """Return the fraction (0 to 1) of a device that this process may use."""
    return _MUSAC.memory_fraction(device_index(device))


def get_allocator_backend() -> str:
    """Return "native": PyTorch's calls end at the backend's own allocator."""
    return "native"


def caching_allocator_alloc(size: int, device: DeviceLike = None, stream: Union[Stream, int, None] = None) -> int:
    """Return the address of `size` bytes of device memory; free them with caching_allocator_delete.

    The stream may be a torch.musa.Stream or its musa_stream. Memory belongs to none: it is never reused early.
    """
    if stream is not None and not isinstance(stream, (Stream, int)):
        raise TypeError(f"Expected a torch.musa.Stream or the int of its musa_stream, but got: {type(stream).__name__}")
    return _MUSAC.allocate(size, device_index(device))


def caching_allocator_delete(mem_ptr: int) -> None:
    """Free what caching_allocator_alloc returned. Raises ValueError if it did not, or if it is free already."""
    _MUSAC.release(mem_ptr)


def caching_allocator_enable(value: bool = True) -> None:
    """Do nothing: there is no cache to switch on, and none to switch off."""


@contextmanager
def caching_allocator_disabled() -> Iterator[None]:
    """A `with` block without a cache, as all code is here."""
    yield


def memory_snapshot() -> list[dict[str, Any]]:
    """Return all devices' memory in torch.cuda.memory_snapshot's form: a segment of one block for each tensor."""
    return [_segment(*block) for block in _MUSAC.live_blocks()]


def _segment(address: int, size: int, device: int) -> dict[str, Any]:
    sizes = {"address": address, "requested_size": size}
    return {
        **sizes,
        "device": device,
        "total_size": size,
        "allocated_size": size,
        "active_size": size,
        "stream": 0,
        "segment_type": "large",
        "segment_pool_id": (0, 0),
        "is_expandable": False,
        "frames": [],
        "blocks": [{**sizes, "size": size, "state": "active_allocated", "frames": []}],
    }


def _snapshot(device: DeviceLike = None) -> dict[str, Any]:
    """Return memory_snapshot as torch.cuda.memory._snapshot does. No history is recorded, so there are no traces."""
    traces: list[list[object]] = [[] for _ in range(device_count())]
    return {"segments": memory_snapshot(), "device_traces": traces, "allocator_settings": {}}


def _dump_snapshot(filename: str = "dump_snapshot.pickle") -> None:
    """Write a snapshot for PyTorch's viewer of memory (docs.pytorch.org/memory_viz)."""
    with Path(filename).open("wb") as file:
        pickle.dump(_snapshot(), file)
