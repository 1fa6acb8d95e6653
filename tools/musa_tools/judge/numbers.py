"""Numbers about floating point: precision per dtype, tensors as float64, the ULP (unit of the last digit)."""

from __future__ import annotations

import math

import torch

_TO_FLOAT32_FIRST = frozenset(
    getattr(torch, name)
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
    if hasattr(torch, name)
)


_ARITHMETIC = frozenset(
    (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128)
)


def is_float(dtype: torch.dtype) -> bool:
    """Return whether values of a dtype are rounded."""
    return dtype.is_floating_point or dtype.is_complex


def has_arithmetic(dtype: torch.dtype) -> bool:
    """Return whether PyTorch computes with floats of a dtype, at least as ``plain`` returns them."""
    return dtype in _ARITHMETIC or dtype in _TO_FLOAT32_FIRST or dtype is torch.complex32


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
    """Return a tensor that supports arithmetic: floats of 8 bits become float32, lazy conjugates are formed."""
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    if tensor.dtype is torch.complex32:
        return tensor.to(torch.complex64)
    return tensor.to(torch.float32) if tensor.dtype in _TO_FLOAT32_FIRST else tensor


_ULPS = 3.0  # ULPs that two correct implementations of a function may lie apart
_SUM = 4  # from this reduced length on, errors of terms that cancel are measured by the largest result
_NARROW_SCALE = 0.125  # of an ULP of the largest result
_WIDE_SCALE = 0.25  # the same, times the square root of the reduced length


def accumulation_step(dtype: torch.dtype) -> float:
    """Return the rounding error inside an operator: narrow floats are added up in float32."""
    return min(epsilon(dtype), epsilon(torch.float32))


def relative_rounding(dtype: torch.dtype, length: int) -> float:
    """Return how far apart two correct results may be, relative to their size.

    Args:
        dtype: The dtype of the results.
        length: The number of terms of the sum for each element.
    """
    step, inner = epsilon(dtype), accumulation_step(dtype)
    root = max(1.0, math.sqrt(length))
    return _ULPS * (step * root if inner == step else step + inner * root)


def absolute_rounding(dtype: torch.dtype, length: int, largest: float, in_own_dtype: bool = False) -> float:
    """Return how far apart two correct results may be in addition, because terms cancel each other.

    Args:
        dtype: The dtype of the results.
        length: The number of terms that may cancel in the sum for each element.
        largest: The largest element.
        in_own_dtype: Whether sums of a narrow dtype are formed in this dtype; else in float32.
    """
    least = smallest(dtype) * epsilon(dtype)
    if length < _SUM or largest != largest or largest == float("inf"):
        return least
    step = epsilon(dtype)
    narrow = accumulation_step(dtype) < step and not in_own_dtype
    return least + step * largest * (_NARROW_SCALE if narrow else _WIDE_SCALE * math.sqrt(length))
