"""The outcome of a comparison: pairs of values and of calls, sections, and the first divergence. No file is opened.

The first divergence is the call that made a bad result of good inputs.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from musa_tools.compare_dumps.records import FORWARD, GRADIENT, OUTPUT, Call, Value
from musa_tools.judge.dump_rules import Mark, grows
from musa_tools.judge.measures import Measures


@dataclass(frozen=True)
class ValuePair:
    """A value of one dump and the value of the other that belongs to it; one of both may be missing."""

    left: Optional[Value]
    right: Optional[Value]
    measures: Optional[Measures]
    mark: Mark
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class CallPair:
    """A call of one dump and the call of the other that belongs to it; one of both may be missing.

    Attributes:
        moved: Whether the other run has made this call elsewhere.
        before: The distance of the inputs; None if there are none.
        after: The distance of the results.
        saved: Of a backward call: the values of its forward call, which it may have kept.
    """

    left: Optional[Call]
    right: Optional[Call]
    moved: bool
    rows: tuple[ValuePair, ...]
    before: Optional[float]
    after: Optional[float]
    saved: tuple[Measures, ...] = ()

    @property
    def call(self) -> Call:
        """Return the first dump's call, or else the second's."""
        call = self.left or self.right
        assert call is not None
        return call

    @property
    def mark(self) -> Mark:
        """Return the worst mark of its rows."""
        return max((row.mark for row in self.rows), key=lambda mark: mark.rank, default=Mark.PASS)


class Cause(enum.Enum):
    """The cause of a difference of two runs."""

    NONE = "none"
    MADE = "made"  # good inputs, a bad result
    RECEIVED = "received"  # bad inputs, which no earlier call made
    ACCUMULATED = "accumulated"  # errors add up over many calls


@dataclass(frozen=True)
class Divergence:
    """The first call where two runs differ.

    Attributes:
        cause: The cause of the difference.
        index: The pair, in its section.
        rows: Its rows that say so.
        hint: The next step for the user.
    """

    cause: Cause
    index: int = -1
    rows: tuple[int, ...] = ()
    hint: str = ""


@dataclass(frozen=True)
class Section:
    """One process in one step."""

    step: str
    rank: str
    pairs: tuple[CallPair, ...]
    divergence: Divergence
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Return its name in tables."""
        words = [f"step {self.step}" if self.step else "", f"rank {self.rank}" if self.rank else ""]
        return ", ".join(each for each in words if each)

    def count(self, mark: Mark) -> int:
        """Return how many of its rows have a mark."""
        return sum(row.mark is mark for pair in self.pairs for row in pair.rows)


@dataclass(frozen=True)
class Comparison:
    """Two dumps side by side.

    Attributes:
        left: The run that is judged.
        right: The reference.
        warnings: Obstacles to a comparison: other settings, other versions.
        sources: Both runs, in a line each: when, with what, by which command. Empty where a dump does not say.
    """

    left: Path
    right: Path
    profile: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    sources: tuple[str, str] = ("", "")

    def count(self, mark: Mark) -> int:
        """Return how many rows have a mark."""
        return sum(section.count(mark) for section in self.sections)

    @property
    def first(self) -> Optional[Section]:
        """Return the first section in which the runs differ."""
        return next((each for each in self.sections if each.divergence.cause is not Cause.NONE), None)

    @property
    def differs(self) -> bool:
        """Return whether something is wrong; errors that only add up are not."""
        wrong = any(each.divergence.cause in (Cause.MADE, Cause.RECEIVED) for each in self.sections)
        return wrong or self.count(Mark.ERROR) > 0


_RANDOM = ("dropout", "rand", "randn", "bernoulli", "normal", "uniform", "multinomial", "randint", "randperm", "rrelu")
_RANDOM_HINT = "it draws random numbers: seed both runs alike, or set the dropout to 0, and dump again"
_DATA_HINT = (
    "no call in the dumps has made this difference: compare the batches, the weights and the seeds of both runs"
)
_UNMATCHED_HINT = "{} before it in one dump only, the last one {}: look at these first"
_SUM_HINT = "errors add up over many calls, and none stands out"
_CODE_HINT = "CompareWithCPU(dump_error_data=True) writes its inputs, and musa-tools replay runs it alone"


