"""Fixtures that compile the programs of this directory against the libraries of the simulated SDK."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from kept_programs import KeptPrograms
from library_programs import RUNTIME_TESTS, SOURCES, Build
from sim_programs import Program


@pytest.fixture(scope="session")
def build(sim_sdk_root: Path, kept_programs: KeptPrograms) -> Build:
    """Compile and link programs/<source>."""

    def compile_and_link(source: str, libraries: Sequence[str] = (), flags: Sequence[str] = ()) -> Program:
        command = [str(sim_sdk_root / "bin/mcc"), "-std=c++17", "-O2", f"-I{RUNTIME_TESTS}/programs", *flags]
        link = [f"-L{sim_sdk_root}/lib", *(f"-l{name}" for name in (*libraries, "musart"))]
        return Program(kept_programs.build(command, [SOURCES / source], [*link, f"-Wl,-rpath,{sim_sdk_root}/lib"]))

    return compile_and_link


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20241017)
