"""The statistics of tensors: maximum, minimum, mean and norm."""

from __future__ import annotations

import math
from typing import Any, Callable

import torch

from musa_tools.tensors.readable import readable

KEYS = ("Max", "Min", "Mean", "Norm")
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
_NOTHING = dict.fromkeys(KEYS)

Numbers = tuple[Any, Any, Any, Any]


class Statistics:
    """Computes the numbers of tensors: of the CPU at once; of other devices there, and fetches many at a time."""

    def __init__(self) -> None:
        self._waiting: list[tuple[dict[str, Any], tuple[torch.Tensor, ...], Callable[..., Numbers]]] = []

    def __len__(self) -> int:
        """Return how many entries wait for their numbers."""
        return len(self._waiting)

    def kinds(self) -> set[str]:
        """Return the kinds of devices, as ``cuda``, that entries wait for."""
        return {values[0].device.type for _, values, _ in self._waiting}

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
                entry.update(zip(KEYS, _numbers(values)))
            else:
                self._waiting.append((entry, *_launched(values)))
        except RuntimeError:  # there is no kernel for the type, or no memory left
            return

    def resolve(self) -> None:
        """Fill all entries that wait."""
        waiting, self._waiting = self._waiting, []
        groups: dict[tuple[torch.device, torch.dtype], list[torch.Tensor]] = {}
        for _, values, _ in waiting:
            for value in values:
                groups.setdefault((value.device, value.dtype), []).append(value)
        fetched = {key: iter(torch.stack(group).tolist()) for key, group in groups.items()}
        for entry, values, finish in waiting:
            numbers = [next(fetched[(value.device, value.dtype)]) for value in values]
            entry.update(zip(KEYS, finish(*numbers)))


def _numbers(tensor: torch.Tensor) -> Numbers:
    values, finish = _launched(tensor)
    numbers = finish(*[value.item() for value in values])
    if numbers[2] is None or not _overflowed(numbers):
        return numbers
    wide = tensor.abs() if tensor.is_complex() else tensor
    mean = float(wide.sum(dtype=torch.float64)) / tensor.numel()
    norm = float(torch.linalg.vector_norm(wide.double()))
    return (*numbers[:2], mean, norm)


def _overflowed(numbers: Numbers) -> bool:
    """Return whether a sum of finite numbers was too large for its type."""
    high, low, mean, norm = numbers
    return not (math.isfinite(mean) and math.isfinite(norm)) and math.isfinite(high) and math.isfinite(low)


def _launched(tensor: torch.Tensor) -> tuple[tuple[torch.Tensor, ...], Callable[..., Numbers]]:
    """Start the reductions; return their results, and the function that makes the statistics of them."""
    count = tensor.numel()
    if tensor.dtype == torch.bool:
        return (tensor.any(), tensor.all()), lambda any_, all_: (any_, all_, None, None)
    if tensor.is_complex():
        tensor = tensor.abs()
    exact = tensor
    if tensor.dtype not in _PLAIN:
        tensor = tensor.float() if tensor.is_floating_point() else tensor.double()
    low, high = torch.aminmax(exact if not exact.is_floating_point() else tensor)
    values = (low, high, tensor.sum(), torch.linalg.vector_norm(tensor))
    return values, lambda low, high, total, norm: (high, low, total / count, norm)
