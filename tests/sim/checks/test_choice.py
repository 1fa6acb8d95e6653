"""Which checks run, what they can do without a rebuild, and how a program with findings ends."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from checked_programs import RUNTIME_TESTS, SOURCES, Build
from sim_programs import Program

FOUND = 86


def test_the_environment_chooses_among_the_checks(planted: Program) -> None:
    both = planted("race", env={"MUSA_SIM_CHECK": "init,race"})
    assert {"race", "init"} == set(re.findall(r"^\[musa-sim\] (\w+): \w+ of", both.stderr, re.M))
    only = planted("race", env={"MUSA_SIM_CHECK": "init"})
    assert {"init"} == set(re.findall(r"^\[musa-sim\] (\w+): \w+ of", only.stderr, re.M))
    none = planted("race", env={"MUSA_SIM_CHECK": "none"})
    assert (none.status, none.stderr) == (0, "")


@pytest.mark.parametrize("check", ["memory", "init", "sync", "race"])
def test_each_check_runs_alone(planted: Program, check: str) -> None:
    for case in ("good_warp_race", "good_chain", "good_tiles", "good_two_barriers", "good_groups_after_exit"):
        result = planted(case, env={"MUSA_SIM_CHECK": check})
        assert (result.status, result.text, result.stderr) == (0, "musaSuccess\n", "")


def test_without_a_rebuild_guard_pages_find_what_leaves_an_allocation(unchecked: Program) -> None:
    result = unchecked("past_end", env={"MUSA_SIM_CHECK": "memory", "MUSA_SIM_FIBERS": "1"})
    assert (result.status, result.text) == (FOUND, "musaErrorIllegalAddress\n")
    assert "block (0,0,0), thread (60,0,0): illegal memory access at address" in result.stderr
    assert "the address is just after the end of 240 bytes of device memory" in result.stderr
    assert "allocated by allocate_sixty()" in result.stderr
    freed = unchecked("after_free", env={"MUSA_SIM_CHECK": "memory"})
    assert (freed.status, freed.text) == (FOUND, "musaErrorIllegalAddress\n")
    assert "of freed device memory" in freed.stderr
    assert "freed by release(int*)" in freed.stderr
    before = unchecked("before_start", env={"MUSA_SIM_CHECK": "memory"})
    assert "something was written 4 bytes before the start of 240 bytes of device memory" in before.stderr


def test_without_a_rebuild_barriers_are_checked(unchecked: Program) -> None:
    stderr = unchecked("two_barriers", env={"MUSA_SIM_CHECK": "sync"}).stderr
    assert "threads of a block wait at different barriers" in stderr
    assert unchecked("good_two_barriers", env={"MUSA_SIM_CHECK": "sync"}).stderr == ""


def test_a_check_that_needs_a_rebuild_says_so_once(unchecked: Program) -> None:
    result = unchecked("race", env={"MUSA_SIM_CHECK": "race,memory"})
    assert result.status == 0
    assert result.stderr.count("\n") == 1
    assert "MUSA_SIM_CHECK=race cannot see kernels that were compiled without it, such as race(int*)" in result.stderr


def test_an_unchecked_program_runs_unchecked(unchecked: Program) -> None:
    result = unchecked("race")
    assert (result.status, result.stderr) == (0, "")


def test_host_code_cannot_touch_device_memory(unchecked: Program) -> None:
    assert unchecked("host_touch").status == 0
    result = unchecked("host_touch", env={"MUSA_SIM_CHECK": "host"})
    assert result.status == -signal.SIGSEGV
    assert "host: host code touched memory of the device" in result.stderr
    assert "at byte 0 of 240 bytes of device memory" in result.stderr
    for case in ("good_race", "good_past_end", "leak"):
        fine = unchecked(case, env={"MUSA_SIM_CHECK": "host"})
        assert (fine.status, fine.stderr) == (0, "")


@pytest.mark.parametrize(("variable", "status"), [({}, FOUND), ({"MUSA_SIM_CHECK_EXITCODE": "0"}, 0)])
def test_the_exit_status_tells(planted: Program, variable: dict[str, str], status: int) -> None:
    assert planted("race", env=variable).status == status


def test_a_failure_keeps_its_status(planted: Program) -> None:
    result = planted("status")  # exits with 5, and leaks
    assert result.status == 5
    assert "never freed" in result.stderr


def test_unknown_checks_are_refused(planted: Program, sim_sdk_root: Path) -> None:
    result = planted("none", env={"MUSA_SIM_CHECK": "memory,rase"})
    assert result.status != 0
    assert "MUSA_SIM_CHECK is 'rase'; wanted: memory, race, init, sync, leaks, host, all or none" in result.stderr
    command = [str(sim_sdk_root / "bin/mcc"), "--sim-check=rase", "-c", str(SOURCES / "order.mu")]
    mcc = subprocess.run(command, capture_output=True, text=True, check=False)
    assert mcc.returncode == 1
    assert mcc.stderr.startswith("mcc: error: 'rase' in --sim-check is no check of the simulator: it has memory, race")


def order(program: Program, case: str, seed: str) -> list[int]:
    return program.array(np.int32, case, env={"MUSA_SIM_SEED": seed, "MUSA_SIM_THREADS": "2"}).tolist()


def test_a_seed_shuffles_and_repeats(build: Build) -> None:
    program = build(SOURCES / "order.mu")
    everybody = list(range(3 * 128))
    ordinary = {"MUSA_SIM_THREADS": "1"}
    for case in ("plain", "behind_barrier"):
        assert program.array(np.int32, case, env=ordinary).tolist() == everybody
        first = order(program, case, "1")
        assert first != everybody
        assert sorted(first) == everybody
        assert order(program, case, "1") == first
        assert order(program, case, "2") != first
        blocks = [rank // 128 for rank in first]
        assert sorted(blocks) != blocks or first[:128] != sorted(first[:128])
    expected = (np.arange(128) ** 2).reshape(4, 32).sum(axis=1)
    for seed in range(1, 8):
        np.testing.assert_array_equal(order(program, "sum", str(seed))[:12], np.tile(expected, 3))


CHECKS = "--sim-check=memory,race,init,sync"  # the programs free nothing: they end


def test_silence_on_ordinary_kernels(build: Build) -> None:
    """The kernels of the runtime's tests, all of which are right: results as always, and nothing found."""
    program = build(RUNTIME_TESTS / "programs" / "compute.mu", [CHECKS])
    rng = np.random.default_rng(20241120)
    x = rng.integers(-50, 50, 5000).astype(np.int32)
    assert program.array(np.float64, "sum_with_shared", x.size, inputs=[x]) == x.sum()
    total = program.array(np.float32, "sum_with_shuffles", x.size, inputs=[x.astype(np.float32)])
    np.testing.assert_allclose(total, [x.sum()], rtol=1e-4, atol=1e-2)
    np.testing.assert_array_equal(program.array(np.int32, "lambda", 100), np.arange(100) ** 2 + 100)
    assert program.array(np.int32, "spin") == 42
    a, b = rng.standard_normal((2, 40, 40))
    c = program.array(np.float64, "matmul", 40, 8, inputs=[a, b]).reshape(40, 40)
    np.testing.assert_allclose(c, a @ b, rtol=1e-12, atol=1e-12)
    for case in ("by_value", "indices", "device_heap"):
        result = program(case)
        assert (result.status, result.stderr) == (0, "")
