"""The dispatch mode that shows every operator of a thread, and of its backward passes, to the active tools.

One mode serves all tools of a thread, so no tool sees what another one does for its own purposes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Callable, Optional, Protocol

import torch
from torch._ops import OpOverload
from torch.utils import _python_dispatch
from torch.utils._python_dispatch import TorchDispatchMode

from musa_tools.observe.conjugates import conjugates_resolved, may_form_conjugates, takes_complex
from musa_tools.observe.modules import CURRENT, NO_NUMBER, TRACKER, OpContext, Owner, Timeline
from musa_tools.tensors.operands import computes_itself

_current_node = torch._C._current_autograd_node
_current_graph = torch._C._current_graph_task_id

_modes_below = torch._C._len_torch_dispatch_stack
_functions_enabled = torch._C._is_torch_function_enabled

# The treatment by torch.compile of frames of Python right now; None while it does nothing.
_frame_callback: Optional[Callable[[], Any]] = getattr(
    getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None), "get_eval_frame_callback", None
)


class Watcher(Protocol):
    """A tool, as the mode sees it."""

    def around(
        self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], proceed: Callable[..., Any], mode: OpMode
    ) -> Any:
        """Run an operator with ``proceed`` and return its result."""


class Locator:
    """Finds the owners of the operators of one thread's forward passes, and of their backward passes."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._recomputing: dict[Timeline, int] = {}  # of a thread of the backward pass -> graph that was running

    def now(self) -> OpContext:
        """Return the context of the operator that is running."""
        node = _current_node()
        if node is None:
            self._recomputing.clear()
            return OpContext(CURRENT.get(), False)
        frame = CURRENT.get()
        if frame is not None and torch.is_grad_enabled():
            # Checkpointing runs a forward pass again, in the middle of the backward pass.
            self._recomputing[TRACKER.timeline()] = _current_graph()
            return OpContext(frame, False)
        return OpContext(self._owner(node), True)

    def _owner(self, node: Any) -> Optional[Owner]:
        number = node._sequence_nr()
        if number >= NO_NUMBER:
            parameter = getattr(node, "variable", None)
            return None if parameter is None else TRACKER.parameter_owner(parameter)
        return self._forward_timeline().find(number)

    def _forward_timeline(self) -> Timeline:
        """Return the timeline of the thread whose modules made the node that is running.

        Nodes are numbered per thread. A checkpoint that is recomputed in a thread of autograd's own makes nodes
        there, and they belong to a backward pass inside the one that recomputes.
        """
        here = TRACKER.timeline()
        outer: Optional[int] = self._recomputing.get(here)
        if outer is None or here is self._timeline:
            return self._timeline
        if _current_graph() != outer:
            return here
        del self._recomputing[here]
        here.clear()
        return self._timeline


class OpMode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Calls the watchers around every operator."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.watchers: tuple[Watcher, ...] = ()
        self.locator = Locator(TRACKER.timeline())
        self._conjugators: dict[int, tuple[bool, Any]] = {}  # by identity: operators are slow to hash

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Return True: functions that torch.compile has compiled run as if there were no mode."""
        return True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # PyTorch would wrap every call, to keep torch.compile from compiling it. Here that is done where it is needed.
        return _frame_callback is None

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Optional[dict[str, Any]] = None
    ) -> Any:
        if _frame_callback is not None and _frame_callback() is not None:
            return torch.compiler.disable(self._dispatch)(func, types, args, kwargs)  # type: ignore[no-untyped-call]
        return self._dispatch(func, types, args, kwargs)

    def _dispatch(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: Optional[dict[str, Any]]) -> Any:
        kwargs = kwargs or {}
        others = _modes_below()
        if others and _is_traced():
            return func(*args, **kwargs)  # its tensors have no values
        if types and any(map(computes_itself, types)):
            # The class will call operators on plain tensors, which come here. Other modes must see this one first.
            return func(*args, **kwargs) if others else NotImplemented
        if _functions_enabled() and (holds_subclass(args) or holds_subclass(kwargs.values())):
            with torch._C.DisableTorchFunctionSubclass():  # it must not notice the tools' queries
                return self._watched(func, args, kwargs, _with_functions(func))
        return self._watched(func, args, kwargs, func)

    def _watched(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], run: Callable[..., Any]) -> Any:
        watchers = self.watchers
        if type(func) is not OpOverload:  # one that takes objects of C++, as collectives do
            watchers = tuple(each for each in watchers if getattr(each, "sees_bound_objects", False))
        known = self._conjugators.get(id(func))
        if known is None:
            known = self._conjugators[id(func)] = (may_form_conjugates(func), func)
        if known[0] and takes_complex(args):
            with conjugates_resolved():
                return self._run_from(watchers, func, args, kwargs, run)
        if len(watchers) == 1:
            return watchers[0].around(func, args, kwargs, run, self)
        return self._run_from(watchers, func, args, kwargs, run)

    def _run_from(
        self,
        watchers: tuple[Watcher, ...],
        func: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        run: Callable[..., Any],
    ) -> Any:
        if not watchers:
            return run(*args, **kwargs)

        def proceed(*args: Any, **kwargs: Any) -> Any:
            return self._run_from(watchers[1:], func, args, kwargs, run)

        return watchers[0].around(func, args, kwargs, proceed, self)


def _is_traced() -> bool:
    """Return whether a mode of PyTorch's own traces the program, or makes tensors without memory."""
    return any(
        getattr(mode, "_mode_key", None) is not None for mode in _python_dispatch._get_current_dispatch_mode_stack()
    )


def _with_functions(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator that runs with the functions of subclasses: it may be written in Python."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with torch._C._EnableTorchFunction():
            return func(*args, **kwargs)

    return run


def attach(watcher: Watcher) -> OpMode:
    """Show the operators of this thread to a watcher, from now on."""
    for mode in reversed(_python_dispatch._get_current_dispatch_mode_stack()):
        if isinstance(mode, OpMode):
            break
    else:
        mode = OpMode()
        mode.__enter__()  # type: ignore[no-untyped-call]
    mode.watchers = (*mode.watchers, watcher)
    return mode


def detach(mode: OpMode, watcher: Watcher) -> None:
    """Stop showing operators to a watcher."""
    mode.watchers = tuple(other for other in mode.watchers if other is not watcher)
    leave_if_idle(mode)


def leave_if_idle(mode: OpMode) -> None:
    """Pop a mode without watchers, if it is the topmost mode. Otherwise the last watcher to end pops it."""
    stack = _python_dispatch._get_current_dispatch_mode_stack()
    if not mode.watchers and stack and stack[-1] is mode:
        mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]


_ORDINARY = frozenset(
    (
        *(torch.Tensor, torch.nn.Parameter, int, float, bool, complex, str, type(None)),
        *(torch.dtype, torch.device, torch.layout, torch.memory_format),
    )
)


def holds_subclass(values: Iterable[Any]) -> bool:
    """Return whether there is a tensor of another class than PyTorch's two, also in lists."""
    for value in values:
        if type(value) in _ORDINARY:
            continue
        if isinstance(value, torch.Tensor) or (isinstance(value, (list, tuple)) and holds_subclass(value)):
            return True
    return False
