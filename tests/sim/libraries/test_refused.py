"""Libraries whose functions link and fail."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from library_programs import Build

LIBRARIES = ["musparse", "musolver", "mublasLt"]


def test_each_function_says_so_once(build: Build) -> None:
    result = build("refused.cpp", libraries=[*LIBRARIES, "mublas"])()
    assert result.status == 0
    assert result.facts == {
        "sparse": "MUSPARSE_STATUS_NOT_SUPPORTED, operation not supported",
        "solver": "1",
        "lt": "MUBLAS_STATUS_NOT_IMPLEMENTED",
    }
    assert result.stderr.splitlines() == [
        "[musa-sim] musparseCreateMatDescr is not simulated: it returns MUSPARSE_STATUS_NOT_SUPPORTED",
        "[musa-sim] musolverDnSpotrf_bufferSize is not simulated: it returns MUSOLVER_STATUS_NOT_SUPPORTED",
        "[musa-sim] mublasLtMatmulPreferenceCreate is not simulated: it returns MUBLAS_STATUS_NOT_IMPLEMENTED",
    ]


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_function_of_the_header_links(sim_sdk_root: Path, library: str) -> None:
    listing = (sim_sdk_root / f"include/musa_sim/{library}_refused.h").read_text()
    plain = [line.split("(")[1].split(",")[0] for line in listing.splitlines() if line.startswith("MUSA_SIM_REFUSED(")]
    run = subprocess.run(
        ["nm", "-D", "--defined-only", f"{sim_sdk_root}/lib/lib{library}.so"],
        capture_output=True,
        text=True,
        check=True,
    )
    exported = {line.split()[-1] for line in run.stdout.splitlines()}
    assert set(plain) <= exported
    assert {"musolver": "musolverDnZheevd"}.get(library, plain[-1] if plain else "") in exported
