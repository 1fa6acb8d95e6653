"""A CUDA program that calls the math libraries, ported by musa-build, compiles and runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from library_programs import SOURCES
from sim_programs import run

LIBRARIES = ("musolver", "musparse", "mublasLt", "mublas", "musart")


@pytest.mark.slow
def test_a_cuda_program(sim_sdk_root: Path, tmp_path: Path) -> None:
    ported, program = tmp_path / "ported", tmp_path / "linear"
    port = [sys.executable, "-m", "musa_build", "port", str(SOURCES / "cuda_libraries"), "-o", str(ported)]
    subprocess.run(port, check=True, capture_output=True)
    compile_and_link = [
        *(str(sim_sdk_root / "bin/mcc"), "-std=c++17", "-O2", str(ported / "linear.mu"), "-o", str(program)),
        *(f"-L{sim_sdk_root}/lib", *(f"-l{name}" for name in LIBRARIES), f"-Wl,-rpath,{sim_sdk_root}/lib"),
    ]
    done = subprocess.run(compile_and_link, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    result = run([program])
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {
        "x": "0.800 1.400, info 0",
        "y": "20 43",
        "d": "0 4 0 5",
        "c": "9 0",
        "texture": "0.5 2.5 6.5 9",
    }
