"""Fixtures that compile the programs of this directory against the libraries of the simulated SDK."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from kept_programs import KeptPrograms
from library_programs import RUNTIME_TESTS, SOURCES, Build
from sim_programs import Program


@pytest.fixture(scope="session")
def build(kept_programs: KeptPrograms) -> Build:
    """Compile and link programs/<source>."""

    def compile_and_link(source: str, libraries: Sequence[str] = (), flags: Sequence[str] = ()) -> Program:
        common = ["-std=c++17", "-O2", f"-I{RUNTIME_TESTS}/programs"]
        return Program(kept_programs.of_mcc([*common, *flags], [SOURCES / source], libraries))

    return compile_and_link


@pytest.fixture(scope="session")
def module(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The device code of programs/module.mu, as a file that the driver API loads."""
    output = tmp_path_factory.mktemp("module") / "module.mubin"
    command = [str(sim_sdk_root / "bin/mcc"), "-O2", "--cuda-device-only", "--offload-arch=mp_22"]
    subprocess.run([*command, "-c", str(SOURCES / "module.mu"), "-o", str(output)], check=True)
    return output


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20241017)
