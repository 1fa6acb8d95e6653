"""CUTLASS's products of matrices, as PyPI has them, compile unmodified and compute right on the simulator."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

WHEEL = "nvidia-cutlass==4.2.0.0"
PROGRAMS = Path(__file__).parent / "programs" / "cutlass"
PRODUCTS = {
    "float": 0,
    "f16": 1,
    "bf16": 2,
    "tf32": 3,
    "f64": 4,
    "s8": 5,
    "f16 in f16, ReLU": 6,
    "split k": 7,
    "Volta": 8,
    "wmma": 9,
}

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Wheel = Callable[[str], Path]


@pytest.fixture(scope="module")
def headers(wheel: Wheel) -> Path:
    """The folder of CUTLASS's headers, from the package index."""
    return wheel(WHEEL) / "cutlass_library" / "source" / "include"


def built(run: Run, headers: Path, folder: Path, source: str, *flags: str) -> str:
    for path in PROGRAMS.iterdir():
        shutil.copy(path, folder)
    run("nvcc", "-std=c++17", "-arch=sm_80", "-I", headers, *flags, "-o", "program", source)
    return "./program"


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_product(product: str, run: Run, headers: Path, tmp_path: Path) -> None:
    run(built(run, headers, tmp_path, "gemm.cu", f"-DKIND={PRODUCTS[product]}"))
