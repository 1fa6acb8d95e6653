"""The driver's virtual memory: arrays over several mappings, memory at two addresses, and what is refused."""

from __future__ import annotations

import pytest
from library_programs import Build
from sim_programs import Program

OK, INVALID, ILLEGAL = "MUSA_SUCCESS", "MUSA_ERROR_INVALID_VALUE", "musaErrorIllegalAddress"
UNCHECKED, CHECKED = {"MUSA_SIM_CHECK": "none"}, {"MUSA_SIM_CHECK": "memory"}
BOTH = pytest.mark.parametrize("env", [UNCHECKED, CHECKED], ids=["unchecked", "checked"])
STEP = 2 << 20


@pytest.fixture(scope="module")
def virtual(build: Build) -> Program:
    return build("virtual_memory.mu", libraries=["musa"], flags=["--sim-check=memory"])


@BOTH
def test_arrays_grow_over_several_mappings(virtual: Program, env: dict[str, str]) -> None:
    result = virtual("grow", env=env)
    per_step = STEP // 4
    assert result.facts == {
        "supported": "1",
        "reserving takes": "0",
        "creating takes": "2",
        "before": str(per_step // 2 - 1),
        "across": str(per_step // 2),
        "copied across": str(per_step - 1),
        "filled across": str(0x01010101),
        "copy past the end": "1",
        "mapped twice": "7",
        "pointer": "1 0",
        "freed as if allocated": "1",
        "released but mapped": "2",
        "second unmapped": "1",
        "still there": "7",
        "all unmapped": "0",
    }
    assert result.status == (86 if env == CHECKED else 0)  # the copy and the musaFree are findings of the check


def test_refusals(virtual: Program) -> None:
    result = virtual("refusals", env=UNCHECKED)
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {
        **dict.fromkeys(("odd size", "no type", "odd reservation", "odd alignment"), INVALID),
        "no device": "MUSA_ERROR_INVALID_DEVICE",
        "more than there is": "MUSA_ERROR_OUT_OF_MEMORY",
        "aligned": "0",
        "at the hint": "1",
        "the hint is taken": "1",
        **dict.fromkeys(("offset", "past the reservation", "past the memory", "no reservation", "no memory"), INVALID),
        **dict.fromkeys(("taken", "access to a hole", "access to a part"), INVALID),
        "access of no device": "MUSA_ERROR_INVALID_DEVICE",
        **dict.fromkeys(("unmap a part", "free what is mapped", "free a part"), INVALID),
        "access at first": "0",
        "access then": "1",
        "retained": "1",
        "properties": "1 0",
        "released too often": INVALID,
        "shared": "63",
    }


@BOTH
@pytest.mark.parametrize(
    ("case", "why"),
    [
        ("no_access", "muMemSetAccess gave no device access"),
        ("past_the_mapping", "nothing is mapped"),
        ("unmapped", "nothing is mapped"),
    ],
)
def test_kernels_fault_where_nothing_may_be_touched(virtual: Program, case: str, why: str, env: dict[str, str]) -> None:
    result = virtual(case, env=env)
    assert result.facts == {"ended": ILLEGAL}
    if env == CHECKED:
        assert "memory: write of 4 bytes, out of bounds, at " in result.stderr
        assert f"of {4 * STEP} reserved bytes, where {why}\n" in result.stderr


def test_a_kernel_in_the_mapping_is_silent(virtual: Program) -> None:
    result = virtual("good", env=CHECKED)
    assert (result.status, result.facts, result.stderr) == (0, {"ended": "musaSuccess"}, "")


@BOTH
def test_other_devices_need_access(virtual: Program, env: dict[str, str]) -> None:
    two = {**env, "MUSA_SIM_DEVICES": "2"}
    good = virtual("peers", env=two)
    assert (good.facts, good.stderr) == ({"ended": "musaSuccess"}, "")
    bad = virtual("peers_without_access", env=two)
    assert bad.facts == {"ended": ILLEGAL}
    assert "device 1 was not given access to it by muMemSetAccess" in bad.stderr
