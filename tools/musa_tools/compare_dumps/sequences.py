"""Align two sequences of integers: common ends, items that are unique in both, and the rest exactly.

The rest has a longest common subsequence. A row of the table of its lengths is one long integer (Hyyrö's bit-parallel
recurrence), so Python's own arithmetic computes sixty cells at a time: 100,000 times 100,000 take some seconds. Rows
are kept where they fit into memory; larger tables are halved first (Hirschberg).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

Window = tuple[int, int, int, int]  # begin and end in the left, begin and end in the right


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

Pairs = list[tuple[int, int]]


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
