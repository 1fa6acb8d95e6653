"""Where the programs of this directory are, and what the fixture `build` is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Protocol

sys.path.insert(0, str(Path(__file__).parents[1] / "runtime"))  # one way to run a program, for all suites

from sim_programs import Program, Result

__all__ = ["SOURCES", "Build", "Program", "Result"]

SOURCES = Path(__file__).parent / "programs"


class Build(Protocol):
    def __call__(self, source: str) -> Program: ...
