"""Numbers about floating point: precision per dtype, tensors as float64, the unit in the last place."""

from __future__ import annotations

import torch

_TO_FLOAT32_FIRST = frozenset(
    getattr(torch, name)
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
    if hasattr(torch, name)
)


def is_float(dtype: torch.dtype) -> bool:
    """Return whether values of a dtype are rounded."""
    return dtype.is_floating_point or dtype.is_complex


def epsilon(dtype: torch.dtype) -> float:
    """Return the distance of 1 to the next larger number of a dtype."""
    return float(torch.finfo(dtype).eps)


def smallest(dtype: torch.dtype) -> float:
    """Return the smallest normal number of a dtype: results below it lose digits."""
    return float(torch.finfo(dtype).tiny)


def exact(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor as float64 or complex128, which holds every value of a narrower dtype."""
    tensor = plain(tensor)
    return tensor.to(torch.complex128 if tensor.dtype.is_complex else torch.float64)


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor whose dtype has all arithmetic: floats of 8 bits become float32."""
    if tensor.dtype is torch.complex32:
        return tensor.to(torch.complex64)
    return tensor.to(torch.float32) if tensor.dtype in _TO_FLOAT32_FIRST else tensor
