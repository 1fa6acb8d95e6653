"""The module that runs: its names by path and by class; and the owner of an operator: a module or a parameter.

The hooks are PyTorch's global module hooks, and a tracked model has no hook of its own. So copies, pickles and state
dicts of it are those of an untracked model. There are no backward hooks; ``Timeline`` replaces them.
"""

from __future__ import annotations

import contextvars
import threading
import weakref
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple, Optional, Protocol

import torch
from torch.nn.modules import module as torch_module

_Path = tuple[tuple[str, torch.nn.Module], ...]

_LONGEST = 1 << 16  # module calls that are remembered
_next_number: Callable[[], int] = vars(torch.autograd)["_get_sequence_nr"]
NO_NUMBER = (1 << 64) - 1  # nodes that autograd does not count: those that accumulate a parameter's gradient


class Frame:
    """One call of a module, linked to the call that made it."""

    __slots__ = ("_class_path", "call", "calls", "class_name", "module_id", "name", "parent", "root")

    def __init__(self, module: torch.nn.Module, name: str, root: Optional[Frame], parent: Optional[Frame]) -> None:
        self.class_name = type(module).__name__
        self.module_id = id(module)
        self.name = name
        self.parent = parent
        self.root = root or self
        if root is None:
            self.calls: dict[int, int] = {}
        self._class_path: Optional[str] = None
        calls = self.root.calls
        calls[self.module_id] = self.call = calls.get(self.module_id, 0) + 1

    @property
    def class_path(self) -> str:
        """Return the class names from the model down to this module, as ``Net/Block/Linear``."""
        if self._class_path is None:
            above = self.parent.class_path + "/" if self.parent else ""
            self._class_path = above + self.class_name
        return self._class_path

    @property
    def label(self) -> str:
        """Return the module's path and the number of its call in this forward pass."""
        return f"{self.name or '(model)'} (call {self.call})"


