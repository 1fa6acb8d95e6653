"""The calls of a model's modules, by PyTorch's global hooks: the model itself stays as it is."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Protocol

import torch
from torch.nn.modules import module as torch_module


class ModuleWatcher(Protocol):
    """Is told of calls."""

    def module_begins(self, module: torch.nn.Module, name: str, args: Any, kwargs: dict[str, Any]) -> None:
        """Take note of a call."""

    def module_ends(self, module: torch.nn.Module, outputs: Any) -> None:
        """Take note that the call has returned."""

    def module_fails(self, module: torch.nn.Module) -> None:
        """Take note that the call has raised an exception."""


class ModuleCalls:
    """Tells a watcher of the calls of some modules, while it is started.

    Args:
        named: The modules with their names.
        watcher: Who is told.
    """

    def __init__(self, named: Iterable[tuple[str, torch.nn.Module]], watcher: ModuleWatcher) -> None:
        self._names = {id(module): (module, name) for name, module in named}
        self._watcher = watcher
        self._hooks: list[Any] = []

    def start(self) -> None:
        """Watch."""
        self._hooks = [
            torch_module.register_module_forward_pre_hook(self._before),
            torch_module.register_module_forward_hook(self._after, always_call=True),
        ]

    def stop(self) -> None:
        """Watch no more."""
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
