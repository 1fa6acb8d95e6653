"""Functions of muBLAS, muSOLVER and muSPARSE that exist in four types, against NumPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from library_programs import SOURCES

GROUPS = {
    "mublas": (
        *("symmetric_products", "bands", "triangular", "updates", "rank_k", "packing", "rotations"),
        *("modified_rotations", "types", "three_products", "factorisations", "least_squares", "errors", "other_forms"),
    ),
    "musolver": (
        *("jacobi_eigenvalues", "generalised", "ranges", "three_diagonals", "jacobi_singular_values"),
        *("largest_singular_values", "two_diagonals", "triangles", "types", "refined_solutions"),
    ),
    "musparse": (
        "solvers",
        "sampled_products",
        "sparse_products",
        "conversions",
        "sums",
        "vectors",
        "older_conversions",
        "older_vectors",
    ),
}


@pytest.mark.parametrize(("library", "group"), [(name, group) for name, groups in GROUPS.items() for group in groups])
def test_functions(library: str, group: str, sim_sdk_root: Path) -> None:
    files = (sim_sdk_root / "lib" / f"lib{name}.so" for name in (library, "musart"))
    program = [sys.executable, SOURCES / f"{library}_by_type.py", *files, group]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
