"""The mode that shows the calls of PyTorch's functions in a thread. PyTorch itself is never patched.

A function that another function of PyTorch calls is not shown: the outermost call is what the user wrote.
"""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import overrides
from torch.overrides import TorchFunctionMode

from musa_tools.observe.api_names import Api, ApiNames

Around = Callable[[Api, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]

_current_node = torch._C._current_autograd_node
_default_device: Any = getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None)
_modes: Any = overrides  # the functions on the stack of modes have no types


class ApiMode(TorchFunctionMode):
    """Calls ``around`` for every function that is watched.

    Calls inside a backward pass are not shown: they repeat a forward pass, or are part of a gradient.
    """

    def __init__(self, names: ApiNames, around: Around) -> None:
        super().__init__()
        self._find = names.find
        self._around = around

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if torch.compiler.is_compiling():
            return func(*args, **(kwargs or {}))
        api = self._find(func)
        if api is None or _current_node() is not None:
            return func(*args, **(kwargs or {}))
        return self._around(api, func, args, kwargs or {})

    def show(self) -> None:
        """Show the calls of this thread from now on.

        The mode goes below the modes that are there, so a block of the user that ends later takes away its own. Only
        the mode of torch.set_default_device must stay at the bottom.
        """
        stack = _taken_off()
        default = getattr(_default_device, "device_context", None)
        stack.insert(1 if stack and stack[0] is default else 0, self)
        _put_back(stack)

    def hide(self) -> None:
        """Show nothing more, wherever the mode stands in the stack."""
        _put_back([mode for mode in _taken_off() if mode is not self])


def _taken_off() -> list[Any]:
    stack = [_modes._pop_mode() for _ in range(_modes._len_torch_function_stack())]
    stack.reverse()
    return stack


def _put_back(stack: list[Any]) -> None:
    for mode in stack:
        _modes._push_mode(mode)
