"""The gradients of one call, gathered until all are there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Callable

import torch

#: (whether it comes in, position, gradient) -> an entry
Describe = Callable[[bool, str, Any], Any]


class PendingGradients:
    """Takes the gradients of a call in the order in which autograd has them.

    Args:
        describe: Makes an entry of a gradient as soon as it is there.
        done: Is given the entries of what came in and of what went back, by position.
    """

    __slots__ = ("_describe", "_done", "_incoming", "_outgoing", "_parts", "_uses")

    def __init__(self, describe: Describe, done: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
        self._describe = describe
        self._done: Any = done
        self._incoming: dict[str, Any] = {}
        self._outgoing: dict[str, Any] = {}
        self._uses: Counter[tuple[bool, str]] = Counter()
        self._parts: dict[tuple[bool, str], list[Any]] = {}

    @property
    def ended(self) -> bool:
        """Return whether they were handed over."""
        return self._done is None

    def expect(self, incoming: Iterable[str], outgoing: Iterable[str]) -> None:
        """Say what will come; an input that the call used twice gives back twice."""
        self._uses = Counter([(True, position) for position in incoming] + [(False, position) for position in outgoing])

    def report(self, comes_in: bool, position: str, gradient: Any) -> None:
        """Take a gradient, which may be None; not those of a second backward pass, after all have come."""
        key = (comes_in, position)
        uses = self._uses.get(key, 0)
        if self._done is None or not uses:
            return
        if uses == 1:
            del self._uses[key]
            self._take(key, gradient)
        else:
            parts = self._parts.setdefault(key, [])
            parts.append(gradient)
            if len(parts) < uses:
                return
            del self._uses[key], self._parts[key]
            self._take(key, _sum(parts))
        if not self._uses:
            self.finish()

    def finish(self) -> None:
        """Hand over what is there, if it was not done yet."""
        done, self._done = self._done, None
        if done is None:
            return
        for key, parts in self._parts.items():
            self._take(key, _sum(parts))
        self._parts = {}
        if self._incoming or self._outgoing:
            done(self._incoming, self._outgoing)

    def _take(self, key: tuple[bool, str], gradient: Any) -> None:
        comes_in, position = key
        (self._incoming if comes_in else self._outgoing)[position] = self._describe(comes_in, position, gradient)


def _sum(parts: list[Any]) -> Any:
    there = [part for part in parts if part is not None]
    if not there:
        return None
    total: torch.Tensor = there[0]
    for part in there[1:]:
        total = total + part
    return total
