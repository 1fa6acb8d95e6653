"""Where the tensors of a call stand among its arguments and results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from musa_tools.tensors.nests import leaves


def listed(outputs: Any) -> tuple[Any, ...]:
    """Return the results of a call one by one."""
    return outputs if type(outputs) is tuple else (outputs,)


def placed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """Return the tensors of arguments with their positions, as ``0``, ``1.0`` or ``mask``."""
    for index, value in enumerate(args):
        if isinstance(value, torch.Tensor):
            yield str(index), value
        elif isinstance(value, (list, tuple, dict)):
            yield from _placed_tensors(value, str(index))
    for name, value in kwargs.items():
        yield from _placed_tensors(value, name)


def _placed_tensors(value: Any, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    for position, leaf in leaves(value, path):
        if isinstance(leaf, torch.Tensor):
            yield position, leaf
