"""Where the programs of this directory are, and what the fixture `build` is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pytest

RUNTIME_TESTS = Path(__file__).parents[1] / "runtime"
sys.path.insert(0, str(RUNTIME_TESTS))  # one way to run a program, for all suites of the simulator

from sim_programs import Program  # noqa: E402

SOURCES = Path(__file__).parent / "programs"


#: For a fixture that builds one program: as new code is compiled, and as the oldest code that CUDA 12 takes.
STANDARDS = ["-std=c++17", pytest.param("-std=c++11", marks=pytest.mark.slow)]


class Build(Protocol):
    def __call__(self, source: str, libraries: Sequence[str] = (), flags: Sequence[str] = ()) -> Program: ...
