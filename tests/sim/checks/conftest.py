"""Fixtures that compile the programs of this directory, with the checks and without."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pytest

RUNTIME_TESTS = Path(__file__).parents[1] / "runtime"
sys.path.insert(0, str(RUNTIME_TESTS))  # one way to run a program, for all suites of the simulator

from sim_programs import MATRIX_FLAGS, Program  # noqa: E402

SOURCES = Path(__file__).parent / "programs"


class Build(Protocol):
    def __call__(self, source: Path, flags: Sequence[str] = ()) -> Program: ...


@pytest.fixture(scope="session")
def build(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compile and link one source, once per session for the same flags."""
    done: dict[tuple[Path, tuple[str, ...]], Program] = {}

    def compile_and_link(source: Path, flags: Sequence[str] = ()) -> Program:
        key = (source, tuple(flags))
        if key not in done:
            output = tmp_path_factory.mktemp("checks") / source.stem
            command = [str(sim_sdk_root / "bin/mcc"), "-std=c++17", "-O2", f"-I{RUNTIME_TESTS}/programs"]
            link = [f"-L{sim_sdk_root}/lib", "-lmusart", f"-Wl,-rpath,{sim_sdk_root}/lib"]
            command += [*flags, *MATRIX_FLAGS, str(source), "-o", str(output), *link]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            assert run.returncode == 0, run.stderr[-4000:]
            done[key] = Program(output)
        return done[key]

    return compile_and_link


@pytest.fixture(scope="session")
def planted(build: Build) -> Program:
    """Planted defects and their repaired twins, compiled for all checks."""
    return build(SOURCES / "planted.mu", ["--sim-check=all"])


@pytest.fixture(scope="session")
def unchecked(build: Build) -> Program:
    """The same program, compiled without checks."""
    return build(SOURCES / "planted.mu")
