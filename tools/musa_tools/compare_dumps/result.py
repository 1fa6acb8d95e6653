"""The outcome of a comparison: pairs of values and of calls, sections, and the first divergence. No file is opened."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from musa_tools.compare_dumps.records import Call, Value
from musa_tools.judge.dump_rules import Mark
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
