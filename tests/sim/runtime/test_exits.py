"""Warps and blocks that exit before a barrier: the others pass, and a line says so, because a card can hang there."""

from __future__ import annotations

import pytest
from sim_programs import Build, Program

WARPS = "block (0,0,0): 2 of 4 warps had exited when the others met at a barrier of the block\n"
ADVICE = (
    "    It goes on here, and can hang on a card: let all of them reach the barrier. "
    "MUSA_SIM_CHECK=sync makes this an error; see: musa-build explain sync\n"
)
LEFT = {
    "rows": (384, WARPS),
    "rows_of_1_warp": (192, WARPS.replace("2 of 4", "1 of 2")),
    "flat": (384, WARPS),
    "counted": (198, WARPS),
    "group": (384, WARPS),
    "shuffled": (384, WARPS),
    "one_by_one": (384, WARPS.replace("2 of 4", "1 of 4")),
    "of_grid": (384, WARPS),
    "blocks_of_grid": (768, "2 of 4 blocks had exited when the others met at grid.sync()\n"),
}
STAYED = {
    "good_lanes": 384,
    "good_ragged": 240,
    "good_condition": 384,
    "good_after_the_last": 384,
    "good_whole_block": 384,
    "good_grid": 384,
}
WAYS = pytest.mark.parametrize("env", [{}, {"MUSA_SIM_FIBERS": "1"}, {"MUSA_SIM_SEED": "7"}], ids=str)
LANES = {"MUSA_SIM_WARP": "32"}  # the kernels are written for 32
ONE_WORKER = {**LANES, "MUSA_SIM_THREADS": "1"}  # the block of the line is then the first


@pytest.fixture(scope="module")
def exits(build: Build) -> Program:
    return build("exits.mu")


@WAYS
@pytest.mark.parametrize("case", LEFT)
def test_exits_of_whole_warps_are_reported_once(exits: Program, case: str, env: dict[str, str]) -> None:
    total, line = LEFT[case]
    if "MUSA_SIM_SEED" in env or case == "of_grid":  # which block comes first is not certain
        line = line.removeprefix("block (0,0,0): ")
    result = exits(case, env={**ONE_WORKER, **env})
    assert (result.status, result.text) == (0, f"{total}\n")
    assert result.stderr.startswith(f"[musa-sim] kernel {case.removesuffix('_of_1_warp')}(int*, int), block (")
    assert result.stderr.endswith(line + ADVICE)
    assert result.stderr.count("\n") == 2


@WAYS
@pytest.mark.parametrize("case", STAYED)
def test_a_barrier_that_all_warps_reach_is_silent(exits: Program, case: str, env: dict[str, str]) -> None:
    result = exits(case, env={**LANES, **env})
    assert (result.status, result.text, result.stderr) == (0, f"{STAYED[case]}\n", "")


def test_each_kernel_is_reported(exits: Program) -> None:
    reported = [line for line in exits("two_kernels", env=LANES).stderr.splitlines() if line.startswith("[musa-sim]")]
    assert [line.split("(")[0] for line in reported] == ["[musa-sim] kernel rows", "[musa-sim] kernel group"]


@pytest.mark.parametrize(("case", "left"), [("rows", "64 had exited"), ("blocks_of_grid", "2 had exited")])
def test_the_check_makes_it_an_error(exits: Program, case: str, left: str) -> None:
    result = exits(case, env={**LANES, "MUSA_SIM_CHECK": "sync"})
    assert result.status == 86
    assert left in result.stderr and "can hang" not in result.stderr
