"""Operands of kernel tests: random numbers in several layouts, on the CPU and on the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Union

import torch
from torch import Tensor

FLOATING = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
SINGLE = (torch.float32, torch.float64)
INTEGRAL = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
BOOL = (torch.bool,)
COMPLEX = (torch.complex64, torch.complex128)
WIDER = {torch.float16: torch.float32, torch.bfloat16: torch.float32}
Operand = Union[Tensor, float]


def named(name: str) -> Callable[..., Any]:
    """Return a function of torch, or of torch.special."""
    return getattr(torch.special, name[8:]) if name.startswith("special.") else getattr(torch, name)


def numbers(shape: tuple[int, ...], dtype: torch.dtype, low: float = 0.1, high: float = 1.1) -> Tensor:
    """Return random numbers in [low, high]."""
    if dtype.is_complex:
        parts = low + (high - low) * torch.rand((*shape, 2), dtype=torch.float64)
        return torch.view_as_complex(parts).to(dtype)
    if dtype.is_floating_point:
        return (low + (high - low) * torch.rand(shape, dtype=torch.float64)).to(dtype)
    if dtype == torch.bool:
        return torch.rand(shape) < 0.5
    least = max(int(low), torch.iinfo(dtype).min) if low >= 0 or torch.iinfo(dtype).min < 0 else 0
    return torch.randint(least, max(int(high), least) + 1, shape).to(dtype)


def layouts(value: Tensor) -> list[Tensor]:
    """Return the same numbers without gaps, transposed, with gaps, expanded, of no dimension, and none at all."""
    gaps = torch.empty((*value.shape[:-1], value.shape[-1] * 3), dtype=value.dtype)[..., ::3].copy_(value)
    return [value, value.t(), gaps, value[:1].expand_as(value), value[0, 0], value[:0]]


def on_device(value: Any) -> Any:
    """Return a tensor's copy with the same strides; a number itself."""
    if not isinstance(value, Tensor):
        return value
    if value.numel() == 0 or 0 in value.stride():
        return value.to("musa").expand_as(value)
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="musa").copy_(value)


def expected(function: Callable[..., Any], *values: Operand) -> Any:
    """Return what the CPU computes; of half and bfloat16 in float32, as the device does."""
    dtype = next(value.dtype for value in values if isinstance(value, Tensor))
    if dtype not in WIDER:
        return function(*values)
    result = function(*(value.to(WIDER[dtype]) if isinstance(value, Tensor) else value for value in values))
    return result.to(dtype) if result.dtype == WIDER[dtype] else result


def agree(actual: Tensor, wanted: Tensor, loose: bool = False) -> None:
    """Assert that a result on the device is the wanted one; within ten times the usual tolerance if `loose`."""
    assert actual.device.type == "musa"
    if loose and wanted.dtype in (torch.float32, torch.float64):
        tolerance = 1e-4 if wanted.dtype == torch.float32 else 1e-9
        torch.testing.assert_close(actual.cpu(), wanted, rtol=tolerance, atol=tolerance, equal_nan=True)
    else:
        torch.testing.assert_close(actual.cpu(), wanted, equal_nan=True)


def assert_native(*names: str) -> None:
    """Assert that no operator of these names was computed by the CPU."""
    counts = {count.name for count in torch.musa.fallback_report().operators}
    assert not counts & {f"aten::{name}" for name in names}
