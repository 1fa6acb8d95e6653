"""Measure the distance of two values: by their elements if both dumps have them, else by statistics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, prod
from typing import Optional

from musa_tools.compare_dumps.records import Value
from musa_tools.compare_dumps.tensor_files import elements
from musa_tools.judge.measures import (
    Difference,
    Elements,
    Measures,
    allowed_distance,
    cancelling_noise,
    is_inexact,
)
from musa_tools.statistic_fields import STATISTICS, Scale

_LEAST = 1e-30  # below it, numbers count as zero
_DEVICE = re.compile(r"(cpu|cuda|musa|npu|xpu|hpu|mps|privateuseone)(:\d+)?")  # as `device=` and `.to()` have it


def measure(left: Value, right: Value) -> Measures:
    """Return how far two values are apart.

    Args:
        left: The value to judge.
        right: The reference.
    """
    if not left.is_tensor or not right.is_tensor:
        equal = left.is_tensor == right.is_tensor and _same(left.scalar, right.scalar)
        return Measures(tensor=False, scalar_equal=equal)
    facts = _elements(left, right)
    distance, largest = _distance(left, right, facts)
    digests = left.digest == right.digest if left.digest and right.digest else None
    same = left.shape == right.shape
    return Measures(
        shape_equal=same,
        dtype_equal=left.dtype == right.dtype,
        grad_equal=left.requires_grad == right.requires_grad or None in (left.requires_grad, right.requires_grad),
        digest_equal=digests,
        nonfinite_left=_nonfinite(left),
        nonfinite_right=_nonfinite(right),
        distance=0.0 if digests and same else distance,
        largest=largest,
        allowed=allowed_distance(left.dtype, right.dtype),
        size=max(_size(left), _size(right)),
        elements=facts,
        differences=_differences(left, right),
    )


def without_noise(output: Measures, value: Value, inputs: Sequence[tuple[Measures, Value]]) -> Measures:
    """Return the measures of a result, marked as negligible if cancelling terms explain the difference.

    Args:
        output: The measures of the two results.
        value: One of them.
        inputs: The inputs of the call, and how far they are apart.
    """
    if not output.largest or output.distance is None or not output.different or not is_inexact(value.dtype):
        return output
    sizes = [each.size for each, _ in inputs if each.tensor]
    results = max(prod(value.shape or ()), 1)
    length = max((prod(each.shape or ()) // results for _, each in inputs if each.is_tensor), default=1)
    if output.elements is None or output.elements.sampled:
        return output  # statistics only: a bound from below is no reason to acquit
    noise = cancelling_noise(value.dtype, sizes, length)
    return replace(output, negligible=True) if output.largest <= noise else output


def _same(left: object, right: object) -> bool:
    if _DEVICE.fullmatch(str(left)) and _DEVICE.fullmatch(str(right)):
        return True  # the runs may be on two types of devices
    return left == right or (left != left and right != right) or str(left) == str(right)


def _elements(left: Value, right: Value) -> Optional[Elements]:
    if not (left.has_elements and right.has_elements):
        return None
    a, b = elements(left), elements(right)
    if a is None or b is None or a.numel() != b.numel():
        return None  # sampled in other steps: statistics decide
    from musa_tools.judge.elements import measured

    return measured(a, b, sampled=a.numel() != prod(left.shape or ()))


def _differences(left: Value, right: Value) -> Optional[dict[str, Difference]]:
    found = {}
    for each in STATISTICS:
        a, b = left.statistics.get(each.name), right.statistics.get(each.name)
        found[each.name] = Difference(_difference(a, b), _relative(a, b))
    return found if any(each.absolute is not None for each in found.values()) else None


def _difference(a: Optional[float], b: Optional[float]) -> Optional[float]:
    return None if a is None or b is None else 0.0 if a == b else a - b


def _relative(a: Optional[float], b: Optional[float]) -> Optional[float]:
    if a is None or b is None or not isfinite(a) or not isfinite(b):
        return None
    return 0.0 if a == b else abs(a - b) / abs(b) if abs(b) > _LEAST else float("inf")


def _distance(left: Value, right: Value, facts: Optional[Elements]) -> tuple[Optional[float], Optional[float]]:
    """Return the relative distance and the largest difference that are known."""
    if facts is not None and not facts.sampled:
        return facts.distance, facts.max_abs
    size = max(_size(left), _size(right))
    gaps: list[float] = []
    shares: list[float] = []
    for each in STATISTICS:
        a, b = left.statistics.get(each.name), right.statistics.get(each.name)
        if a is None or b is None or not isfinite(a) or not isfinite(b):
            continue
        whole = max(a, b) if each.scale is Scale.OWN else size
        if whole > _LEAST:
            shares.append(abs(a - b) / whole)
        if each.scale is Scale.ELEMENT:
            gaps.append(abs(a - b))
            shares.append(0.0)
    if facts is not None and facts.distance is not None:
        shares.append(facts.distance)
        gaps.append(facts.max_abs or 0.0)
    return max(shares, default=None), max(gaps, default=None)


def _size(value: Value) -> float:
    high, low = value.statistics.get("max"), value.statistics.get("min")
    size = abs(high) if high is not None and isfinite(high) else 0.0
    return max(size, abs(low)) if low is not None and isfinite(low) else size


def _nonfinite(value: Value) -> bool:
    high, low, mean = (value.statistics.get(name) for name in ("max", "min", "mean"))
    if high is None:
        return mean is not None and not isfinite(mean)
    return not isfinite(high) or (low is not None and not isfinite(low))
