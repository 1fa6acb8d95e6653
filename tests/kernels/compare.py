"""Run a function on the device and on the CPU, and compare: results, and whether a kernel computed them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_map

FLOATING = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
SINGLE = (torch.float32, torch.float64)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
INTEGRAL = (*INTEGERS, torch.bool)
COMPLEX = (torch.complex64, torch.complex128)
ALL = (*FLOATING, *INTEGRAL, *COMPLEX)
#: torch.testing's tolerances
DEFAULT: Mapping[str, float] = {}
#: Functions of other roundings than the CPU's vector functions, amplified by differences of large numbers; and those of
#: torch.special.
LOOSE = {"tan", "lgamma", "digamma", "polygamma"}
#: The type in which the device computes another.
WIDER = {torch.float16: torch.float32, torch.bfloat16: torch.float32}


def named(name: str) -> Callable[..., Any]:
    """Return a function of torch, or of torch.special."""
    return getattr(torch.special, name[8:]) if name.startswith("special.") else getattr(torch, name)


def numbers(shape: Iterable[int], dtype: torch.dtype) -> Tensor:
    """Return random numbers, small enough for sums and products of a type."""
    shape = tuple(shape)
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, dtype=torch.complex128 if dtype.is_complex else torch.float64).to(dtype)
    return torch.randint(0, 2 if dtype == torch.bool else 10, shape).to(dtype)


def numbers_within(shape: tuple[int, ...], dtype: torch.dtype, low: float, high: float) -> Tensor:
    """Return random numbers in [low, high]; of a complex type, both parts are."""
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


def in_float(function: Callable[..., Any], *values: Any) -> Any:
    """Return the result of the CPU; for half and bfloat16 it computes in float32, as the device does."""
    dtype = next(value.dtype for value in values if isinstance(value, Tensor))
    if dtype not in WIDER:
        return function(*values)
    result = function(*(value.to(WIDER[dtype]) if isinstance(value, Tensor) else value for value in values))
    return result.to(dtype) if result.dtype == WIDER[dtype] else result


def on_device(value: Any) -> Any:
    """Return a copy with the same strides; a view of a copy where elements overlap. Numbers and others stay."""
    if not isinstance(value, Tensor):
        return value
    span = 1 + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride())) if value.numel() else 0
    written = value.detach().conj() if value.is_conj() else value.detach()
    whole = written.as_strided((span,), (1,), value.storage_offset())
    moved = whole.to("musa").as_strided(value.shape, value.stride(), 0)
    moved = moved.conj() if value.is_conj() else moved
    return moved.detach().requires_grad_(value.requires_grad)


def agree(actual: Any, expected: Any, close: Mapping[str, float] = DEFAULT) -> None:
    """Compare results, which may be in tuples, and their strides' order not."""
    found, wanted = tree_flatten(actual)[0], tree_flatten(expected)[0]
    assert len(found) == len(wanted)
    for left, right in zip(found, wanted):
        if isinstance(right, Tensor):
            assert left.device.type == "musa"
            torch.testing.assert_close(left.cpu(), right, equal_nan=True, **close)
        else:
            assert left == right


def tolerance(name: str, dtype: torch.dtype) -> Mapping[str, float]:
    """Return how close results of a function must be: of those in LOOSE about ten times the usual tolerances."""
    loose = {torch.float32: 1e-4, torch.float64: 1e-9}.get(dtype)
    return {"rtol": loose, "atol": loose} if loose and (name in LOOSE or "." in name) else DEFAULT


def compare(
    function: Callable[..., Any],
    *arguments: Any,
    keywords: Mapping[str, Any] | None = None,
    gradients: bool = False,
    close: Mapping[str, float] = DEFAULT,
) -> None:
    """Call a function on the CPU and on the device, and compare results, what it wrote, and gradients."""
    here = tree_map(lambda a: a.clone() if isinstance(a, Tensor) and not a.requires_grad else a, arguments)
    there = tree_map(on_device, arguments)
    expected = function(*here, **(keywords or {}))
    actual = function(*there, **(keywords or {}))
    agree(actual, expected, close)
    changed = [tree_flatten(side)[0] for side in (there, here)]
    left, right = ([a.detach() for a in side if isinstance(a, Tensor)] for side in changed)
    agree(left, right, close)
    if gradients:
        for result in (expected, actual):
            made = [r for r in tree_flatten(result)[0] if isinstance(r, Tensor) and r.requires_grad]
            total = torch.stack([r.abs().double().pow(2).sum() for r in made]).sum()
            total.backward()
        for left, right in zip(*changed):
            if isinstance(right, Tensor) and right.requires_grad:
                agree(left.grad, right.grad, close)


def computed_by_cpu() -> set[str]:
    """Names of operators that the CPU computed since the test began."""
    return {count.name for count in torch.musa.fallback_report().operators}


def assert_native(*names: str) -> None:
    """Assert that no operator of these names was computed by the CPU."""
    assert not computed_by_cpu() & {f"aten::{name}" for name in names}
