"""The process that is watched: its rank, its call stacks, whether it captures a graph, and how a tool hides in it.

A tool's own operators are hidden from the user's modes, from autograd, from tracers and transforms. While a graph of
the device is captured, nothing may wait for the device or copy from it. Of a call stack, file, line and function of
the user's frames are kept; the text of the lines is read at the end.
"""

from __future__ import annotations

import functools
import linecache
import os
import sys
from pathlib import Path
from typing import Any, Optional

import torch
from torch.utils import _python_dispatch


def rank() -> Optional[int]:
    """Return this process's rank, or None outside distributed runs."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank()
    text = os.environ.get("RANK", "")
    return int(text) if text.isdigit() else None


def is_capturing(kind: str) -> bool:
    """Return whether this thread's stream of a kind of device, as ``cuda``, captures a graph."""
    if kind in ("cpu", "meta"):
        return False
    asks = getattr(torch.get_device_module(kind), "is_current_stream_capturing", None)
    return asks is not None and bool(asks())


_Key = torch._C.DispatchKey
_transform = torch._C._functorch.peek_interpreter_stack
_tracing_state = torch._C._get_tracing_state
_set_tracing_state: Any = vars(torch._C)["_set_tracing_state"]  # it has no types
#: Autograd and everything above it, and the keys that the transforms of torch.func keep below it.
_ABOVE_KERNELS = (
    (torch._C._dispatch_keyset_full() - torch._C._dispatch_keyset_full_after(_Key.ADInplaceOrView))
    | torch._C.DispatchKeySet(_Key.FuncTorchDynamicLayerBackMode)
    | torch._C.DispatchKeySet(_Key.Functionalize)
)


class unobserved:
    """Hide a tool's own operators from the user's program.

    That is modes, functions of subclasses, autograd, ``torch.jit.trace`` and transforms of ``torch.func``.
    """

    __slots__ = ("_below_autograd", "_functions", "_modes", "_trace")

    def __enter__(self) -> None:
        self._functions = _entered(torch._C.DisableTorchFunction())  # torch.set_default_device is one
        guard = _below_autograd if _transform() is None else _below_transforms
        self._below_autograd = _entered(guard())
        self._trace = _tracing_state()
        if self._trace is not None:
            _set_tracing_state(None)
        others = torch._C._len_torch_dispatch_stack()
        self._modes = _entered(_python_dispatch._disable_current_modes()) if others else None

    def __exit__(self, *exception: Any) -> None:
        if self._modes is not None:
            self._modes.__exit__(*exception)
        if self._trace is not None:
            _set_tracing_state(self._trace)
        self._below_autograd.__exit__(*exception)
        self._functions.__exit__(*exception)


def _entered(guard: Any) -> Any:
    guard.__enter__()
    return guard


_below_autograd = torch._C._AutoDispatchBelowAutograd


def _below_transforms() -> Any:
    return torch._C._ExcludeDispatchKeyGuard(_ABOVE_KERNELS)


_NOT_THE_USERS = (
    str(Path(torch.__file__).parent) + "/",
    str(Path(__file__).parent.parent) + "/",
)

Stack = tuple[tuple[str, int, str], ...]


class Stacks:
    """Collects call stacks, and remembers which files are the user's."""

    def __init__(self) -> None:
        self._foreign: dict[str, bool] = {}

    def here(self) -> Stack:
        """Return the user's frames, the innermost first."""
        found = []
        frame: Any = sys._getframe(1)
        foreign = self._foreign
        while frame is not None:
            code = frame.f_code
            name = code.co_filename
            skip = foreign.get(name)
            if skip is None:
                skip = foreign[name] = name.startswith(_NOT_THE_USERS) or name.startswith("<frozen ")
            if not skip:
                found.append((name, frame.f_lineno, code.co_name))
            frame = frame.f_back
        return tuple(found)


def written(stack: Stack) -> list[str]:
    """Return the lines of a stack, as stack.json has them."""
    return [_line(*frame) for frame in stack]


@functools.lru_cache(maxsize=4096)
def _line(file: str, number: int, function: str) -> str:
    return f"File {file}, line {number}, in {function}, \n {linecache.getline(file, number).strip()}"
