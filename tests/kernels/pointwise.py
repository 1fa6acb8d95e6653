"""Functions that compute each element by itself: operands of each type and layout, and how results are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from .compare import DEFAULT, agree, in_float, layouts, numbers_within, on_device

#: the function, its types, and the range of its operands
Table = Mapping[str, tuple[tuple[torch.dtype, ...], float, float]]


def with_in_place_forms(table: Table) -> list[str]:
    return [name for name in table if hasattr(torch.Tensor, f"{name}_")]


def few(table: Table, name: str, operands: int) -> list[Tensor]:
    """Return operands of the function's first type."""
    types, low, high = table[name]
    return [numbers_within((9, 11), types[0], low, high) for _ in range(operands)]


def laid_out(table: Table, name: str, dtype: torch.dtype, operands: int) -> Iterator[tuple[Tensor, ...]]:
    """Yield operands of a type, all in the same layout, for each layout."""
    _, low, high = table[name]
    for shape in ((3, 5), (70, 129)):
        yield from zip(*(layouts(numbers_within(shape, dtype, low, high)) for _ in range(operands)))


def assert_both_forms(
    function: Callable[..., Any], operands: tuple[Tensor, ...], close: Mapping[str, float] = DEFAULT
) -> None:
    """Compare the result with the CPU's, and what the function writes to `out`."""
    wanted = in_float(function, *operands)
    agree(function(*map(on_device, operands)), wanted, close)
    out = torch.empty(0, dtype=wanted.dtype, device="musa")
    agree(function(*map(on_device, operands), out=out), wanted, close)
