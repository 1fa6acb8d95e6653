"""Where an operator runs: in which module, forward or backward."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple, Optional, Union

import torch

from musa_tools.observe.modules import CURRENT, TRACKER, Frame, StaticPlace
from musa_tools.observe.timeline import NO_NUMBER

Place = Union[Frame, StaticPlace, None]

_current_node = torch._C._current_autograd_node
_current_graph = torch._C._current_graph_task_id


class Where(NamedTuple):
    """A place in the model and a direction."""

    place: Place
    backward: bool

    def full_name(self, operator: str) -> str:
        """Return the operator's name as the logs write it."""
        path = f"{self.place.class_path}/" if self.place is not None else ""
        return f"{path}{operator}({'backward' if self.backward else 'forward'})"

    @property
    def label(self) -> str:
        """Return the module's own path, or nothing where no module is known."""
        return self.place.label if self.place is not None else ""


class Locator:
    """Finds the place of operators that belong to one thread's forward passes, and to the backward passes of these."""

    def __init__(self, thread: int) -> None:
        self._thread = thread
        self._recomputing: dict[int, int] = {}  # thread of the backward pass -> graph that was running

    def now(self) -> Where:
        """Return the place of the operator that is running."""
        node = _current_node()
        if node is None:
            self._recomputing.clear()
            return Where(CURRENT.get(), False)
        frame = CURRENT.get()
        if frame is not None and torch.is_grad_enabled():
            # Checkpointing runs a forward pass again, in the middle of the backward pass.
            self._recomputing[threading.get_ident()] = _current_graph()
            return Where(frame, False)
        return Where(self._owner(node), True)

    def _owner(self, node: Any) -> Place:
        number = node._sequence_nr()
        if number >= NO_NUMBER:
            parameter = getattr(node, "variable", None)
            return None if parameter is None else TRACKER.parameter_place(parameter)
        timeline = TRACKER.timeline(self._forward_thread())
        return timeline.find(number) if timeline is not None else None

    def _forward_thread(self) -> int:
        """Return the thread whose modules made the node that is running.

        Nodes are numbered per thread. A checkpoint that is recomputed in a thread of autograd's own makes nodes
        there, and they belong to a backward pass inside the one that recomputes.
        """
        here = threading.get_ident()
        outer: Optional[int] = self._recomputing.get(here)
        if outer is None or here == self._thread:
            return self._thread
        if _current_graph() != outer:
            return here
        del self._recomputing[here]
        timeline = TRACKER.timeline(here)
        if timeline is not None:
            timeline.clear()
        return self._thread
