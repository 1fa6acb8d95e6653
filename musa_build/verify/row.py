"""A row: something that we assume, and the probe that asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .lab import Lab
from .verdict import Verdict

Probe = Callable[[Lab], Verdict]


@dataclass(frozen=True)
class Row:
    """Something that is to be confirmed: of docs/unverified.md, or of the parts that are checked as a whole."""

    id: str
    group: str
    question: str
    assumed: str
    probe: Probe
    limit: float = 60.0  # seconds for one program
