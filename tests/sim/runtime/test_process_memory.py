"""Device memory of other processes, by handles and by pools. Any size can be shared, with the checks as well."""

from __future__ import annotations

import pytest
from sim_programs import Build, Program

SIZES = 8
CHECKS = {
    "default": {},
    "memory": {"MUSA_SIM_CHECK": "memory"},
    "all": {"MUSA_SIM_CHECK": "memory,race,sync,init,host,leaks"},
}
COMPILED_CHECKS = "memory,race,sync,init"


@pytest.fixture(scope="module")
def shared(build: Build) -> Program:
    return build("process_memory.mu", flags=("-Wl,--no-as-needed", "-lmusa"))


@pytest.fixture(scope="module")
def checked(build: Build) -> Program:
    flags = ("-Wl,--no-as-needed", "-lmusa", f"--sim-check={COMPILED_CHECKS}")
    return build("process_memory.mu", flags=flags)


@pytest.mark.parametrize("checks", CHECKS)
def test_memory_of_any_size(shared: Program, checked: Program, checks: str) -> None:
    result = (checked if checks == "all" else shared)("ipc", env=CHECKS[checks])
    assert result.facts == {"right": str(SIZES), "child": "0", "all_free": "1"}, result.stderr
    assert result.stderr == ""


@pytest.mark.parametrize("checks", CHECKS)
def test_pools(shared: Program, checked: Program, checks: str) -> None:
    result = (checked if checks == "all" else shared)("pools", env=CHECKS[checks])
    refused = ("plain_pool", "other_type", "no_pool", "plain_pointers", "types")
    assert result.facts == {**dict.fromkeys(refused, "1"), "right": str(SIZES), "child": "0"}, result.stderr


@pytest.mark.parametrize("checks", ["default", "memory"])
@pytest.mark.parametrize(
    ("case", "facts"),
    [("busy", {"right": "1"}), ("forked", {"child": "0", "kept": "1"}), ("gives_back", {"files": "0"})],
)
def test_sharing_leaves_the_rest_alone(shared: Program, case: str, facts: dict[str, str], checks: str) -> None:
    assert shared(case, env=CHECKS[checks]).facts == facts


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_allocations_do_not_overlap(shared: Program, seed: str) -> None:
    assert shared("churn", seed).facts == {"all_free": "1"}