class Timeline:
    """The module calls of a thread, in the order of the sequence numbers that autograd gives to the nodes of a graph.

    If a module makes a node, the node's number lies between the counter's values at the module's entry and exit. So two
    short lists tell for every node of the backward graph which module made it. Nothing is recorded per operator.

    Each thread counts from zero, and the system gives a thread's identifier again to a later thread. So a timeline
    belongs to the thread itself, and goes with it.
    """

    __slots__ = ("_frames", "_numbers")

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._frames: list[Optional[Frame]] = []

    def mark(self, frame: Optional[Frame]) -> None:
        """Remember that nodes made from now on belong to a module (None: to no module)."""
        number = _next_number()
        numbers, frames = self._numbers, self._frames
        if numbers and numbers[-1] >= number:
            frames[-1] = frame  # no node was made since
            return
        numbers.append(number)
        frames.append(frame)
        if len(numbers) > _LONGEST:
            del numbers[: _LONGEST // 2]
            del frames[: _LONGEST // 2]

    def find(self, number: int) -> Optional[Frame]:
        """Return the module call that made the node with this number."""
        position = bisect_right(self._numbers, number) - 1
        return self._frames[position] if position >= 0 else None

    def clear(self) -> None:
        """Forget everything."""
        self._numbers.clear()
        self._frames.clear()


class StaticOwner:
    """An owner that is not a call: a parameter, or a module whose caller is not known."""

    __slots__ = ("class_path", "label")

    def __init__(self, class_path: str, label: str) -> None:
        self.class_path = class_path
        self.label = label


CURRENT: contextvars.ContextVar[Optional[Frame]] = contextvars.ContextVar("musa_tools_module", default=None)


class TrackerHandle:
    """The tracking of a model, returned by ``open_module_tracker``; a context manager that ends it.

    Args:
        modules: The tracker that knows the model's modules.
        model: The model, which it does not keep alive.
    """

    def __init__(self, modules: ModuleTracker, model: torch.nn.Module) -> None:
        self._modules = modules
        self._model = weakref.ref(model)

    def remove(self) -> None:
        """Stop tracking the model. Its modules were never changed."""
        model = self._model()
        if model is not None:
            self._modules.close(model)

    def __enter__(self) -> TrackerHandle:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.remove()


class ModuleTracker:
    """Knows the names of the modules of tracked models, and which of them runs in each thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._roots: dict[int, weakref.ref[torch.nn.Module]] = {}
        self._names: dict[int, tuple[weakref.ref[torch.nn.Module], str]] = {}
        self._thread = threading.local()
        self._hooks: list[Any] = []

    def open(self, model: torch.nn.Module) -> TrackerHandle:
        """Track a model; tracking it twice changes nothing."""
        if not isinstance(model, torch.nn.Module):
            raise TypeError(f"open_module_tracker needs a torch.nn.Module, but found {type(model).__name__}")
        with self._lock:
            self._roots[id(model)] = weakref.ref(model, self._forget_root(id(model)))
            self._learn(model)
            if not self._hooks:
                self._hooks = [
                    torch_module.register_module_forward_pre_hook(self._enter),
                    torch_module.register_module_forward_hook(self._leave, always_call=True),
                ]
        return TrackerHandle(self, model)

    def close(self, model: torch.nn.Module) -> None:
        """Forget a model."""
        with self._lock:
            self._roots.pop(id(model), None)
            for module in model.modules():
                self._names.pop(id(module), None)
            self._remove_hooks_if_unused()

    def timeline(self) -> Timeline:
        """Return the timeline of this thread."""
        timeline: Optional[Timeline] = getattr(self._thread, "timeline", None)
        if timeline is None:
            timeline = self._thread.timeline = Timeline()
        return timeline

    def parameter_owner(self, parameter: torch.Tensor) -> Optional[StaticOwner]:
        """Return the module that owns a parameter."""
        for model in self._models():
            for path in _paths((("", model),), {id(model)}):
                for name, candidate in path[-1][1]._parameters.items():
                    if candidate is parameter:
                        names = [*(key for key, _ in path[1:]), name]
                        return StaticOwner("/".join(_classes(path)), f"parameter {'.'.join(names)}")
        return None

    def owner(self, module: torch.nn.Module) -> StaticOwner:
        """Return a module as an owner; its path is known if its model is tracked."""
        return StaticOwner(type(module).__name__, self._name(module) or "")

    def _models(self) -> Iterator[torch.nn.Module]:
        for reference in list(self._roots.values()):
            model = reference()
            if model is not None:
                yield model

    def _learn(self, model: torch.nn.Module) -> None:
        for name, module in model.named_modules():
            if self._name(module) is None:
                self._names[id(module)] = (weakref.ref(module, self._forget_name(id(module))), name)

    def _name(self, module: torch.nn.Module) -> Optional[str]:
        known = self._names.get(id(module))
        return known[1] if known is not None and known[0]() is module else None

    def _forget_name(self, key: int) -> Any:
        names = self._names
        return lambda reference: names.pop(key, None) if names.get(key, (None,))[0] is reference else None

    def _forget_root(self, key: int) -> Any:
        tracker = weakref.ref(self)

        def forget(reference: Any) -> None:
            this = tracker()
            if this is not None and this._roots.get(key) is reference:
                del this._roots[key]
                this._remove_hooks_if_unused()

        return forget

    def _remove_hooks_if_unused(self) -> None:
        if not self._roots:
            for hook in self._hooks:
                hook.remove()
            self._hooks = []

    def _enter(self, module: torch.nn.Module, args: Any) -> None:
        if torch.compiler.is_compiling():
            return
        current = CURRENT.get()
        name = self._name(module)
        if name is None:
            if current is None:
                return
            name = self._learn_late(module)
            if name is None:
                return
        if current is not None and id(module) in self._roots:
            # The model does not call itself: a forward that was interrupted has left its frames behind.
            current = _above(current, id(module))
        frame = Frame(module, name, current.root if current else None, current)
        CURRENT.set(frame)
        self.timeline().mark(frame)

    def _leave(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        if torch.compiler.is_compiling():
            return
        frame = CURRENT.get()
        key = id(module)
        while frame is not None and frame.module_id != key:
            frame = frame.parent
        if frame is not None:
            CURRENT.set(frame.parent)
            self.timeline().mark(frame.parent)

    def _learn_late(self, module: torch.nn.Module) -> Optional[str]:
        """Look for a module that was added to a tracked model after it was opened."""
        with self._lock:
            for model in self._models():
                if any(candidate is module for candidate in model.modules()):
                    self._learn(model)
        return self._name(module)


def _above(frame: Frame, module_id: int) -> Optional[Frame]:
    above: Optional[Frame] = frame
    while above is not None:
        if above.module_id == module_id:
            return above.parent
        above = above.parent
    return frame


def _paths(path: _Path, seen: set[int]) -> Iterator[_Path]:
    """Yield the path of each module below the last of a path. Names are not split: they may contain dots."""
    yield path
    for name, child in path[-1][1]._modules.items():
        if child is not None and id(child) not in seen:
            seen.add(id(child))
            yield from _paths((*path, (name, child)), seen)


def _classes(path: _Path) -> Iterator[str]:
    for _, module in path:
        if module is path[0][1] or not isinstance(module, (torch.nn.ModuleList, torch.nn.ModuleDict)):
            yield type(module).__name__  # the others are never called


#: The one tracker of the process: `open_module_tracker(model)` returns nothing that a tool could be given later.
TRACKER = ModuleTracker()


class Owner(Protocol):
    """A module's call, a module or a parameter."""

    @property
    def class_path(self) -> str:
        """Return class names, as ``Net/Block/Linear``."""
        ...

    @property
    def label(self) -> str:
        """Return the path of names, as ``layers.3.attn (call 1)``."""
        ...


class OpContext(NamedTuple):
    """The owner of an operator, and the direction."""

    owner: Optional[Owner]
    backward: bool

    def full_name(self, operator: str) -> str:
        """Return the operator's name as the logs write it."""
        path = f"{self.owner.class_path}/" if self.owner is not None else ""
        return f"{path}{operator}({'backward' if self.backward else 'forward'})"

    @property
    def label(self) -> str:
        """Return the module's own path, or nothing where no module is known."""
        return self.owner.label if self.owner is not None else ""
