"""The calls inside the forward passes of registered models: functions, and the innermost modules.

The hooks are PyTorch's global ones; a registered model stays as it is, and may be moved or copied.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any, Callable, Optional

import torch
from torch.nn.modules import module as torch_module

from musa_tools.observe.api_names import ApiNames
from musa_tools.observe.calls import ApiMode, Around, ModuleWatcher, keyword_arguments


class Registration:
    """A model, and the watchers of the calls in its forward passes.

    Args:
        model: Its forward pass is watched.
        around: Runs each function.
        watcher: Watches the innermost modules; None watches functions only.
        wanted: Called at the start of a forward pass; returns whether to watch it.
    """

    def __init__(
        self, model: torch.nn.Module, around: Around, watcher: Optional[ModuleWatcher], wanted: Callable[[], bool]
    ) -> None:
        self.model = weakref.ref(model)
        self.around = around
        self.watcher = watcher
        self.wanted = wanted
        leaves = [(name, module) for name, module in model.named_modules() if not module._modules]
        self.names = {id(module): name for name, module in leaves} if watcher is not None else {}


class _Run:
    """A forward pass that is watched."""

    def __init__(self, registration: Registration, mode: ApiMode) -> None:
        self.registration = registration
        self.mode = mode


class ModelRuns:
    """Watches the forward passes of models.

    Args:
        names: The functions to watch.
    """

    def __init__(self, names: Callable[[], ApiNames]) -> None:
        self._names = names
        self._models: dict[int, Registration] = {}
        self._hooks: list[Any] = []
        self._threads = threading.local()

    def register(self, registration: Registration) -> None:
        """Watch a model, as long as it lives; its last registration counts."""
        model = registration.model()
        if model is None:
            return
        if id(model) not in self._models:
            weakref.finalize(model, self._forget, id(model)).atexit = False
        self._models[id(model)] = registration
        if not self._hooks:
            self._hooks = [
                torch_module.register_module_forward_pre_hook(self._before),
                torch_module.register_module_forward_hook(self._after, always_call=True),
            ]

    def _forget(self, key: int) -> None:
        del self._models[key]
        if not self._models:
            for hook in self._hooks:
                hook.remove()
            self._hooks = []

    def _before(self, module: torch.nn.Module, args: Any) -> None:
        if torch.compiler.is_compiling():
            return
        runs = self._runs()
        registration = self._models.get(id(module))
        if registration is not None and registration.model() is module:
            self._begin(registration, runs)
        if runs:
            current = runs[-1].registration
            name = current.names.get(id(module))
            if name is not None and current.watcher is not None:
                current.watcher.module_begins(module, name, args, keyword_arguments(module))

    def _after(self, module: torch.nn.Module, args: Any, outputs: Any) -> None:
        runs = self._runs()
        if not runs or torch.compiler.is_compiling():
            return
        current = runs[-1].registration
        if id(module) in current.names and current.watcher is not None:
            current.watcher.module_ends(module, outputs)
        if current.model() is module:
            runs.pop().mode.hide()

    def _begin(self, registration: Registration, runs: list[_Run]) -> None:
        while any(run.registration is registration for run in runs):
            runs.pop().mode.hide()  # a forward pass that was interrupted
        if registration.wanted():
            mode = ApiMode(self._names(), registration.around)
            mode.show()
            runs.append(_Run(registration, mode))

    def _runs(self) -> list[_Run]:
        runs: Optional[list[_Run]] = getattr(self._threads, "runs", None)
        if runs is None:
            runs = self._threads.runs = []
        return runs
