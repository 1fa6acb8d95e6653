"""The checks see what kernels with half arithmetic and fragments of matrices do."""

from __future__ import annotations

import re

import pytest
from checked_programs import SOURCES, Build
from sim_programs import Program

SOURCE = SOURCES / "halves.mu"
LINES = {
    found.group(1): number
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
    if (found := re.search(r"// BUG:(\w+)$", line))
}
CHECKS = {"MUSA_SIM_CHECK": "memory,race,init,sync"}
FOUND = {
    "short_a": "memory: read of 2 bytes, out of bounds",
    "short_c": "memory: write of 4 bytes, out of bounds",
    "tile33": "memory: write of 4 bytes, out of bounds",
    "tile31": "init: read of 2 bytes that nobody wrote",
    "race": "race: atomic operation on 2 bytes",
    "unwritten": "init: read of 2 bytes that nobody wrote",
}

pytestmark = pytest.mark.slow  # test_planted.py has the same checks on other types


@pytest.fixture(scope="module")
def halves(build: Build) -> Program:
    return build(SOURCE, ["--sim-check=all"])


def test_every_defect_is_tested() -> None:
    assert FOUND.keys() == LINES.keys()


@pytest.mark.parametrize("case", FOUND)
def test_found(halves: Program, case: str) -> None:
    result = halves(case, env=CHECKS)
    assert result.status == 86
    first = result.stderr.splitlines()[0]
    assert first.startswith(f"[musa-sim] {FOUND[case]}") and f"halves.mu:{LINES[case]}:" in first, result.stderr


@pytest.mark.parametrize("case", ["good_a", "tile32", "norace", "pattern", "both"])
def test_silent_on_the_twin(halves: Program, case: str) -> None:
    result = halves(case, env=CHECKS)
    assert (result.status, result.text, result.stderr) == (0, "musaSuccess\n", "")
