"""muBLAS's functions of vectors, structured matrices and many small matrices, against NumPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from library_programs import SOURCES

GROUPS = (
    *("symmetric_products", "bands", "triangular", "updates", "rank_k", "packing", "rotations", "modified_rotations"),
    *("types", "three_products", "factorisations", "least_squares", "errors"),
)


@pytest.mark.parametrize("group", GROUPS)
def test_functions(group: str, sim_sdk_root: Path) -> None:
    program, libraries = (
        SOURCES / "mublas_by_type.py",
        (sim_sdk_root / "lib" / f"lib{name}.so" for name in ("mublas", "musart")),
    )
    done = subprocess.run([sys.executable, program, *libraries, group], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
