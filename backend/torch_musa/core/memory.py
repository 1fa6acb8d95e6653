"""Device memory. There is no cache: what is reserved is what tensors use, and freeing a tensor frees its memory."""

from __future__ import annotations

from typing import Optional

from torch_musa import _MUSAC
from torch_musa.core.device import DeviceLike, device_index

_COUNTED = {
    "bytes": ("allocated_bytes", "active_bytes", "requested_bytes", "reserved_bytes"),
    "blocks": ("allocation", "active", "segment"),
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
    """Return the counters under torch.cuda.memory_stats' names; those of a cache are absent."""
    stats = _MUSAC.memory_stats(device_index(device))
    named = {
        "num_ooms": stats["out_of_memory"],
        "num_device_alloc": stats["blocks.allocated"],
        "num_device_free": stats["blocks.freed"],
    }
    for counted, kinds in _COUNTED.items():
        for kind in kinds:
            for metric in ("current", "peak", "allocated", "freed"):
                named[f"{kind}.all.{metric}"] = stats[f"{counted}.{metric}"]
    return dict(sorted(named.items()))


def memory_summary(device: DeviceLike = None, abbreviated: bool = False) -> str:
    """Return memory_stats as a table for people; `abbreviated` leaves out the totals."""
    index = device_index(device)
    stats = _MUSAC.memory_stats(index)
    free, total = mem_get_info(index)
    rows = [
        ("used by tensors", stats["bytes.current"]),
        ("peak used by tensors", stats["bytes.peak"]),
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


def empty_cache() -> None:
    """Do nothing: there is no cache to empty."""


def set_per_process_memory_fraction(fraction: float, device: Optional[DeviceLike] = None) -> None:
    """Let this process use at most `fraction` (0 to 1) of a device; more raises torch.OutOfMemoryError."""
    _MUSAC.set_memory_fraction(fraction, device_index(device))
