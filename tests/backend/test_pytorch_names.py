"""PyTorch's own C++ names for CUDA, in a program that was written for CUDA and ported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import PROGRAMS, needs_2_13

# torch/all.h and torch/extension.h bring torch::cuda, so few programs include torch/cuda.h.
PROGRAM = (PROGRAMS / "pytorch_names.cpp").read_text(encoding="utf-8")


@pytest.mark.slow
@needs_2_13
def test_a_ported_program_uses_the_names_that_pytorch_has_for_cuda(request: pytest.FixtureRequest) -> None:
    assert request.config.cache is not None
    project = Path(request.config.cache.mkdir("pytorch_names"))
    (project / "cuda").mkdir(exist_ok=True)
    (project / "cuda" / "main.cpp").write_text(PROGRAM)
    environment = {**os.environ, "TORCH_EXTENSIONS_DIR": str(project), "MUSA_BUILD_SIMULATOR": "1"}

    def python(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    python("-m", "musa_build", "port", str(project / "cuda"), "-o", str(project / "musa"))
    code = "import sys; from musa_build import load; print(load('names', [sys.argv[1]], is_standalone=True))"
    program = python("-c", code, str(project / "musa" / "main.cpp"))
    ran = subprocess.run([program], capture_output=True, text=True, env={"MUSA_SIM_DEVICES": "2"}, check=False)
    out_of_range = "Device index out of range: 2"
    assert (ran.returncode, ran.stdout) == (0, f"120 5 7 {out_of_range}\n10002\n"), ran.stderr
