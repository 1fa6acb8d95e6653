"""Align the calls of two runs.

Calls of the same function, direction, shapes and module can be the same call; values that agree to two digits tell
which. So calls with distinctive values are aligned first; pairs that are out of order have moved. The calls between
them are aligned by function, module and shapes, and then without shapes: there the runs differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from math import floor, isfinite, log10
from typing import Callable

from musa_tools.compare_dumps.records import FORWARD, INPUT, OUTPUT, Call, Run, Value, call_name, layer_of
from musa_tools.compare_dumps.sequences import Pairs, Window, aligned, anchored, gaps
from musa_tools.unread import is_uninitialised, is_unread

_DIGITS = 200  # steps per decade of a norm: values that differ by less than a percent mostly look alike


@dataclass(frozen=True)
class Alignment:
    """Pairs of indices into the calls of two runs.

    Attributes:
        pairs: In order on both sides.
        moved: Pairs that are out of order.
    """

    pairs: Pairs
    moved: Pairs


class Numbers:
    """Integers for keys, the same on both sides."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}

    def of(self, key: Hashable) -> int:
        """Return the integer of a key."""
        return self._known.setdefault(key, len(self._known))


def align(left: Run, right: Run) -> Alignment:
    """Return the pairs of equal calls of two runs."""
    by_module = _has_modules(left) and _has_modules(right)

    def kind(call: Call) -> Hashable:
        return call.base, call.direction, _module(call) if by_module else ""

    def shaped(call: Call) -> Hashable:
        return kind(call), tuple([(value.part, value.shape) for value in call.values])

    def filled(call: Call, shift: float) -> Hashable:
        looks = [None if _is_unwritten(call, value) else _look(value, shift) for value in call.values]
        return shaped(call), tuple(looks)

    shapes = _numbered(left.calls, right.calls, shaped)
    whole = (0, len(left.calls), 0, len(right.calls))
    # Two numbers that are nearly equal may round apart, but not also when the steps are shifted by half of one.
    contents = [_numbered(left.calls, right.calls, partial(filled, shift=shift)) for shift in (0.0, 0.5)]
    pairs: Pairs = []
    for numbers in contents:
        pairs = sorted([*pairs, *(pair for window in gaps(pairs, whole) for pair in anchored(*numbers, window))])
    if shapes[0] == shapes[1] and all(i == j for i, j in pairs):  # one sequence, and no value speaks against it
        return Alignment([(i, i) for i in range(len(left.calls))], [])
    moved: Pairs = []
    for numbers in contents:
        moved += _moved(numbers, [*pairs, *moved])
    aligner = _GapAligner(moved)
    for numbers in (shapes, _numbered(left.calls, right.calls, kind)):
        pairs = aligner.filled(pairs, numbers, whole)
    names = _numbered(left.calls, right.calls, lambda call: (shaped(call), call.name))
    return Alignment(pairs, sorted([*moved, *_moved(names, [*pairs, *moved])]))


def align_by_name(left: Run, right: Run, with_shapes: bool) -> Alignment:
    """Return the pairs of calls of the same name, without their numbers, in order.

    Args:
        left: One run.
        right: The other.
        with_shapes: Whether shapes must be equal as well.
    """

    def key(call: Call) -> Hashable:
        return call.base, call.direction, tuple(value.shape for value in call.values) if with_shapes else None

    numbers = _numbered(left.calls, right.calls, key)
    whole = (0, len(left.calls), 0, len(right.calls))
    if numbers[0] == numbers[1]:
        return Alignment([(i, i) for i in range(len(left.calls))], [])
    if with_shapes:
        return Alignment(aligned(*numbers, whole), [])
    full = align(left, right).pairs
    return Alignment(_GapAligner([]).filled(full, numbers, whole), [])


Sides = tuple[list[int], list[int]]


def _numbered(left: Sequence[Call], right: Sequence[Call], key: Callable[[Call], Hashable]) -> Sides:
    numbers = Numbers()
    return [numbers.of(key(call)) for call in left], [numbers.of(key(call)) for call in right]


class _GapAligner:
    """Aligns the calls between pairs, except calls that have moved."""

    def __init__(self, moved: Pairs) -> None:
        self._moved = frozenset(i for i, _ in moved), frozenset(j for _, j in moved)

    def filled(self, pairs: Pairs, numbers: Sides, whole: Window) -> Pairs:
        """Return the pairs, and those in the gaps between them."""
        # Moved calls are left out: no call of the other side has these numbers.
        left = [-1 if i in self._moved[0] else number for i, number in enumerate(numbers[0])]
        right = [-2 if j in self._moved[1] else number for j, number in enumerate(numbers[1])]
        more = [pair for window in gaps(pairs, whole) for pair in aligned(left, right, window)]
        return sorted([*pairs, *more])


def _has_modules(run: Run) -> bool:
    return any(_module(call) for call in run.calls)


def _module(call: Call) -> str:
    """Return the module that a function was called in; a module's own name says where it is."""
    if call.parent:
        return call_name(call.parent).base
    return "" if layer_of(call.base) else call.layer


def _is_unwritten(call: Call, value: Value) -> bool:
    """Return whether a value may be unwritten memory: that two calls have the same of it is chance."""
    if value.part == INPUT:
        return call.direction == FORWARD and value.is_tensor and is_unread(call.base, value.position)
    return value.part == OUTPUT and is_uninitialised(call.base)


def _look(value: Value, shift: float) -> Hashable:
    """Return a rounded key of a value: equal for values that differ by rounding, unless they are at an edge."""
    if not value.is_tensor:
        return repr(value.scalar)
    high, low, norm = (value.statistics.get(name) for name in ("max", "min", "norm"))
    if norm is not None:
        return _digits(norm, shift)
    if high is not None or low is not None:
        return _digits(high, shift), _digits(low, shift)
    return value.digest


def _digits(number: float | None, shift: float) -> Hashable:
    if number is None or not isfinite(number):
        return repr(number)
    return (number > 0, floor(log10(abs(number)) * _DIGITS + shift)) if abs(number) > 1e-30 else 0


def _moved(numbers: Sides, known: Pairs) -> Pairs:
    """Return the pairs of remaining items that occur once on each side, in any order."""
    here, there = {i for i, _ in known}, {j for _, j in known}
    remaining = [
        [index for index in range(len(side)) if index not in taken] for side, taken in zip(numbers, (here, there))
    ]
    counts = [Counter(side[index] for index in rest) for side, rest in zip(numbers, remaining)]
    positions = {numbers[1][j]: j for j in remaining[1] if counts[1][numbers[1][j]] == 1}
    left = numbers[0]
    return [(i, positions[left[i]]) for i in remaining[0] if counts[0][left[i]] == 1 and left[i] in positions]
