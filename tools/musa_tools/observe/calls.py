"""Show the calls of PyTorch's functions, of collectives and of a model's modules, and the gradients of its parameters.

Functions are shown in a thread, by a function mode; collectives by a dispatch mode. PyTorch itself is never patched. A
function that another function of PyTorch calls is not shown: the outermost call is what the user wrote. The functions
of ``torch.distributed`` are invisible to function modes. The operators that they call are not.

The calls of modules, and the gradients of their own parameters as each backward pass has them, are shown by PyTorch's
global hooks: the model itself stays as it is.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from typing import Any, Callable, Optional, Protocol

import torch
from torch import overrides
from torch.nn.modules import module as torch_module
from torch.overrides import TorchFunctionMode

from musa_tools.observe.api_names import Api, ApiNames
from musa_tools.observe.op_mode import OpMode, attach, detach
from musa_tools.observe.process import unobserved
from musa_tools.tensors.operands import holds_values, is_initialised

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


class ModuleWatcher(Protocol):
    """Watches the calls of modules."""

    def module_begins(self, module: torch.nn.Module, name: str, args: Any, kwargs: dict[str, Any]) -> None:
        """Record the start of a call."""

    def module_ends(self, module: torch.nn.Module, outputs: Any) -> None:
        """Record that the call has returned."""

    def module_fails(self, module: torch.nn.Module) -> None:
        """Record that the call has raised an exception."""


class ModuleCalls:
    """Passes the calls of some modules to a watcher, between ``start`` and ``stop``.

    Args:
        named: The modules with their names.
        watcher: Watches the calls.
    """

    def __init__(self, named: Iterable[tuple[str, torch.nn.Module]], watcher: ModuleWatcher) -> None:
        self._names = {id(module): (module, name) for name, module in named}
        self._watcher = watcher
        self._hooks: list[Any] = []

    def start(self) -> None:
        """Start watching."""
        self._hooks = [
            torch_module.register_module_forward_pre_hook(self._before),
            torch_module.register_module_forward_hook(self._after, always_call=True),
        ]

    def stop(self) -> None:
        """Stop watching."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    def _before(self, module: torch.nn.Module, args: Any) -> None:
        known = self._names.get(id(module))
        if known is not None and not torch.compiler.is_compiling():
            self._watcher.module_begins(module, known[1], args, keyword_arguments(module))

    def _after(self, module: torch.nn.Module, args: Any, outputs: Any) -> None:
        if id(module) not in self._names or torch.compiler.is_compiling():
            return
        if outputs is None and sys.exc_info()[0] is not None:
            self._watcher.module_fails(module)
        else:
            self._watcher.module_ends(module, outputs)


def keyword_arguments(module: torch.nn.Module) -> dict[str, Any]:
    """Return the keyword arguments of the call that runs this hook.

    PyTorch gives them to the hooks of a module, not to global hooks. The caller's frame has them.
    """
    frame: Any = sys._getframe(2)
    for _ in range(3):
        if frame is None:
            break
        names = frame.f_locals
        if frame.f_code.co_name in ("_call_impl", "inner") and names.get("self") is module:
            found = names.get("kwargs")
            return found if isinstance(found, dict) else {}
        frame = frame.f_back
    return {}


Take = Callable[[str, int, dict[str, torch.Tensor]], None]


class _Module:
    """The parameters of a module, and the gradients that have arrived."""

    __slots__ = ("gradients", "name", "number", "wanted")

    def __init__(self, name: str, wanted: int) -> None:
        self.name = name
        self.wanted = wanted
        self.number = 0
        self.gradients: dict[str, torch.Tensor] = {}


class ParameterGradients:
    """Passes the gradients of each module's own parameters to ``take``, with the module's path and class.

    Args:
        named: The modules with their names. A parameter that several have counts for the first.
        take: Called with the path, the number of the backward pass, and the gradients by the parameter's name.
    """

    def __init__(self, named: Iterable[tuple[str, torch.nn.Module]], take: Take) -> None:
        self._take = take
        self._hooks: list[Any] = []
        self._late: list[tuple[_Module, str, torch.nn.Parameter]] = []  # of lazy modules
        self._wanted: list[tuple[_Module, str, torch.nn.Parameter]] = []
        self._lock = threading.Lock()
        seen: set[int] = set()
        for path, module in named:
            own = [(key, value) for key, value in module.named_parameters(recurse=False) if value.requires_grad]
            own = [(key, value) for key, value in own if id(value) not in seen]
            seen.update(id(value) for _, value in own)
            state = _Module(f"{path}.{type(module).__name__}" if path else type(module).__name__, len(own))
            self._wanted.extend((state, key, value) for key, value in own)

    def start(self) -> None:
        """Start watching."""
        for state, key, value in self._wanted:
            if is_initialised(value):
                self._watch(state, key, value)
            else:
                self._late.append((state, key, value))
        if self._late:
            self._hooks.append(torch_module.register_module_forward_hook(self._after))

    def _after(self, module: torch.nn.Module, args: Any, outputs: Any) -> None:
        """Watch the parameters that a lazy module has got in its first forward pass."""
        late, self._late = self._late, []
        for state, key, value in late:
            if is_initialised(value):
                self._watch(state, key, value)
            else:
                self._late.append((state, key, value))

    def _watch(self, state: _Module, key: str, value: torch.nn.Parameter) -> None:
        register: Any = torch.Tensor.register_hook  # it has no types
        with torch._C.DisableTorchFunctionSubclass():
            self._hooks.append(register(value, lambda gradient: self._note(state, key, gradient)))

    def stop(self) -> None:
        """Pass on the gradients that have arrived, and stop watching."""
        for hook in self._hooks:
            hook.remove()
        self._hooks, self._late = [], []
        for state, _, _ in self._wanted:
            if state.gradients:
                self._hand_over(state)

    def _note(self, state: _Module, key: str, gradient: torch.Tensor) -> None:
        with self._lock:
            if key in state.gradients:  # of another backward pass, in which not all parameters had one
                self._hand_over(state)
            with unobserved():
                state.gradients[key] = gradient.detach() if holds_values(gradient) else gradient
            if len(state.gradients) == state.wanted:
                self._hand_over(state)

    def _hand_over(self, state: _Module) -> None:
        gradients, state.gradients = state.gradients, {}
        self._take(state.name, state.number, gradients)
        state.number += 1
