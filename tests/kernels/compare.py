"""Run a function on the device and on the CPU, and compare: results, and whether a kernel computed them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_map

FLOATING = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGRAL = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool)
COMPLEX = (torch.complex64, torch.complex128)
ALL = (*FLOATING, *INTEGRAL, *COMPLEX)
#: torch.testing's tolerances
DEFAULT: Mapping[str, float] = {}


def numbers(shape: Iterable[int], dtype: torch.dtype) -> Tensor:
    """Random numbers, small enough for sums and products of a type."""
    shape = tuple(shape)
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, dtype=torch.complex128 if dtype.is_complex else torch.float64).to(dtype)
    return torch.randint(0, 2 if dtype == torch.bool else 10, shape).to(dtype)


def on_device(value: Any) -> Any:
    """A copy with the same strides; a view of a copy where elements overlap. Numbers and others stay."""
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
