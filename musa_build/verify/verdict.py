"""The verdict of a probe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class State(str, Enum):
    """The result of a probe: the assumption holds, it does not, or the probe cannot tell."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNDECIDED = "not decided"


@dataclass(frozen=True)
class Verdict:
    """A state, and in one or two lines the observation, or the reason why the probe cannot tell."""

    state: State
    seen: str

    @property
    def as_json(self) -> dict[str, str]:
        return {"state": self.state.value, "seen": self.seen}

    @classmethod
    def from_json(cls, content: Mapping[str, str]) -> Verdict:
        """Read the result of `as_json`."""
        return cls(State(content["state"]), content["seen"])


class UndecidedError(Exception):
    """Raised by a probe that cannot tell. The message says why."""


def confirmed(seen: str) -> Verdict:
    """Return the verdict that the assumption holds."""
    return Verdict(State.CONFIRMED, seen)


def refuted(seen: str) -> Verdict:
    """Return the verdict that the assumption does not hold."""
    return Verdict(State.REFUTED, seen)


def undecided(why: str) -> Verdict:
    """Return the verdict that the probe cannot tell."""
    return Verdict(State.UNDECIDED, why)


def judged(holds: bool, seen: str) -> Verdict:
    """Return `confirmed` if the assumption holds, else `refuted`."""
    return confirmed(seen) if holds else refuted(seen)


def compared(expected: Mapping[str, str], facts: Mapping[str, str]) -> Verdict:
    """Compare facts with the expected ones. Facts without an expectation are shown and not judged."""
    wrong = [
        f"{name} is {facts.get(name, 'missing')}, expected {value}"
        for name, value in expected.items()
        if facts.get(name) != value
    ]
    if wrong:
        return refuted("; ".join(wrong))
    return confirmed("; ".join(f"{name} {value}" for name, value in facts.items()))
