"""The checks see through asynchronous copies and matrix instructions of ported CUDA code."""

from __future__ import annotations

import re
from pathlib import Path

import async_copies
import pytest
from checked_programs import Build
from sim_programs import Program

from musa_build.porting import SimplePorting
from musa_build.toolchain.compile_flags import OLDER_CXX_FLAGS

CASES = async_copies.cases()
CHECKS = {"MUSA_SIM_CHECK": "memory,race,init,sync"}


@pytest.fixture(scope="module")
def ported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("port") / "cuda"
    tree.mkdir()
    (tree / "cases.cu").write_text(async_copies.source(CASES))
    return SimplePorting(tree).run().output / "cases.mu"


@pytest.fixture(scope="module")
def program(build: Build, ported: Path) -> Program:
    return build(ported, ["--sim-check=all", *OLDER_CXX_FLAGS])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_finding(program: Program, ported: Path, case: async_copies.Case) -> None:
    result = program(case.name, env=CHECKS)
    if not case.expected:
        assert (result.status, result.text, result.stderr) == (0, "musaSuccess\n", "")
        return
    assert result.status == 86, result.stderr
    lines = ported.read_text().splitlines()

    def mark(location: re.Match[str]) -> str:
        """Return the mark at the end of the statement of this line."""
        marked = (re.search(rf"// {case.name}:(\w+)$", line) for line in lines[int(location[1]) - 1 :])
        return next("{" + found[1] + "}" for found in marked if found)

    assert f"[musa-sim] {case.expected}" in re.sub(r"\S*cases\.mu:(\d+):\d+", mark, result.stderr), result.stderr
