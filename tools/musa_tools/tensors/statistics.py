"""Compute the statistics of tensors (``statistic_fields``)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch

from musa_tools.statistic_fields import STATISTICS, Reduced, Scale, Statistic
from musa_tools.tensors.operands import readable

_PLAIN = (torch.float32, torch.float64)
#: Types with few kernels, and the narrowest one that holds their values.
_WIDER = {
    getattr(torch, name): wider
    for name, wider in (
        ("uint16", torch.int64),
        ("uint32", torch.int64),
        ("uint64", torch.float64),
        ("complex32", torch.complex64),
    )
    if hasattr(torch, name)
}
_NOTHING = {each.key: None for each in STATISTICS}


class _Launched(NamedTuple):
    """Statistics that a device computes, and their tensor."""

    statistics: tuple[Statistic, ...]
    values: tuple[torch.Tensor, ...]
    elements: int

    def entry(self, numbers: list[Any]) -> dict[str, Any]:
        """Return the statistics by key, of the fetched numbers."""
        return {each.key: each.finish(number, self.elements) for each, number in zip(self.statistics, numbers)}


class Statistics:
    """Compute the statistics of tensors: for CPU tensors immediately; otherwise on the device, fetched in batches."""

    def __init__(self) -> None:
        self._waiting: list[tuple[dict[str, Any], _Launched]] = []

    def __len__(self) -> int:
        """Return how many entries wait for their numbers."""
        return len(self._waiting)

    def kinds(self) -> set[str]:
        """Return the kinds of devices, as ``cuda``, that entries wait for."""
        return {launched.values[0].device.type for _, launched in self._waiting}

    def add(self, tensor: torch.Tensor, entry: dict[str, Any]) -> None:
        """Put the numbers of a tensor into an entry, now or when ``resolve`` is called."""
        entry.update(_NOTHING)
        values = readable(tensor)
        if values is None or not values.numel():
            return
        try:
            if values.dtype in _WIDER:
                values = values.to(_WIDER[values.dtype])
            if values.device.type == "cpu":
                entry.update(_computed(values))
            else:
                self._waiting.append((entry, _launched(values)))
        except RuntimeError:  # there is no kernel for the type, or no memory left
            return

    def resolve(self) -> None:
        """Fill all entries that wait."""
        waiting, self._waiting = self._waiting, []
        groups: dict[tuple[torch.device, torch.dtype], list[torch.Tensor]] = {}
        for _, launched in waiting:
            for value in launched.values:
                groups.setdefault((value.device, value.dtype), []).append(value)
        fetched = {key: iter(torch.stack(group).tolist()) for key, group in groups.items()}
        for entry, launched in waiting:
            entry.update(launched.entry([next(fetched[(value.device, value.dtype)]) for value in launched.values]))


def _computed(tensor: torch.Tensor) -> dict[str, Any]:
    launched = _launched(tensor)
    entry = launched.entry([value.item() for value in launched.values])
    finite = {each.key: math.isfinite(entry[each.key]) for each in launched.statistics}
    summed = [each for each in launched.statistics if each.wide]
    # a sum of finite numbers was too large for its type
    if not all(finite[each.key] for each in summed) and all(
        finite[each.key] for each in STATISTICS if each.scale is Scale.ELEMENT
    ):
        values = tensor.abs() if tensor.is_complex() else tensor
        entry.update({each.key: each.wide(values) for each in summed if each.wide})
    return entry


def _launched(tensor: torch.Tensor) -> _Launched:
    """Start the reductions of a tensor."""
    if tensor.dtype == torch.bool:
        found = [(each, each.of_bool(tensor)) for each in STATISTICS if each.of_bool]
    else:
        if tensor.is_complex():
            tensor = tensor.abs()
        exact = tensor
        if tensor.dtype not in _PLAIN:
            tensor = tensor.float() if tensor.is_floating_point() else tensor.double()
        low, high = torch.aminmax(exact if not exact.is_floating_point() else tensor)
        reduced = Reduced(low, high, tensor)
        found = [(each, each.compute(reduced)) for each in STATISTICS]
    return _Launched(tuple(each for each, _ in found), tuple(value for _, value in found), tensor.numel())
