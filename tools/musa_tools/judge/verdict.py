"""The outcome of a comparison, as a value. decision.py makes it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any


class Status(enum.Enum):
    """The outcome for one operator."""

    PASS = "pass"
    VALUES = "values"
    NONFINITE = "nonfinite"
    SHAPE = "shape"
    DTYPE = "dtype"
    STRUCTURE = "structure"
    UNTESTED = "untested"

    @property
    def failed(self) -> bool:
        """Return whether the results differ."""
        return self not in (Status.PASS, Status.UNTESTED)


@dataclass(frozen=True)
class Verdict:
    """The outcome for one operator, and where in its results the difference is."""

    status: Status
    reason: str = ""
    path: str = ""  # of the result that differs: "0", "1.2"; or the name of a written argument
    actual: Any = None
    expected: Any = None


PASSED = Verdict(Status.PASS)
