"""How many numbers an operator adds up for one element of its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from musa_tools.tensors.nests import tensors

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


def reduced_length(base: str, pointwise: bool, args: Sequence[Any], outputs: Any) -> int:
    """Return the number of terms of the longest sum, as far as shapes tell.

    Args:
        base: The operator's name, as ``aten.mm``.
        pointwise: Whether the operator has the tag.
        args: Its arguments.
        outputs: Its results.
    """
    if pointwise:
        return 1
    if base in _SUMMED:
        position, dimension = _SUMMED[base]
        return _size(args, position, dimension)
    if "convolution" in base and len(args) > 1 and isinstance(args[1], torch.Tensor) and args[1].ndim:
        return max(1, args[1].numel() // args[1].shape[0])
    largest = max((tensor.numel() for tensor in tensors(list(args))), default=1)
    results = [tensor.numel() for tensor in tensors(outputs) if tensor.numel()]
    return max(1, -(-largest // min(results))) if results else 1


def _size(args: Sequence[Any], position: int, dimension: int) -> int:
    value = args[position] if position < len(args) else None
    return max(1, value.shape[dimension]) if isinstance(value, torch.Tensor) and value.ndim else 1
