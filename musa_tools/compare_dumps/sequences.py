"""Align two sequences of integers: common ends, items that are unique in both, and what is left exactly."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from musa_tools.compare_dumps.lcs import Pairs, longest_common

Window = tuple[int, int, int, int]  # begin and end in the left, begin and end in the right


def anchored(left: Sequence[int], right: Sequence[int], window: Window) -> Pairs:
    """Return pairs that are certain: common ends, and items that stand once on each side (patience), again and again.

    Args:
        left: The items of one side.
        right: The items of the other side.
        window: Where to look.
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
    places = {right[j]: j for j in range(first, last) if there[right[j]] == 1}
    common = [(i, places[left[i]]) for i in range(begin, end) if here[left[i]] == 1 and left[i] in places]
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