def first_divergence(pairs: Sequence[CallPair]) -> Divergence:
    """Return the first call that made a difference, or another cause of the difference.

    Args:
        pairs: The calls of both runs, in the order of the first.
    """
    inputs = _inputs_of_modules(pairs)
    made = {index: rows for index, pair in enumerate(pairs) if (rows := _made(pair, inputs))}
    received = next((index for index, pair in enumerate(pairs) if _receives(pair)), None)
    if made and (received is None or min(made) <= received):
        index = _innermost(pairs, made)
        return Divergence(Cause.MADE, index, made[index], _hint(pairs[index].call))
    if received is not None:
        rows = tuple(i for i, row in enumerate(pairs[received].rows) if row.measures and row.measures.different)
        if _grown(pairs[:received]):
            return Divergence(Cause.ACCUMULATED, received, rows, _SUM_HINT)
        unmatched = [pair.call.name for pair in pairs[:received] if pair.left is None or pair.right is None]
        hint = _DATA_HINT
        if unmatched:
            hint = _UNMATCHED_HINT.format(f"{len(unmatched)} calls" if len(unmatched) > 1 else "a call", unmatched[-1])
        return Divergence(Cause.RECEIVED, received, rows, hint)
    for index, pair in enumerate(pairs):
        rows = tuple(i for i, row in enumerate(pair.rows) if row.measures and row.measures.different)
        if rows:
            return Divergence(Cause.ACCUMULATED, index, rows, _SUM_HINT)
    return Divergence(Cause.NONE)


def _made(pair: CallPair, inputs_of_modules: dict[str, list[CallPair]]) -> tuple[int, ...]:
    """Return the rows that are bad although all inputs are good."""
    if pair.left is None or pair.right is None:
        return ()
    call = pair.left
    inputs = [row.measures for row in pair.rows if row.measures and row.left and not _is_result(row.left.part)]
    if call.direction == GRADIENT:
        others = inputs_of_modules.get(call.base)
        if not others:
            return ()  # its inputs are not in the dump
        inputs = [row.measures for other in others for row in other.rows if row.measures]
    elif not inputs and call.direction != FORWARD:
        return ()
    inputs += pair.saved
    return tuple(
        index
        for index, row in enumerate(pair.rows)
        if row.measures and row.left and _is_result(row.left.part) and grows(row.measures, inputs)
    )


def _is_result(part: Optional[str]) -> bool:
    return part in (OUTPUT, GRADIENT)


def _receives(pair: CallPair) -> bool:
    """Return whether inputs of a call differ."""
    return any(
        row.measures is not None and row.measures.different
        for row in pair.rows
        if row.left is not None and not _is_result(row.left.part)
    )


def _grown(pairs: Sequence[CallPair]) -> bool:
    """Return whether earlier results have come close to their limits."""
    return any(
        row.measures is not None and row.measures.tensor and row.measures.error > row.measures.allowed / 10 > 0
        for pair in pairs
        for row in pair.rows
        if row.left is not None and _is_result(row.left.part)
    )


def _inputs_of_modules(pairs: Sequence[CallPair]) -> dict[str, list[CallPair]]:
    """Return the calls of every module whose parameters have gradients in the dump."""
    wanted = {pair.call.base for pair in pairs if pair.call.direction == GRADIENT}
    found: dict[str, list[CallPair]] = {}
    for pair in pairs:
        if pair.call.base in wanted and pair.call.direction != GRADIENT and pair.left and pair.right:
            found.setdefault(pair.call.base, []).append(pair)
    return found


def _innermost(pairs: Sequence[CallPair], made: dict[int, tuple[int, ...]]) -> int:
    """Return the first call that made a difference, or the first inside it: a module is as bad as its functions."""
    parents = _parents(pairs)
    at = min(made)
    while True:
        direction = pairs[at].call.direction
        inside = [
            index for index in made if pairs[index].call.direction == direction and _is_inside(index, at, parents)
        ]
        if not inside or min(inside) == at:
            return at
        made = {index: made[index] for index in inside}
        at = min(made)


def _parents(pairs: Sequence[CallPair]) -> dict[int, int]:
    """Map each call to the call of its module; one of the runs may not know it."""
    left = {pair.left.name: index for index, pair in enumerate(pairs) if pair.left}
    right = {pair.right.name: index for index, pair in enumerate(pairs) if pair.right}
    found: dict[int, int] = {}
    for index, pair in enumerate(pairs):
        for call, names in ((pair.left, left), (pair.right, right)):
            if call is not None and call.parent in names:
                found.setdefault(index, names[call.parent])
    return found


def _is_inside(index: int, outer: int, parents: dict[int, int]) -> bool:
    seen: set[int] = set()
    while index in parents and index not in seen:
        seen.add(index)
        index = parents[index]
        if index == outer:
            return True
    return False


def _hint(call: Call) -> str:
    words = call.base.replace(".", "_").lower().strip("_").split("_")
    return _RANDOM_HINT if any(each in words for each in _RANDOM) else _CODE_HINT
