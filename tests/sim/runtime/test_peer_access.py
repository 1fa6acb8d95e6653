"""A device that was not enabled to access another one's memory faults there, and the missing call is named."""

from __future__ import annotations

import pytest
from sim_programs import Build, Program

OK = "musaSuccess"
FAULT = "musaErrorIllegalAddress"
TWO = {"MUSA_SIM_DEVICES": "2"}
MISSING = "device 1 has not called musaDeviceEnablePeerAccess(0, 0)"


@pytest.fixture(scope="module", params=[(), ("--sim-check=memory",)], ids=["unchecked", "checked"])
def peer(build: Build, request: pytest.FixtureRequest) -> Program:
    return build("peer.mu", flags=request.param)


def after(result: str, value: object) -> dict[str, str]:
    return {"result": result, "enable after reset": OK, "value": str(value), "allowed now": OK}


@pytest.mark.parametrize("env", [{}, {"MUSA_SIM_ASYNC": "0"}, {"MUSA_SIM_FIBERS": "1"}], ids=str)
@pytest.mark.parametrize(
    ("case", "value"),
    [("read", 0), ("held", 0), ("write", 3), ("variable", 0), ("disabled again", 3), ("other way", 0)],
)
def test_memory_out_of_reach(peer: Program, case: str, value: int, env: dict[str, str]) -> None:
    result = peer(case, env={**TWO, **env})
    assert result.facts == after(FAULT, value)
    assert MISSING in result.stderr
    assert "kernel " in result.stderr and "memory of device 0" in result.stderr


@pytest.mark.parametrize(
    ("case", "value"),
    [
        ("enabled read", 3),
        ("enabled held", 3),
        ("enabled write", 7),
        ("enabled variable", 11),
        ("carry", 5),
        ("managed", 4),
        ("pinned", 5),
        ("copy", 3),
        ("plain copy", 3),
    ],
)
def test_memory_within_reach(peer: Program, case: str, value: int) -> None:
    result = peer(case, env=TWO)
    assert (result.status, result.facts, result.stderr) == (0, after(OK, value), "")


def test_a_pointer_in_memory_is_seen_by_the_check(build: Build) -> None:
    result = build("peer.mu", flags=("--sim-check=memory",))("listed", env=TWO)
    assert (result.status, result.facts) == (86, after(FAULT, 0))
    assert "memory: read of 4 bytes, memory of device 0, at " in result.stderr
    assert "peer.mu:" in result.stderr and MISSING in result.stderr


def test_the_exit_status_tells_of_it(build: Build) -> None:
    """Also of code that was compiled without the check, as guard pages do."""
    result = build("peer.mu")("read", env={**TWO, "MUSA_SIM_CHECK": "memory"})
    assert (result.status, result.facts) == (86, after(FAULT, 0))
    assert MISSING in result.stderr
