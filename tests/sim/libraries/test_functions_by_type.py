"""Functions of muBLAS, muSOLVER and muSPARSE that exist in four types, against NumPy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from library_programs import SOURCES

GROUPS = {
    "mublas": (
        *("symmetric_products", "bands", "triangular", "updates", "rank_k", "packing", "rotations"),
        *(
            "modified_rotations",
            "rotations_by_type",
            "types",
            "three_products",
            "factorisations",
            "least_squares",
            "errors",
            "other_forms",
        ),
    ),
    "musolver": (
        *("jacobi_eigenvalues", "generalised", "ranges", "three_diagonals", "jacobi_singular_values"),
        *("largest_singular_values", "two_diagonals", "triangles", "types", "refined_solutions"),
        *("other_types", "refinement_by_parameters"),
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


OLDER = (
    *("triangular_systems", "incomplete_factors", "pivots", "products_of_rows", "tiles", "dense_and_sparse"),
    *("small_elements", "pruning", "sorted_rows", "colouring", "kept_structures", "wrong_arguments"),
)


def run(root: Path, library: str, program: str, *words: str, devices: int = 1) -> None:
    files = (root / "lib" / f"lib{name}.so" for name in (library, "musart"))
    command = [sys.executable, SOURCES / f"{program}.py", *files, *words]
    env = {**os.environ, "MUSA_SIM_DEVICES": str(devices)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("library", "group"), [(name, group) for name, groups in GROUPS.items() for group in groups])
def test_functions(library: str, group: str, sim_sdk_root: Path) -> None:
    run(sim_sdk_root, library, f"{library}_by_type", group)


@pytest.mark.parametrize("group", OLDER)
def test_older_functions_of_sparse_matrices(group: str, sim_sdk_root: Path) -> None:
    run(sim_sdk_root, "musparse", "musparse_older", group)


def test_products_of_the_hosts_matrices(sim_sdk_root: Path) -> None:
    run(sim_sdk_root, "mublas", "mublas_xt")


def test_transforms_on_several_devices(sim_sdk_root: Path) -> None:
    run(sim_sdk_root, "mufft", "mufft_xt", devices=3)
