"""Which call of one run is which call of the other.

Calls of the same function, direction, shapes and module can be the same call. Which of several it is, values tell where
they agree to two digits; so runs are aligned by values first, then by calls in what lies between, then without shapes.
Calls that are left over on both sides, with the same values or name, have moved.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import isfinite, log10
from typing import Callable

from musa_tools.compare_dumps.lcs import Pairs
from musa_tools.compare_dumps.names import call_name, layer_of
from musa_tools.compare_dumps.records import Call, Run, Value
from musa_tools.compare_dumps.sequences import Window, aligned, anchored, gaps

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
    """Return which calls of two runs belong together."""
    by_module = _has_modules(left) and _has_modules(right)

    def kind(call: Call) -> Hashable:
        return call.base, call.direction, _module(call) if by_module else ""

    def shaped(call: Call) -> Hashable:
        return kind(call), tuple((value.part, value.shape) for value in call.values)

    def filled(call: Call) -> Hashable:
        return shaped(call), tuple(map(_look, call.values))

    kinds, shapes, contents = (_numbered(left.calls, right.calls, key) for key in (kind, shaped, filled))
    whole = (0, len(left.calls), 0, len(right.calls))
    if shapes[0] == shapes[1]:
        return Alignment([(i, i) for i in range(len(left.calls))], [])
    pairs = anchored(*contents, whole)
    for numbers in (shapes, kinds):
        pairs = _filled(pairs, numbers, whole)
    return Alignment(pairs, _moved(left, right, pairs, shapes, contents))


def align_by_name(left: Run, right: Run, with_shapes: bool) -> Alignment:
    """Return which calls belong together by name, without their numbers, in order.

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
    return Alignment(_filled(full, numbers, whole), [])


Sides = tuple[list[int], list[int]]


def _numbered(left: Sequence[Call], right: Sequence[Call], key: Callable[[Call], Hashable]) -> Sides:
    numbers = Numbers()
    return [numbers.of(key(call)) for call in left], [numbers.of(key(call)) for call in right]


def _filled(pairs: Pairs, numbers: Sides, whole: Window) -> Pairs:
    more = [pair for window in gaps(pairs, whole) for pair in aligned(*numbers, window)]
    return sorted([*pairs, *more])


def _has_modules(run: Run) -> bool:
    return any(_module(call) for call in run.calls)


def _module(call: Call) -> str:
    """Return the module that a function was called in; a module's own name says where it is."""
    if call.parent:
        return call_name(call.parent).base
    return "" if layer_of(call.base) else call.layer


def _look(value: Value) -> Hashable:
    """Return about what a value is: the same for values that differ by rounding, unless they are at an edge."""
    if not value.is_tensor:
        return repr(value.scalar)
    if value.norm is not None:
        return _digits(value.norm)
    if value.max is not None or value.min is not None:
        return _digits(value.max), _digits(value.min)
    return value.digest


def _digits(number: float | None) -> Hashable:
    if number is None or not isfinite(number):
        return repr(number)
    return (number > 0, round(log10(abs(number)) * _DIGITS)) if abs(number) > 1e-30 else 0


def _moved(left: Run, right: Run, pairs: Pairs, shapes: Sides, contents: Sides) -> Pairs:
    taken = {j for _, j in pairs}
    known = {i for i, _ in pairs}
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for j, call in enumerate(right.calls):
        if j not in taken:
            waiting["content", contents[1][j]].append(j)
            waiting["name", shapes[1][j], call.name].append(j)
    moved = []
    for key_of in (lambda i: ("content", contents[0][i]), lambda i: ("name", shapes[0][i], left.calls[i].name)):
        for i in range(len(left.calls)):
            if i in known:
                continue
            queue = waiting.get(key_of(i))
            while queue:
                j = queue.popleft()
                if j not in taken:
                    taken.add(j)
                    known.add(i)
                    moved.append((i, j))
                    break
    return sorted(moved)
