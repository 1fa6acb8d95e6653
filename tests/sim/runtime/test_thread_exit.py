"""Threads that end in the middle of their kernel by `__musa_exit`, in each form that a kernel can have."""

from __future__ import annotations

import numpy as np
import pytest
from sim_programs import Build, Program

BLOCK = 128
LANES = {"MUSA_SIM_WARP": "32"}  # the kernels ask for 32


@pytest.fixture(scope="module", params=["-O2", "-O0", "--sim-check=memory,race,init"])
def program(build: Build, request: pytest.FixtureRequest) -> Program:
    return build("thread_exit.mu", flags=(str(request.param),))


def grid_stride(x: np.ndarray) -> np.ndarray:
    """A thread that meets a number below -900 leaves the rest of its numbers as they were."""
    y = np.zeros_like(x)
    for thread in range(2 * BLOCK):
        own = x[thread :: 2 * BLOCK]
        end = np.flatnonzero(own < -900)
        y[thread :: 2 * BLOCK][: end[0] if len(end) else None] = own[: end[0] if len(end) else None] + 1
    return y


def meeting(x: np.ndarray) -> np.ndarray:
    lane = np.arange(len(x)) % 32
    first = x[np.arange(len(x)) // 32 * 32]
    return np.where(lane < 20, first + BLOCK // 32 * 20, 0)


@pytest.mark.parametrize("env", [{}, {"MUSA_SIM_FIBERS": "1"}, {"MUSA_SIM_SEED": "11"}], ids=str)
@pytest.mark.parametrize("n", [1, 300, 1000])
def test_the_other_threads_go_on(program: Program, rng: np.random.Generator, env: dict[str, str], n: int) -> None:
    x = rng.integers(-1000, 1000, n).astype(np.int32)
    expected = {
        "plain": np.where(x < 0, -1, 2 * x),
        "inlined": grid_stride(x),
        "called": np.where(x < 0, x, 3 * x),
        "waiting": meeting(x),
        "all": x + 7,
    }
    for name, wanted in expected.items():
        got = program.array(np.int32, name, n, inputs=[x], env={**LANES, **env})
        np.testing.assert_array_equal(got, wanted, err_msg=name)
