"""A function of PyTorch as the judge wants it: it changes nothing, and its results are a flat list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from musa_tools.rerun.arguments import private_copy
from musa_tools.tensors.operands import as_tuple, leaves, tensors


class PureFunction:
    """A function that writes to copies of its arguments only.

    Args:
        function: The function.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> list[Any]:
        if all(tensor.device.type == "cpu" for tensor in tensors((args, kwargs))):
            args, kwargs = private_copy((args, kwargs))
        with torch.no_grad():
            return flat(as_tuple(self._function(*args, **kwargs)))


def flat(outputs: Any) -> list[Any]:
    """Return everything in a nest of results."""
    return [leaf for _, leaf in leaves(list(outputs))]
