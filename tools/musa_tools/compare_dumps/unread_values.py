"""Find the values whose content says nothing: memory that may be unwritten, because no call has read it yet.

Two equal runs differ in such memory. A value is left out where its call does not read it, which names tell
(``musa_tools.unread``). A call that moves elements reads what it returns, so its input is left out where the results
agree, or where the next call with such a result does not read it either. A module is judged by the functions that it
calls.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple, Optional

from musa_tools.compare_dumps.records import FORWARD, INPUT, OUTPUT, Call, Value
from musa_tools.judge.measures import Measures
from musa_tools.unread import is_uninitialised, is_unread, moves_elements

MatchedValues = tuple[Optional[Value], Optional[Value], Optional[Measures]]
_MODULES = ("Module.", "Cell.")


class MatchedCalls(NamedTuple):
    """A call of each run, and their values side by side; one of the calls may be missing."""

    left: Optional[Call]
    right: Optional[Call]
    moved: bool
    values: Sequence[MatchedValues]


class _NextUses:
    """Remembers, going back from the end of a run, whether the next call with some content reads it."""

    def __init__(self) -> None:
        self._unread: dict[Hashable, bool] = {}

    def note(self, value: Value, unread: bool) -> None:
        self._unread[_content(value)] = unread

    def overwrites(self, value: Value) -> bool:
        return self._unread.get(_content(value), False)


def unread_values(calls: Sequence[MatchedCalls]) -> list[frozenset[int]]:
    """Return, for every pair of calls, the indices of the values whose content says nothing.

    Args:
        calls: The calls of both runs, in order.
    """
    with_functions = _modules_with_functions(calls)
    left, right = _NextUses(), _NextUses()
    found: list[frozenset[int]] = []
    for each in reversed(calls):
        call = each.left or each.right
        if call is None or call.direction != FORWARD:
            found.append(frozenset())
            continue
        unread = _unread(call, each.values, call.name in with_functions, left, right)
        for index, (a, b, _) in enumerate(each.values):
            for value, uses in ((a, left), (b, right)):
                if value is not None and value.part == INPUT and value.is_tensor and not call.base.startswith(_MODULES):
                    uses.note(value, index in unread)
        found.append(frozenset(unread))
    return found[::-1]


def _unread(
    call: Call, values: Sequence[MatchedValues], has_functions: bool, left: _NextUses, right: _NextUses
) -> set[int]:
    inputs = {index: a.position for index, (a, _, _) in enumerate(values) if a is not None and a.part == INPUT}
    results = {index for index, (a, _, _) in enumerate(values) if a is not None and a.part == OUTPUT}
    differing = {index for index in results if _differ(values[index][2])}
    if call.base.startswith(_MODULES):
        return set(inputs) if has_functions and not differing else set()
    unread = {index for index, position in inputs.items() if is_unread(call.base, position)}
    if is_uninitialised(call.base):
        return unread | results
    if moves_elements(call.base) and all(_is_overwritten(values[index], left, right) for index in differing):
        return unread | differing | {index for index, position in inputs.items() if position == "0"}
    return unread


def _is_overwritten(values: MatchedValues, left: _NextUses, right: _NextUses) -> bool:
    a, b, _ = values
    return a is not None and b is not None and left.overwrites(a) and right.overwrites(b)


def _differ(measures: Optional[Measures]) -> bool:
    return measures is None or measures.different or measures.digest_equal is False


def _modules_with_functions(calls: Sequence[MatchedCalls]) -> set[str]:
    """Return the names of the module calls inside which a function was called."""
    known = [call for each in calls if (call := each.left or each.right) is not None]
    parents = {call.name: call.parent for call in known}
    found: set[str] = set()
    for call in known:
        parent = "" if call.base.startswith(_MODULES) else call.parent
        while parent and parent not in found:
            found.add(parent)
            parent = parents.get(parent, "")
    return found


def _content(value: Value) -> Hashable:
    """Return a key of the content of a tensor: two calls with the same key most likely have the same tensor."""
    numbers = tuple(value.statistics.values())
    unordered = any(each != each for each in numbers)  # a NaN equals nothing, its text does
    return value.dtype, value.shape, repr(numbers) if unordered else numbers, value.digest
