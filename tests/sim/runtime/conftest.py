"""Fixtures that compile the programs of this directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from kept_programs import KeptPrograms
from sim_programs import MATRIX_FLAGS, SOURCES, Build, Program


@pytest.fixture(scope="session")
def build(sim_sdk_root: Path, kept_programs: KeptPrograms) -> Build:
    """Compile and link programs/<sources>."""

    def compile_and_link(*sources: str, flags: Sequence[str] = ()) -> Program:
        uses_mcc = any(source.endswith(".mu") for source in sources)
        compiler = [str(sim_sdk_root / "bin/mcc")] if uses_mcc else ["g++", f"-I{sim_sdk_root}/include"]
        command = [*compiler, "-std=c++17", "-O2", *flags, *(MATRIX_FLAGS if uses_mcc else ())]
        link = [f"-L{sim_sdk_root}/lib", "-lmusart", f"-Wl,-rpath,{sim_sdk_root}/lib"]
        return Program(kept_programs.build(command, [SOURCES / source for source in sources], link))

    return compile_and_link


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240607)
