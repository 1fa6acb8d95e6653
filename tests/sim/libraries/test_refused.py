"""A library whose functions partly link and fail."""

from __future__ import annotations

import subprocess
from pathlib import Path

from library_programs import Build


def test_each_function_says_so_once(build: Build) -> None:
    result = build("refused.cpp", libraries=["musparse"])()
    assert result.status == 0
    assert result.facts == {"sparse": "MUSPARSE_STATUS_NOT_SUPPORTED, operation not supported"}
    assert result.stderr == (
        "[musa-sim] musparseCreateBsric02Info is not simulated: it returns MUSPARSE_STATUS_NOT_SUPPORTED\n"
    )


def test_every_function_of_the_header_links(sim_sdk_root: Path) -> None:
    listing = (sim_sdk_root / "include/musa_sim/musparse_refused.h").read_text()
    named = [line.split("(")[1].split(",")[0] for line in listing.splitlines() if line.startswith("MUSA_SIM_REFUSED(")]
    run = subprocess.run(
        ["nm", "-D", "--defined-only", f"{sim_sdk_root}/lib/libmusparse.so"],
        capture_output=True,
        text=True,
        check=True,
    )
    exported = {line.split()[-1] for line in run.stdout.splitlines()}
    assert named and set(named) <= exported
