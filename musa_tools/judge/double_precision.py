"""Judge a result that differs from the CPU's by the CPU's result in double precision.

The result passes if it is as good as the CPU's own. Two figures say how large its error may be: the error of the CPU's
result, and the effect of a rounding error of the inputs.
"""

from __future__ import annotations

import torch

from musa_tools.judge.numbers import absolute_rounding, exact, relative_rounding

_CPU_ERRORS = 2.0  # a good result may be this much worse than the CPU's
_CONDITION = 3.0  # rounding errors inside an operator act like errors of its inputs


def as_good(
    actual: torch.Tensor,
    expected: torch.Tensor,
    precise: torch.Tensor,
    disturbed: list[torch.Tensor],
    length: int,
    cancelling: bool,
) -> torch.Tensor:
    """Return a mask: the elements of a result that are too far from the precise one.

    Args:
        actual: The result to judge.
        expected: The CPU's result in the same dtype.
        precise: The CPU's result in double precision.
        disturbed: The same, of inputs that were changed by a rounding error.
        length: How many numbers were added up for each element.
        cancelling: Whether these may cancel each other.
    """
    dtype = actual.dtype
    actual, expected, precise = exact(actual), exact(expected), exact(precise)
    size = precise.abs()
    largest = float(size.nan_to_num(0.0, 0.0, 0.0).amax())
    allowed = relative_rounding(dtype, length) * size + absolute_rounding(dtype, length if cancelling else 1, largest)
    allowed = torch.maximum(allowed, _CPU_ERRORS * _worst_of_its_size((expected - precise).abs(), size))
    for other in disturbed:
        allowed = torch.maximum(allowed, _CONDITION * _condition(other, precise))
    return ~((actual - precise).abs() <= allowed) & torch.isfinite(actual)


def _condition(disturbed: torch.Tensor, precise: torch.Tensor) -> torch.Tensor:
    return (exact(disturbed) - precise).abs().nan_to_num(0.0, 0.0, 0.0)


def _worst_of_its_size(error: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    """Return for each element the largest error among elements of the same binary order of magnitude."""
    flat_error = error.nan_to_num(0.0, 0.0, 0.0).flatten()
    order = torch.frexp(size.nan_to_num(0.0, 0.0, 0.0)).exponent.flatten().to(torch.int64)
    order = (order - order.min()).clamp_(max=4096)
    worst = torch.zeros(int(order.max()) + 1, dtype=torch.float64)
    worst.scatter_reduce_(0, order, flat_error, "amax")
    return worst[order].view_as(error)
