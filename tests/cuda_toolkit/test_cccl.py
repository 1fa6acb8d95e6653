"""A project's own CCCL (cub, thrust, libcudacxx), as NVIDIA publishes it, compiles unmodified and computes right."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

WHEEL = "nvidia-cuda-cccl-cu12==12.9.27"
PROGRAM = Path(__file__).parent / "programs" / "cccl.cu"
CHECKS = "memory,race,init,sync"

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Wheel = Callable[[str], Path]


@pytest.fixture(scope="module")
def headers(wheel: Wheel) -> Path:
    """The folder of CCCL's headers, from the package index."""
    return wheel(WHEEL) / "nvidia" / "cuda_cccl" / "include"


@pytest.mark.parametrize(("number", "checks"), [("int", ""), ("double", CHECKS)])
def test_algorithms(number: str, checks: str, run: Run, headers: Path, tmp_path: Path) -> None:
    shutil.copy(PROGRAM, tmp_path)
    flags = ("-std=c++17", "--extended-lambda", "-arch=sm_80", f"-DTYPE={number}", "-I", headers)
    run("nvcc", *flags, "-o", "program", "cccl.cu", MUSA_SIM_CHECK=checks)
    lines = run("./program", MUSA_SIM_CHECK=checks).stdout.splitlines()
    assert len(lines) == 4 * 7
    assert [line for line in lines if not line.endswith("right 0")] == []
