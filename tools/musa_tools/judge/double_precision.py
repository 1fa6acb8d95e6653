"""Judge a result that differs from the CPU's by the CPU's result in double precision.

The result passes if it is as good as the CPU's own. Two figures say how large its error may be: the error of the CPU's
result, and the effect of a rounding error of the inputs.
"""

from __future__ import annotations

from typing import Any

import torch

from musa_tools.judge.numbers import epsilon, exact, is_float, smallest

_CPU_ERRORS = 2.0  # a good result may be this much worse than the CPU's
_CONDITION = 2.0  # rounding errors inside an operator act like errors of its inputs


def errors_of_cpu(
    expected: torch.Tensor, precise: torch.Tensor, lesser: list[tuple[torch.Tensor, torch.Tensor]]
) -> list[torch.Tensor]:
    """Return the errors of the CPU's own results, element by element.

    Nothing is more precise than a result in double precision. There, the operator's errors in single precision are
    scaled: they grow inside of it in the same way.

    Args:
        expected: The CPU's result.
        precise: The CPU's result in double precision.
        lesser: Of a result in double precision: the operator in single and in double precision, of the same inputs.
    """
    errors = [(exact(expected) - exact(precise)).abs()]
    for single, double in lesser:
        if single.shape == double.shape == expected.shape and is_float(single.dtype):
            whole = exact(double).abs() >= smallest(single.dtype)  # smaller numbers have few digits
            ratio = epsilon(expected.dtype) / epsilon(single.dtype)
            errors.append((exact(single) - exact(double)).abs() * ratio * whole)
    return errors


def condition(disturbed: torch.Tensor, precise: torch.Tensor, scale: float) -> torch.Tensor:
    """Return the effect of a rounding error of the inputs on each element.

    Args:
        disturbed: The result of inputs that were changed.
        precise: That of the inputs themselves.
        scale: The size of a rounding error, relative to that change.
    """
    return (exact(disturbed) - exact(precise)).abs().nan_to_num(0.0, 0.0, 0.0) * scale


def as_good(
    actual: torch.Tensor,
    precise: torch.Tensor,
    errors: list[torch.Tensor],
    conditions: list[torch.Tensor],
    relative: float,
    absolute: Any,
) -> torch.Tensor:
    """Return a mask: the elements of a result that are too far from the precise one.

    Args:
        actual: The result to judge.
        precise: The CPU's result in double precision.
        errors: Those of the CPU's own results.
        conditions: The effects of rounding errors of the inputs.
        relative: The allowed distance from the precise one, relative to its size.
        absolute: The same for a result of any size; a number, or a tensor with one for each element.
    """
    actual, precise = exact(actual), exact(precise)
    size = precise.abs()
    allowed = relative * size + absolute
    for error in errors:
        allowed = torch.maximum(allowed, _CPU_ERRORS * _worst_of_its_size(error, size))
    for each in conditions:
        allowed = torch.maximum(allowed, _CONDITION * each)
    bad: torch.Tensor = ~((actual - precise).abs() <= allowed) & torch.isfinite(actual)
    return bad


def _worst_of_its_size(error: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    """Return for each element the largest error among elements of the same binary order of magnitude."""
    flat_error = error.nan_to_num(0.0, 0.0, 0.0).flatten()
    order = torch.frexp(size.nan_to_num(0.0, 0.0, 0.0)).exponent.flatten().to(torch.int64)
    order = (order - order.min()).clamp_(max=4096)
    worst = torch.zeros(int(order.max()) + 1, dtype=torch.float64)
    worst.scatter_reduce_(0, order, flat_error, "amax")
    return worst[order].view_as(error)
