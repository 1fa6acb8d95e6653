"""Aligned vector types are read and written at once where threads tell each other something, by whatever copy."""

from __future__ import annotations

from pathlib import Path

import pytest
from sim_programs import Build

import musa_build

HEADERS = Path(musa_build.__file__).parent / "toolchain/cxx_headers"


@pytest.mark.parametrize(
    ("flags", "fibers"),
    [
        (["-O2"], "0"),
        (["-O2"], "1"),
        pytest.param(["-O3"], "0", marks=pytest.mark.slow),
        pytest.param(["-O0"], "0", marks=pytest.mark.slow),
        (["-O2", "--sim-check=memory,race,init"], "0"),
    ],
    ids=lambda each: " ".join(each),
)
def test_no_half_of_a_value_is_seen(build: Build, flags: list[str], fibers: str) -> None:
    program = build("whole_accesses.mu", flags=[*flags, f"-I{HEADERS}"])
    result = program(env={"MUSA_SIM_FIBERS": fibers, "MUSA_SIM_ASYNC": "0"})
    assert (result.status, result.stderr) == (0, "")
    facts = result.facts
    assert len(facts) == 14 * 12
    assert {what: found for what, found in facts.items() if found != "0 0"} == {}


@pytest.mark.parametrize("flags", [["-O2"], ["-O3"], ["-O0"], ["-O2", "--sim-check=memory,race,init"]], ids=" ".join)
def test_loops_of_whole_accesses_copy(build: Build, flags: list[str]) -> None:
    """LLVM makes a call of such a loop, to a function of compiler-rt."""
    result = build("whole_copies.mu", flags=flags)()
    assert (result.status, result.stderr) == (0, "")
    assert set(result.facts.values()) == {"0 1"} and len(result.facts) == 6
