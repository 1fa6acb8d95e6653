"""Copies of tensors on the CPU that share memory where the originals do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Optional

import torch

from musa_tools.tensors.operands import mapped, tensors

_ALIGNMENT = 16  # bytes: no element of a tensor is wider


@dataclass(frozen=True)
class _Cluster:
    """Tensors whose bytes overlap, and the range of these bytes."""

    low: int
    high: int
    members: tuple[torch.Tensor, ...]


def snapshot(value: Any, written: Iterable[torch.Tensor] = (), copy_all: bool = False) -> Any:
    """Return a nest with its tensors on the CPU.

    Tensors that are written to, or overlap such tensors, are copied, and the copies share memory alike. Other tensors
    of the CPU are not copied, unless ``copy_all`` is set.
    """
    written_ids = {id(tensor) for tensor in written}
    copies: dict[int, torch.Tensor] = {}
    if written_ids:
        everything = {id(tensor): tensor for tensor in tensors(value)}
        for cluster in _clusters(everything.values()):
            if any(id(member) in written_ids for member in cluster.members):
                copies.update(_copy_together(cluster))

    def on_cpu(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        copied = copies.get(id(leaf))
        if copied is None:
            copied = copies[id(leaf)] = plain_copy(leaf) if copy_all or leaf.device.type != "cpu" else leaf
        return copied

    return mapped(value, on_cpu)


def with_first_copied(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Optional[tuple[Any, ...]]:
    """Return arguments with a copy of the first, a tensor of the CPU; None where another one may share its memory.

    This is a shortcut for most operators that write: ``snapshot`` would return the same.
    """
    first = args[0]
    if not isinstance(first, torch.Tensor) or not _simple(first) or not first.is_contiguous():
        return None
    storage = first.untyped_storage()._cdata
    for other in tensors((args[1:], kwargs)):
        if other.layout != torch.strided or other.untyped_storage()._cdata == storage:
            return None
    return (first.clone(), *args[1:])


def plain_copy(tensor: torch.Tensor) -> torch.Tensor:
    """Return a copy on the CPU."""
    return tensor.to("cpu", copy=True)


def _simple(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is a plain window on its storage."""
    return (
        tensor.layout == torch.strided
        and not tensor.is_quantized
        and not tensor.is_nested
        and not tensor.is_conj()
        and not tensor.is_neg()
        and tensor.numel() > 0
    )


def _byte_range(tensor: torch.Tensor) -> tuple[int, int]:
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    low = int(tensor.storage_offset()) * tensor.element_size()
    return low, low + (int(last) + 1) * tensor.element_size()


def _clusters(members: Iterable[torch.Tensor]) -> list[_Cluster]:
    by_storage: dict[int, list[tuple[int, int, torch.Tensor]]] = {}
    for tensor in members:
        if _simple(tensor):
            by_storage.setdefault(tensor.untyped_storage()._cdata, []).append((*_byte_range(tensor), tensor))
    found = []
    for ranges in by_storage.values():
        ranges.sort(key=lambda item: item[0])
        group: list[torch.Tensor] = []
        low = high = ranges[0][0]
        for start, end, tensor in ranges:
            if group and start >= high:
                found.append(_Cluster(low, high, tuple(group)))
                group, low, high = [], start, end
            group.append(tensor)
            high = max(high, end)
        found.append(_Cluster(low, high, tuple(group)))
    return found


def _copy_together(cluster: _Cluster) -> dict[int, torch.Tensor]:
    first = cluster.members[0]
    if len(cluster.members) == 1 and first.is_contiguous():
        return {id(first): plain_copy(first)}
    low = cluster.low // _ALIGNMENT * _ALIGNMENT
    window = torch.empty(0, dtype=torch.uint8, device=first.device)
    window.set_(first.untyped_storage(), low, (cluster.high - low,), (1,))
    storage = plain_copy(window).untyped_storage()
    return {id(member): _again(member, storage, low) for member in cluster.members}


def _again(tensor: torch.Tensor, storage: Any, low: int) -> torch.Tensor:
    offset = tensor.storage_offset() - low // tensor.element_size()
    copied = torch.empty(0, dtype=tensor.dtype, device="cpu")
    return copied.set_(storage, offset, tensor.size(), tensor.stride())
