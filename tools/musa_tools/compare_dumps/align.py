"""Align the calls of two runs.

Calls of the same function, direction, shapes and module can be the same call; values that agree to two digits tell
which. So calls with distinctive values are aligned first; pairs that are out of order have moved. The calls between
them are aligned by function, module and shapes, and then without shapes: there the runs differ.

They are aligned as sequences of integers: common ends, items that are unique in both, and the rest exactly. The rest
has a longest common subsequence. A row of the table of its lengths is one long integer (Hyyrö's bit-parallel
recurrence), so Python's own arithmetic computes sixty cells at a time: 100,000 times 100,000 take some seconds. Rows
are kept where they fit into memory; larger tables are halved first (Hirschberg).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import floor, isfinite, log10
from typing import Callable

from musa_tools.compare_dumps.records import FORWARD, INPUT, OUTPUT, Call, Run, Value, call_name, layer_of
from musa_tools.unread import is_uninitialised, is_unread

Pairs = list[tuple[int, int]]
Window = tuple[int, int, int, int]  # begin and end in the left, begin and end in the right

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


def anchored(left: Sequence[int], right: Sequence[int], window: Window) -> Pairs:
    """Return certain pairs: common ends, and items that occur once on each side (patience), repeatedly.

    Args:
        left: The items of one side.
        right: The items of the other side.
        window: The part of both sides to align.
    """
    pairs: Pairs = []
    windows = [window]
    while windows:
        begin, end, first, last = windows.pop()
        while begin < end and first < last and left[begin] == right[first]:
            pairs.append((begin, first))
            begin, first = begin + 1, first + 1
        while begin < end and first < last and left[end - 1] == right[last - 1]:
            end, last = end - 1, last - 1
            pairs.append((end, last))
        anchors = _unique(left, right, (begin, end, first, last))
        pairs += anchors
        if anchors:
            windows += gaps(anchors, (begin, end, first, last))
    return sorted(pairs)


def aligned(left: Sequence[int], right: Sequence[int], window: Window) -> Pairs:
    """Return the pairs of an alignment without crossings; between certain pairs, it is a longest one."""
    pairs = anchored(left, right, window)
    for begin, end, first, last in gaps(pairs, window):
        pairs += [(begin + i, first + j) for i, j in longest_common(left[begin:end], right[first:last])]
    return sorted(pairs)


def gaps(pairs: Pairs, window: Window) -> list[Window]:
    """Return the windows between pairs of which both sides have something."""
    begin, end, first, last = window
    found = []
    for i, j in [*pairs, (end, last)]:
        if begin < i and first < j:
            found.append((begin, i, first, j))
        begin, first = i + 1, j + 1
    return found


def _unique(left: Sequence[int], right: Sequence[int], window: Window) -> Pairs:
    begin, end, first, last = window
    if begin == end or first == last:
        return []
    here, there = Counter(left[begin:end]), Counter(right[first:last])
    positions = {right[j]: j for j in range(first, last) if there[right[j]] == 1}
    common = [(i, positions[left[i]]) for i in range(begin, end) if here[left[i]] == 1 and left[i] in positions]
    return _longest_rising(common)


def _longest_rising(pairs: Pairs) -> Pairs:
    """Return the longest run of pairs that rises on both sides."""
    tops: list[int] = []  # the smallest right end of a rising run of each length
    ends: list[int] = []  # its pair
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        length = bisect_left(tops, j)
        before.append(ends[length - 1] if length else -1)
        if length == len(tops):
            tops.append(j)
            ends.append(index)
        else:
            tops[length], ends[length] = j, index
    run = []
    at = ends[-1] if ends else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


_KEPT_BITS = 1 << 29  # of the table of one window, in memory: 64 MiB


def longest_common(left: Sequence[int], right: Sequence[int]) -> Pairs:
    """Return the index pairs of a longest common subsequence, in order."""
    pairs: Pairs = []
    windows = [(0, len(left), 0, len(right))]
    while windows:
        begin, end, first, last = windows.pop()
        if begin == end or first == last:
            continue
        a, b = left[begin:end], right[first:last]
        if len(a) == 1 or len(a) * len(b) <= _KEPT_BITS:
            pairs += [(begin + i, first + j) for i, j in _traced(a, b)]
            continue
        half = len(a) // 2
        split = _split(a, b, half)
        windows.append((begin + half, end, first + split, last))
        windows.append((begin, begin + half, first, first + split))
    return pairs


def _position_masks(right: Sequence[int], wanted: set[int]) -> dict[int, int]:
    """Return the positions of every wanted item, as a bit mask."""
    size = (len(right) + 7) // 8
    positions: dict[int, bytearray] = {}
    for index, item in enumerate(right):
        if item in wanted:
            if item not in positions:
                positions[item] = bytearray(size)
            positions[item][index >> 3] |= 1 << (index & 7)
    return {item: int.from_bytes(mask, "little") for item, mask in positions.items()}


def _rows(left: Sequence[int], right: Sequence[int]) -> list[int]:
    positions = _position_masks(right, set(left))
    full = (1 << len(right)) - 1
    row, rows = full, []
    for item in left:
        both = row & positions.get(item, 0)
        if both:
            row = ((row + both) | (row - both)) & full
        rows.append(row)
    return rows


def _traced(left: Sequence[int], right: Sequence[int]) -> Pairs:
    rows = _rows(left, right)
    pairs: Pairs = []
    i, j = len(left), len(right)
    while i and j:
        if rows[i - 1] >> (j - 1) & 1:  # this element of the right adds nothing
            j -= 1
        else:
            i -= 1
            if not i or rows[i - 1] >> (j - 1) & 1:  # it did not add anything without the left's element
                j -= 1
                pairs.append((i, j))
    return pairs[::-1]


def _lengths(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """Return the length of the common subsequence of the left with every prefix of the right."""
    positions = _position_masks(right, set(left))
    full = (1 << len(right)) - 1
    row = full
    for item in left:
        both = row & positions.get(item, 0)
        if both:
            row = ((row + both) | (row - both)) & full
    gains = bin(~row & full | 1 << len(right))[3:]  # the first digit is the mark in front
    return list(accumulate(map(int, reversed(gains)), initial=0))


def _split(left: Sequence[int], right: Sequence[int], half: int) -> int:
    """Return where to cut the right, so that both halves together lose nothing."""
    before = _lengths(left[:half], right)
    after = _lengths(left[: half - 1 : -1] if half else left[::-1], right[::-1])
    sums = [a + b for a, b in zip(before, reversed(after))]
    return sums.index(max(sums))
