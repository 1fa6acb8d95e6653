"""Fixtures that compile the programs of this directory."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from sim_programs import MATRIX_FLAGS, SOURCES, Build, Program


@pytest.fixture(scope="session")
def build(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compile and link programs/<sources>, each set of sources and flags once per session."""
    done: dict[tuple[tuple[str, ...], tuple[str, ...]], Program] = {}

    def compile_and_link(*sources: str, flags: Sequence[str] = ()) -> Program:
        key = (sources, tuple(flags))
        if key not in done:
            output = tmp_path_factory.mktemp("programs") / Path(sources[0]).stem
            uses_mcc = any(source.endswith(".mu") for source in sources)
            compiler = [str(sim_sdk_root / "bin/mcc")] if uses_mcc else ["g++", f"-I{sim_sdk_root}/include"]
            link = [f"-L{sim_sdk_root}/lib", "-lmusart", f"-Wl,-rpath,{sim_sdk_root}/lib"]
            paths = [str(SOURCES / source) for source in sources]
            command = [
                *compiler,
                "-std=c++17",
                "-O2",
                *flags,
                *(MATRIX_FLAGS if uses_mcc else ()),
                *paths,
                "-o",
                str(output),
                *link,
            ]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            assert run.returncode == 0, run.stderr[-4000:]
            done[key] = Program(output)
        return done[key]

    return compile_and_link


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240607)
