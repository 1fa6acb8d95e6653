"""The calls of a model's modules, and the gradients of their own parameters, as each backward pass has them.

The hooks are PyTorch's global ones: the model itself stays as it is.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from typing import Any, Callable, Protocol

import torch
from torch.nn.modules import module as torch_module

from musa_tools.observe.process import unobserved
from musa_tools.tensors.readable import holds_values, is_initialised


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
