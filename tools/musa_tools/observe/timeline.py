"""The module calls of a thread, in the order of the sequence numbers that autograd gives to the nodes of a graph.

If a module makes a node, the node's number lies between the counter's values at the module's entry and exit. So two
short lists tell for every node of the backward graph which module made it. Nothing is recorded per operator.

Each thread counts from zero, and the system gives a thread's identifier again to a later thread. So a timeline belongs
to the thread itself, and goes with it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Generic, Optional, TypeVar

import torch

Frame = TypeVar("Frame")  # one call of a module; its fields do not matter here

_LONGEST = 1 << 16  # module calls that are remembered
_next_number: Callable[[], int] = vars(torch.autograd)["_get_sequence_nr"]
NO_NUMBER = (1 << 64) - 1  # nodes that autograd does not count: those that accumulate a parameter's gradient


class Timeline(Generic[Frame]):
    """The module calls of one thread."""

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
