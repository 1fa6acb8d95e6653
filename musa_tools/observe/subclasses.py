"""Subclasses of tensors among an operator's arguments: their ``__torch_function__`` notices what is asked of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

_ORDINARY = frozenset(
    (
        *(torch.Tensor, torch.nn.Parameter, int, float, bool, complex, str, type(None)),
        *(torch.dtype, torch.device, torch.layout, torch.memory_format),
    )
)


def holds_subclass(values: Iterable[Any]) -> bool:
    """Return whether there is a tensor of another class than PyTorch's two, also in lists."""
    for value in values:
        if type(value) in _ORDINARY:
            continue
        if isinstance(value, torch.Tensor) or (isinstance(value, (list, tuple)) and holds_subclass(value)):
            return True
    return False
