"""Show the calls of PyTorch's functions in a thread, by a function mode; and collectives, by a dispatch mode.

PyTorch itself is never patched. A function that another function of PyTorch calls is not shown: the outermost call is
what the user wrote. The functions of ``torch.distributed`` are invisible to function modes. The operators that they
call are not.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch
from torch import overrides
from torch.overrides import TorchFunctionMode

from musa_tools.observe.api_names import Api, ApiNames
from musa_tools.observe.op_mode import OpMode, attach, detach

#: Operators of ``torch.ops.c10d``, and the functions that call them.
_COLLECTIVES = {
    "allreduce_": "all_reduce",
    "broadcast_": "broadcast",
    "reduce_": "reduce",
    "allgather_": "all_gather",
    "_allgather_base_": "all_gather_into_tensor",
    "reduce_scatter_": "reduce_scatter",
    "_reduce_scatter_base_": "reduce_scatter_tensor",
    "gather_": "gather",
    "scatter_": "scatter",
    "alltoall_": "all_to_all",
    "alltoall_base_": "all_to_all_single",
    "send": "send",
    "recv_": "recv",
}


class FunctionCalls:
    """Calls ``around`` for every function that is watched.

    Args:
        names: The functions to watch.
        around: Runs a function.
    """

    sees_bound_objects = True  # collectives take process groups

    def __init__(self, names: ApiNames, around: Around) -> None:
        self._functions = ApiMode(names, around)
        self._names = names
        self._around = around
        self._operators: Optional[OpMode] = None
        self._collectives: dict[int, tuple[Any, Optional[Api]]] = {}

    def show(self) -> None:
        """Show the calls of this thread from now on."""
        self._functions.show()
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            self._operators = attach(self)

    def hide(self) -> None:
        """Stop showing calls."""
        self._functions.hide()
        if self._operators is not None:
            detach(self._operators, self)
            self._operators = None

    def around(
        self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], proceed: Callable[..., Any], mode: OpMode
    ) -> Any:
        """Run an operator; a collective is shown."""
        known = self._collectives.get(id(func))
        if known is None:
            known = self._collectives[id(func)] = (func, self._collective(func))
        api = known[1]
        if api is None:
            return proceed(*args, **kwargs)
        return self._around(api, _Finished(func, proceed), args, kwargs)

    def _collective(self, func: Any) -> Optional[Api]:
        schema = getattr(func, "_schema", None)  # operators that take functions have none
        namespace, _, name = schema.name.partition("::") if schema is not None else ("", "", "")
        public = _COLLECTIVES.get(name)
        if namespace != "c10d" or public is None or not self._names.lists("distributed", public):
            return None
        return Api("Distributed", public, True)


class _Finished:
    """Runs a collective, and waits where the caller would wait next. To wait elsewhere could block the processes."""

    def __init__(self, func: Any, proceed: Callable[..., Any]) -> None:
        self._arguments = [argument.name for argument in func._schema.arguments]
        self._proceed = proceed
        self.unfinished = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        outputs = self._proceed(*args, **kwargs)
        given = {**dict(zip(self._arguments, args)), **kwargs}
        if isinstance(outputs, tuple) and given.get("async_op", given.get("asyncOp")) is False:
            _wait(outputs[-1])
        else:
            self.unfinished = True
        return outputs


def _wait(work: Any) -> None:
    from torch._C._distributed_c10d import Work

    Work.unbox(work).wait()


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
        """Remove the mode, wherever it is in the stack."""
        _put_back([mode for mode in _taken_off() if mode is not self])


def _taken_off() -> list[Any]:
    stack = [_modes._pop_mode() for _ in range(_modes._len_torch_function_stack())]
    stack.reverse()
    return stack


def _put_back(stack: list[Any]) -> None:
    for mode in stack:
        _modes._push_mode(mode)
