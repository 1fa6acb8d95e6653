"""The calls of a run in their order: numbered, with the module they belong to and with their gradients.

A *sink* writes them in the form of some tool. It is called before and after each call, and for each gradient.
"""

from __future__ import annotations

import functools
import threading
from collections import Counter
from typing import Any, Callable, Optional, Protocol

import torch

from musa_tools.dump.writing import OneWarning
from musa_tools.observe.api_names import Api
from musa_tools.observe.gradients import Inputs, PendingGradients, watch
from musa_tools.tensors.operands import as_tuple, tensors_by_position

_current_node = torch._C._current_autograd_node


class Call:
    """A call of a function or a module."""

    __slots__ = ("index", "inputs", "kind", "lost", "module", "name", "note", "number", "parent", "writes")

    def __init__(self, api: Api, number: int, index: int, parent: Optional[Call], module: Any = None) -> None:
        self.kind = api.kind
        self.name = api.name  # of a module: its path and its class, as layers.0.Linear
        self.writes = api.writes
        self.number = number  # among the calls of the same name
        self.index = index  # among all calls
        self.parent = parent
        self.module = module
        self.inputs: Optional[Inputs] = None
        self.note: Any = None  # of the sink
        self.lost = False  # it could not be described

    def dotted_name(self, direction: str) -> str:
        """Return its name in msprobe's form: Functional.linear.0.forward, Module.layers.0.Linear.forward.0."""
        if self.module is not None:
            return f"Module.{self.name}.{direction}.{self.number}"
        return f"{self.kind}.{self.name}.{self.number}.{direction}"

    def indexed_name(self, direction: str) -> str:
        """Return its name in the older tools' form: 16_Functional_relu_backward, 3_Module_Linear_forward."""
        name = self.name if self.module is None else self.name.rpartition(".")[2]
        return f"{self.index}_{self.kind}_{name}_{direction}"


class Sink(Protocol):
    """Writes calls. All methods run with the tools' own operators hidden."""

    def begin(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Record the arguments of a call before it runs; return whether to watch its gradients."""

    def end(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        """Record the results of a call."""

    def fail(self, call: Call) -> None:
        """Record that a call has raised an exception."""

    def gradient(self, call: Call, is_incoming: bool, position: str, gradient: Any) -> Any:
        """Return the entry of a gradient, which may be None; it is kept until all of the call's have arrived."""

    def gradients(self, call: Call, incoming: dict[str, Any], outgoing: dict[str, Any]) -> None:
        """Record the gradients of a call by position: those of its results and of its inputs."""


class Numbering:
    """Counts all calls, and the calls of each name."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Start from zero."""
        self._numbers: Counter[tuple[str, str]] = Counter()
        self._index = 0

    def next(self, api: Api) -> tuple[int, int]:
        """Return the number of a call among the calls of its name, and among all."""
        key = (api.kind, api.name)
        with self._lock:
            number, index = self._numbers[key], self._index
            self._numbers[key] = number + 1
            self._index = index + 1
        return number, index


class Calls:
    """Watches calls and passes them to a sink.

    Args:
        sink: Writes the calls.
        numbering: Counts the calls; several watchers may share it.
    """

    def __init__(self, sink: Sink, numbering: Numbering) -> None:
        self._sink = sink
        self._numbering = numbering
        self._threads = threading.local()
        self._lock = threading.Lock()
        self._warning = OneWarning()
        self._begun: dict[int, PendingGradients] = {}  # of others, only the graph knows: they end with it
        self.active = True  # gradients that come later, in another step, are not taken

    def around_api(self, api: Api, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a function, and pass its call to the sink."""
        call = self._numbered(api, None)
        self._begin(call, args, kwargs)
        try:
            outputs = function(*args, **kwargs)
        except BaseException:
            self._fail(call)
            raise
        self._end(call, args, kwargs, () if getattr(function, "unfinished", False) else outputs)
        return outputs

    def module_begins(self, module: torch.nn.Module, name: str, args: Any, kwargs: dict[str, Any]) -> None:
        """Begin the call of a module, unless checkpointing recomputes it."""
        if _current_node() is not None:
            return
        path = f"{name}.{type(module).__name__}" if name else type(module).__name__
        call = self._numbered(Api("Module", path, False), module)
        self._begin(call, args, kwargs)
        self._running().append((call, args, kwargs))

    def module_ends(self, module: torch.nn.Module, outputs: Any) -> None:
        """End the call of a module."""
        known = self._taken_off(module)
        if known is not None:
            self._end(*known, outputs)

    def module_fails(self, module: torch.nn.Module) -> None:
        """End the call of a module that has raised an exception."""
        known = self._taken_off(module)
        if known is not None:
            self._fail(known[0])

    def finish(self) -> None:
        """Pass on the incomplete gradients of calls: some of their results were not used."""
        with self._lock:
            begun, self._begun = list(self._begun.values()), {}
        for gradients in begun:
            self._warning.run("gradients", gradients.finish)

    def _numbered(self, api: Api, module: Any) -> Call:
        number, index = self._numbering.next(api)
        running = getattr(self._threads, "running", None)
        return Call(api, number, index, running[-1][0] if running else None, module)

    def _running(self) -> list[tuple[Call, Any, Any]]:
        running: Optional[list[tuple[Call, Any, Any]]] = getattr(self._threads, "running", None)
        if running is None:
            running = self._threads.running = []
        return running

    def _taken_off(self, module: torch.nn.Module) -> Optional[tuple[Call, Any, Any]]:
        """Pop the call of a module, and the calls above it that never ended."""
        running = self._running()
        for index in range(len(running) - 1, -1, -1):
            if running[index][0].module is module:
                found = running[index]
                del running[index:]
                return found
        return None

    def _begin(self, call: Call, args: Any, kwargs: Any) -> None:
        wanted = self._warning.run(call.name, self._sink.begin, call, args, kwargs)
        call.lost = wanted is None
        if wanted and torch.is_grad_enabled():
            with torch._C.DisableTorchFunctionSubclass():
                call.inputs = Inputs(tensors_by_position(args, kwargs))

    def _fail(self, call: Call) -> None:
        if not call.lost:
            self._warning.run(call.name, self._sink.fail, call)

    def _end(self, call: Call, args: Any, kwargs: Any, outputs: Any) -> None:
        if call.lost:
            return
        self._warning.run(call.name, self._sink.end, call, args, kwargs, outputs)
        if call.inputs is None:
            return
        sink = self._sink
        gradients = PendingGradients(
            lambda is_incoming, position, gradient: sink.gradient(call, is_incoming, position, gradient),
            lambda incoming, outgoing: sink.gradients(call, incoming, outgoing),
        )

        inputs, call.inputs = call.inputs, None
        report = functools.partial(self._report, gradients)
        with torch._C.DisableTorchFunctionSubclass():
            gradients.expect(*watch(inputs, tensors_by_position(as_tuple(outputs), {}), report))

    def _report(self, gradients: PendingGradients, is_incoming: bool, position: str, gradient: Any) -> None:
        if not self.active or gradients.ended:
            return
        self._warning.run("gradients", gradients.report, is_incoming, position, gradient)
        with self._lock:
            if gradients.ended:
                self._begun.pop(id(gradients), None)
            else:
                self._begun[id(gradients)] = gradients
