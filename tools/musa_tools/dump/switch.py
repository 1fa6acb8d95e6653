"""ptdbg_ascend's switch: which calls are dumped, by the numbers in their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

ALL, LIST, RANGE, STACK = 1, 2, 3, 4
_WORDS = {"all": ALL, "list": LIST, "range": RANGE, "stack": STACK}


class Switch:
    """Selects calls.

    Args:
        state: "ON" or "OFF".
        mode: 1 or "all"; 2 or "list"; 3 or "range"; 4 or "stack": of a range, only the call stacks.
        scope: Names as in a dump of everything, as 1478_Tensor_permute, with or without _forward and _backward; for
            a range the first and the last.
    """

    def __init__(self, state: str = "OFF", mode: Any = ALL, scope: Optional[Sequence[str]] = None) -> None:
        if state not in ("ON", "OFF"):
            raise ValueError(f'set_dump_switch: found {state!r}, wanted "ON" or "OFF"')
        self.on = state == "ON"
        self._mode = _mode(mode)
        self._scope = tuple(scope or ())
        self._matched: set[str] = set()
        if isinstance(scope, str) or not all(isinstance(name, str) for name in self._scope):
            raise TypeError(f"scope: found {scope!r}, wanted a list of names")
        if self._mode != ALL and not self._scope:
            raise ValueError(f"mode {mode!r} needs a scope: a list of names")
        if self._mode in (RANGE, STACK):
            if len(self._scope) != 2:
                raise ValueError(f"scope: found {len(self._scope)} names, wanted the first and the last of the range")
            self._first, self._last = (_number(name) for name in self._scope)
            if self._last < self._first:
                raise ValueError(f"scope: {self._scope[1]} comes before {self._scope[0]}")

    def selection(self, name: str, number: int, backward: bool) -> DumpSelection:
        """Return the parts of a call to dump.

        Args:
            name: As 1478_Tensor_permute_forward.
            number: Of the call.
            backward: Whether this is its backward pass.
        """
        if not self.on:
            return NOTHING
        if self._mode == ALL:
            return DumpSelection(True, False)
        self._matched.update(each for each in self._scope if _matches(each, name))
        if self._mode == LIST:
            inside = any(_matches(each, name) for each in self._scope)
            return DumpSelection(inside, inside)
        inside = self._first <= number <= self._last
        if backward and self._scope[1].endswith("_forward"):
            inside = False
        return DumpSelection(inside and self._mode == RANGE, inside)

    def never_matched(self) -> list[str]:
        """Return the names that no call had."""
        return [name for name in self._scope if name not in self._matched] if self._mode != ALL else []


def _mode(mode: Any) -> int:
    known = _WORDS.get(mode) if isinstance(mode, str) else mode
    if isinstance(known, bool) or known not in (ALL, LIST, RANGE, STACK):
        raise ValueError(f"mode: found {mode!r}, wanted 1 (all), 2 (list), 3 (range) or 4 (stack)")
    return known


def _number(name: str) -> int:
    first = name.partition("_")[0]
    if not first.isdigit():
        raise ValueError(f"scope: found {name!r}, wanted a name that begins with its number, as 1478_Tensor_permute")
    return int(first)


def _matches(given: str, name: str) -> bool:
    return name == given or name.startswith(f"{given}_")


class DumpSelection(NamedTuple):
    """The parts of a call to dump."""

    values: bool
    stack: bool


NOTHING = DumpSelection(False, False)
