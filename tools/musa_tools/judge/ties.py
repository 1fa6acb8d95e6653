"""Indices that differ and are right all the same, because two elements are equal and either may be named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import torch

# operators that return indices into their first argument -> the position of the argument with the dimension
_INDICES_OF = {
    "aten.argmax": 1,
    "aten.argmin": 1,
    "aten.max": 1,
    "aten.min": 1,
    "aten.topk": 2,
    "aten.sort": 1,
    "aten.argsort": 1,
    "aten.kthvalue": 2,
    "aten.median": 1,
    "aten.nanmedian": 1,
    "aten.mode": 1,
}
_FLAT_INDICES_OF = ("aten.max_pool2d_with_indices", "aten.max_pool3d_with_indices", "aten.adaptive_max_pool2d")


def point_to_equal_values(
    base: str, args: Sequence[Any], kwargs: Mapping[str, Any], actual: torch.Tensor, expected: torch.Tensor
) -> bool:
    """Return whether two results of indices name elements of the same value."""
    values = args[0] if args else kwargs.get("self")
    if not isinstance(values, torch.Tensor) or actual.dtype != torch.int64:
        return False
    if base in _FLAT_INDICES_OF:
        planes = actual.ndim - (3 if "3d" in base else 2)
        flat, a, b = values.flatten(planes), actual.flatten(planes), expected.flatten(planes)
        return _equal_at(flat, a, b, -1)
    if base not in _INDICES_OF:
        return False
    dimension = _dimension(base, args, kwargs)
    if dimension is None:
        return _equal_at(values.flatten(), actual.reshape(1), expected.reshape(1), 0)
    if values.ndim and actual.ndim < values.ndim:
        actual, expected = actual.unsqueeze(dimension), expected.unsqueeze(dimension)
    return _equal_at(values, actual, expected, dimension)


def _dimension(base: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Optional[int]:
    if "dim" in kwargs:
        return None if kwargs["dim"] is None else int(kwargs["dim"])
    position = _INDICES_OF[base]
    given = args[position] if position < len(args) else None
    if isinstance(given, bool):  # sort.stable: stable comes first
        given = args[position + 1] if position + 1 < len(args) else None
    if given is None:
        return None if base in ("aten.argmax", "aten.argmin") else -1
    return int(given)


def _equal_at(values: torch.Tensor, actual: torch.Tensor, expected: torch.Tensor, dimension: int) -> bool:
    if not values.ndim:
        return bool((actual == 0).all())
    size = values.shape[dimension]
    if not bool(((actual >= 0) & (actual < size)).all()):
        return False
    a, b = values.gather(dimension, actual), values.gather(dimension, expected)
    return bool(((a == b) | (a.isnan() & b.isnan())).all())
