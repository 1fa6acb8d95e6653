"""The gradients of a model's own parameters, module by module, as each backward pass has them."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, Callable

import torch
from torch.nn.modules import module as torch_module

from musa_tools.observe.hidden import unobserved
from musa_tools.tensors.readable import holds_values, is_initialised

Take = Callable[[str, int, dict[str, torch.Tensor]], None]


class _Module:
    """The parameters of a module whose gradients are awaited."""

    __slots__ = ("gradients", "name", "number", "wanted")

    def __init__(self, name: str, wanted: int) -> None:
        self.name = name
        self.wanted = wanted
        self.number = 0
        self.gradients: dict[str, torch.Tensor] = {}


class ParameterGradients:
    """Gives the gradients of each module's own parameters to ``take``, with the module's path and class.

    Args:
        named: The modules with their names. A parameter that several have counts for the first.
        take: Is given the path, the number of the backward pass, and the gradients by the parameter's name.
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
        """Watch."""
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
        """Hand over what is there, and watch no more."""
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
