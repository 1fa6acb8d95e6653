"""Fixtures that compile programs which use the C++ library in kernels."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from kept_programs import KeptPrograms

RUNTIME_TESTS = Path(__file__).parents[1] / "runtime"
sys.path.insert(0, str(RUNTIME_TESTS))  # one way to run a program, for all suites of the simulator

from sim_programs import MATRIX_FLAGS, Program  # noqa: E402


@pytest.fixture(scope="session")
def build(kept_programs: KeptPrograms) -> Callable[..., Program]:
    """Compile and link one source for a C++ standard."""

    def compile_and_link(source: Path, standard: str, *flags: str) -> Program:
        common = [f"-std=c++{standard}", f"-I{RUNTIME_TESTS}/programs"]
        return Program(kept_programs.of_mcc([*common, *flags, *MATRIX_FLAGS], [source]))

    return compile_and_link
