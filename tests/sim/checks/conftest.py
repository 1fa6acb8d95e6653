"""Fixtures that compile the programs of this directory, with the checks and without."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from checked_programs import RUNTIME_TESTS, SOURCES, Build
from kept_programs import KeptPrograms
from sim_programs import MATRIX_FLAGS, Program


@pytest.fixture(scope="session")
def build(kept_programs: KeptPrograms) -> Build:
    """Compile and link one source."""

    def compile_and_link(source: Path, flags: Sequence[str] = (), libraries: Sequence[str] = ()) -> Program:
        common = ["-std=c++17", "-O2", f"-I{RUNTIME_TESTS}/programs"]
        return Program(kept_programs.of_mcc([*common, *flags, *MATRIX_FLAGS], [source], libraries))

    return compile_and_link


@pytest.fixture(scope="session")
def planted(build: Build) -> Program:
    """Planted defects and their repaired twins, compiled for all checks."""
    return build(SOURCES / "planted.mu", ["--sim-check=all"])


@pytest.fixture(scope="session")
def planted_without_optimiser(build: Build) -> Program:
    """The same program, whose variables are all in memory."""
    return build(SOURCES / "planted.mu", ["--sim-check=all", "-O0"])


@pytest.fixture(scope="session")
def unchecked(build: Build) -> Program:
    """The same program, compiled without checks."""
    return build(SOURCES / "planted.mu")
