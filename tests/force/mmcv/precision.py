"""One check in several element types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from comparing import on_both

FLOATS = "float32 float64"
ALL = "float16 float32 float64"


def agree(
    dtype: str,
    function: Callable[..., Any],
    inputs: Sequence[torch.Tensor],
    *,
    other_device: Callable[..., Any] | None = None,
    near: float = 1e-5,
    half: float | None = None,
    double: float | None = None,
) -> None:
    """`on_both` with floating inputs as `dtype`.

    `near` is the tolerance, relative and absolute, in float32. float64 has about twice as many digits and float16 half
    as many, so theirs are its square and its square root; `double` and `half` say otherwise for kernels that compute in
    float32 on the way, or whose rounding errors grow. Raises AssertionError.
    """
    tolerance = {"float16": half or near**0.5, "float32": near, "float64": double or near**2}[dtype]
    on_both(function, inputs, other_device=other_device, rtol=tolerance, atol=tolerance, dtype=getattr(torch, dtype))
