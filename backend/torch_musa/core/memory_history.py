"""The history of allocations: snapshots of device memory with stacks, as torch.cuda.memory._snapshot has them.

There is no cache. What CUDA's allocator calls a segment, memory from the driver, is one tensor's block here.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional, Union

import torch

from torch_musa import _MUSAC
from torch_musa.core import flame_graph
from torch_musa.core.device import DeviceLike, device_index

# torch.cuda._memory_viz has no annotations to speak of
# mypy: disable-error-code="no-untyped-call"

_CONTEXTS = {None: 0, "state": 1, "alloc": 2, "all": 3}
_STACKS = ("python", "all")
_MODES = ("state", "all")


def _record_memory_history(
    enabled: Union[str, bool, None] = "all",
    context: Union[str, bool, None] = "all",
    stacks: str = "all",
    max_entries: int = sys.maxsize,
    device: DeviceLike = None,
    clear_history: bool = False,
    **legacy: object,
) -> None:
    """Keep stacks of allocations for _snapshot, on all devices; `enabled=None` stops and forgets them.

    Args:
        enabled: "state" for what is allocated only, "all" for a history of allocations and frees as well.
        context: for what stacks are kept: None, "state" (memory in use), "alloc" (allocations too), "all" (frees too).
        stacks: "python", or "all" with frames of TorchScript and C++.
        max_entries: how many events a device's history has at most; the oldest go.
        device: accepted for torch.cuda's sake.
        clear_history: forget the events so far.
    """
    if isinstance(enabled, bool) or legacy:  # torch.cuda's older form, with other arguments
        raise TypeError(
            "Expected enabled to be None, 'state' or 'all': the older form of this function is not supported"
        )
    if enabled is None:
        _MUSAC.stop_memory_history()
        return
    _require("enabled", enabled, _MODES)
    _require("context", context, tuple(_CONTEXTS))
    _require("stacks", stacks, _STACKS)
    if clear_history:
        _MUSAC.clear_memory_history()
    most = max_entries if enabled == "all" else 1
    _MUSAC.start_memory_history(_CONTEXTS[context], stacks == "all", most)  # type: ignore[index]


def _require(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        raise RuntimeError(f"Expected {name} to be one of {', '.join(map(repr, allowed))}, but got: {value!r}")


def memory_snapshot(mempool_id: Optional[tuple[int, int]] = None, include_traces: bool = True) -> list[dict[str, Any]]:
    """Return all devices' memory in torch.cuda.memory_snapshot's form: a segment of one block for each tensor.

    With `mempool_id`, only what came from that pool. Traces are in _snapshot alone: `include_traces` changes nothing.
    """
    blocks, _ = _MUSAC.memory_snapshot()
    return [_segment(block) for block in blocks if mempool_id is None or block["pool"] == mempool_id]


def _segment(block: dict[str, Any]) -> dict[str, Any]:
    size = block["size"]
    sizes = {"address": block["address"], "requested_size": size}
    return {
        **sizes,
        "device": block["device"],
        "total_size": size,
        "allocated_size": size,
        "active_size": size,
        "stream": 0,
        "segment_type": "large",
        "segment_pool_id": block["pool"],
        "is_expandable": False,
        "frames": block["frames"],
        "blocks": [{**sizes, "size": size, "state": "active_allocated", "frames": block["frames"]}],
    }


def _snapshot(device: DeviceLike = None) -> dict[str, Any]:
    """Return memory_snapshot and, after _record_memory_history, the events of each device (or of `device` alone)."""
    blocks, traces = _MUSAC.memory_snapshot()
    segments = [_segment(block) for block in blocks]
    if device is not None:
        index = device_index(device)
        segments = [segment for segment in segments if segment["device"] == index]
        traces = [trace if number == index else [] for number, trace in enumerate(traces)]
    return {"segments": segments, "device_traces": traces, "allocator_settings": {}, "external_annotations": []}


def _dump_snapshot(filename: str = "dump_snapshot.pickle") -> None:
    """Write a snapshot for PyTorch's viewer of memory (docs.pytorch.org/memory_viz)."""
    with Path(filename).open("wb") as file:
        pickle.dump(_snapshot(), file)


def _save_segment_usage(filename: str = "output.svg", snapshot: Optional[dict[str, Any]] = None) -> None:
    """Write a picture of all segments by stream and by the stacks that allocated them."""
    _save(torch.cuda._memory_viz.segments, filename, snapshot)


def _save_memory_usage(filename: str = "output.svg", snapshot: Optional[dict[str, Any]] = None) -> None:
    """Write a picture of all memory by the stacks that allocated it."""
    _save(torch.cuda._memory_viz.memory, filename, snapshot)


def _save(picture: Callable[..., str], filename: str, snapshot: Optional[dict[str, Any]]) -> None:
    # Drawn here: PyTorch's own function downloads a program for it.
    drawn = picture(_snapshot() if snapshot is None else snapshot, format_flamegraph=flame_graph.drawn)
    Path(filename).write_text(drawn, encoding="utf-8")
