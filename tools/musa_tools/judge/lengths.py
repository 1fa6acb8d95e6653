"""The reduced length: how many numbers an operator adds up for one element of its result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch

from musa_tools.tensors.operands import tensors

# operator -> (argument, dimension) that is summed over
_SUMMED = {
    "aten.mm": (0, -1),
    "aten.bmm": (0, -1),
    "aten.mv": (0, -1),
    "aten.dot": (0, -1),
    "aten.vdot": (0, -1),
    "aten.addmm": (1, -1),
    "aten.addmv": (1, -1),
    "aten.baddbmm": (1, -1),
    "aten.addbmm": (1, -1),
    "aten._addmm_activation": (1, -1),
    "aten.linear": (0, -1),
    "aten.addr": (0, -1),
}
# operator -> the argument with the dimension that each element of the result depends on
_ALONG = {
    "aten._softmax": 1,
    "aten._log_softmax": 1,
    "aten._safe_softmax": 1,
    "aten.cumsum": 1,
    "aten.cumprod": 1,
    "aten.logcumsumexp": 1,
    "aten._logcumsumexp": 1,
}
# Words in the names of operators whose results depend on whole rows or images of an input of the same size.
_LONG = re.compile(
    r"norm|fft|linalg|cdist|pdist|attention|lstm|gru|rnn|cell|grid_sampler|upsample|solve|cholesky|lu_|qr"
)
# Operators that scan their input, and add computed values to elements of the result.
_ADDS_INTO_RESULT = re.compile(
    r"index_add|index_put|index_reduce|scatter|col2im|(conv|pool|upsample|grid_sampler|unfold|embedding).*_backward"
)
_HIGHEST_DEGREE = 1000
# Functions that are computed as a series, of some tens of terms.
_SERIES = ("aten.igamma", "aten.igammac", "aten.igamma_", "aten.igammac_")
_TERMS = 32
_TRANSPOSED = 6  # the argument of a convolution


def reduced_length(base: str, pointwise: bool, args: Sequence[Any], outputs: Any) -> int:
    """Return the number of terms of the longest sum, as far as shapes tell.

    Args:
        base: The operator's name, as ``aten.mm``.
        pointwise: Whether the operator has the tag.
        args: Its arguments.
        outputs: Its results.
    """
    if "_polynomial_" in base:
        return _degree(args)
    if pointwise:
        return _TERMS if base in _SERIES else 1
    if base in _SUMMED:
        position, dimension = _SUMMED[base]
        return _size(args, position, dimension)
    along = _ALONG.get(base)
    if along is not None:
        value = args[along] if along < len(args) else -1
        return _size(args, 0, value if isinstance(value, int) else -1)
    if "convolution" in base and len(args) > 1 and isinstance(args[1], torch.Tensor) and args[1].ndim:
        return max(1, args[1].numel() // args[1].shape[0])
    largest = max((tensor.numel() for tensor in tensors(list(args))), default=1)
    results = [tensor.numel() for tensor in tensors(outputs) if tensor.numel()]
    ratio = max(1, -(-largest // min(results))) if results else 1
    if _LONG.search(base) or base.endswith("_backward"):
        sides = [size for tensor in tensors(list(args)) for size in tensor.shape]
        return max(ratio, *sides, 1)
    return ratio


def may_cancel(base: str) -> bool:
    """Return whether terms may cancel each other: those of a softmax are positive, and products have no terms."""
    return base not in ("aten._softmax", "aten._safe_softmax", "aten.cumprod", "aten.prod")


def adds_into_result(base: str, args: Sequence[Any]) -> bool:
    """Return whether partial sums are added to elements of the result, and rounded to its dtype each time."""
    if base == "aten.convolution":
        return len(args) > _TRANSPOSED and bool(args[_TRANSPOSED])
    return _ADDS_INTO_RESULT.search(base) is not None


def is_elementwise(base: str, pointwise: bool, args: Sequence[Any], outputs: Any) -> bool:
    """Return whether each element of the result depends on one element of each input, as far as is known."""
    if pointwise:
        return True
    if base in _SUMMED or base in _ALONG or "convolution" in base or _LONG.search(base) or base.endswith("_backward"):
        return False
    inputs = [tensor.shape for tensor in tensors(list(args)) if tensor.is_floating_point()]
    results = [tensor.shape for tensor in tensors(outputs) if tensor.numel()]
    return len(inputs) == 1 and all(shape == inputs[0] for shape in results)


def image_side(base: str, args: Sequence[Any]) -> int:
    """Return the longest side of an image that is resampled; 0 for other operators."""
    if "upsample" not in base and "grid_sampler" not in base:
        return 0
    return max((size for tensor in tensors(list(args)) for size in tensor.shape[2:]), default=0)


def _degree(args: Sequence[Any]) -> int:
    """Return the degree of a polynomial, whose terms a recurrence adds up."""
    value = args[1] if len(args) > 1 else 1
    if isinstance(value, torch.Tensor):
        value = float(value.double().nan_to_num(0.0, 0.0, 0.0).amax()) if value.numel() else 1
    return int(min(max(value, 1), _HIGHEST_DEGREE)) if isinstance(value, (int, float)) else 1


def _size(args: Sequence[Any], position: int, dimension: int) -> int:
    value = args[position] if position < len(args) else None
    return max(1, value.shape[dimension]) if isinstance(value, torch.Tensor) and value.ndim else 1
