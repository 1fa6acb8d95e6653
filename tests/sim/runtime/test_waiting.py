"""Blocks that wait for other blocks make progress, and a kernel that makes none is ended by the watchdog."""

from __future__ import annotations

import numpy as np
import pytest
from sim_programs import MATRIX_FLAGS, Build, Program

WORKERS = pytest.mark.parametrize("workers", ["1", "2", "4"])


@pytest.fixture(scope="module")
def waiting(build: Build) -> Program:
    return build("waiting.mu")


@WORKERS
def test_locks_between_blocks(waiting: Program, rng: np.random.Generator, workers: str) -> None:
    values = rng.integers(0, 1000, 500).astype(np.float32)
    got = waiting.array(np.float64, "locked_sum", 500, inputs=[values], env={"MUSA_SIM_THREADS": workers})
    assert got == values.sum(dtype=np.float64)


@WORKERS
def test_blocks_wait_for_later_blocks(waiting: Program, rng: np.random.Generator, workers: str) -> None:
    values = rng.integers(-1000, 1000, 40, dtype=np.int32)
    got = waiting.array(np.int32, "suffix_sum", 40, inputs=[values], env={"MUSA_SIM_THREADS": workers})
    np.testing.assert_array_equal(got, values[::-1].cumsum()[::-1])


@WORKERS
def test_barriers_of_the_grid_without_cooperative_launch(
    waiting: Program, rng: np.random.Generator, workers: str
) -> None:
    values = rng.integers(0, 2**32, 24 * 64, dtype=np.uint32)
    got = waiting.array(np.uint32, "smooth", 24, inputs=[values], env={"MUSA_SIM_THREADS": workers})
    for _ in range(4):
        values = np.roll(values, 1) + values + np.roll(values, -77)
    np.testing.assert_array_equal(got, values)


@WORKERS
def test_blocks_begin_and_end_while_others_wait(waiting: Program, rng: np.random.Generator, workers: str) -> None:
    values = rng.integers(-1000, 1000, 500000, dtype=np.int32)
    got = waiting.array(np.int32, "many_short", 500000, inputs=[values], env={"MUSA_SIM_THREADS": workers})
    np.testing.assert_array_equal(got, values + 1)


@pytest.mark.parametrize(
    ("case", "fibers", "state"),
    [
        ("for_ever_busily", "0", "thread unknown"),
        ("for_ever_busily", "1", "1 threads run, 31 have not started, 0 have exited"),
        ("for_ever", "0", "of this block 32 threads run, 0 have exited"),
        ("for_ever_beside_barrier", "0", "1 threads run, 63 threads wait at __syncthreads, 0 have exited"),
        ("for_ever_beside_barrier", "1", "1 threads run, 63 threads wait at __syncthreads, 0 have exited"),
        ("for_ever_politely", "0", "of this block 32 threads run, 0 have exited"),
    ],
)
def test_watchdog(waiting: Program, case: str, fibers: str, state: str) -> None:
    result = waiting(case, 3, env={"MUSA_SIM_WATCHDOG": "1", "MUSA_SIM_FIBERS": fibers})
    assert result.facts == {"synchronise": "musaErrorLaunchTimeout", "after reset": "42"}
    assert result.stderr.count("\n") == 1
    assert f"[musa-sim] kernel {case}(int const volatile*), block (" in result.stderr
    assert "no progress for 1 s, the launch is ended (MUSA_SIM_WATCHDOG sets the time)" in result.stderr
    if state == "thread unknown" and "-O0" in MATRIX_FLAGS:
        state = ", thread ("  # without optimisation every thread has its fiber, and is known
    assert state in result.stderr


def test_a_block_that_fails_releases_those_that_wait_for_it(waiting: Program) -> None:
    for workers in ("1", "2"):
        result = waiting("for_the_failed", 3, env={"MUSA_SIM_THREADS": workers})
        assert result.facts == {"synchronise": "musaErrorIllegalAddress", "after reset": "42"}
