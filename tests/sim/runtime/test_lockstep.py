"""Programs from before __syncwarp compute as on cards: lanes meet before volatile accesses to shared memory."""

from __future__ import annotations

import numpy as np
import pytest
from sim_programs import MATRIX_FLAGS, Build

#: docs/unverified.md, `warp-lockstep`
pytestmark = pytest.mark.skipif("-O0" in MATRIX_FLAGS, reason="lanes do not meet in builds without optimisation")
BLOCKS, THREADS = 3, 256


@pytest.mark.parametrize("seed", ["", "7"])
@pytest.mark.parametrize("fibers", ["0", "1"])
@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3"])
def test_lanes_see_what_other_lanes_wrote(level: str, fibers: str, seed: str, build: Build) -> None:
    values = np.random.default_rng(3).integers(-1000, 1000, (BLOCKS, THREADS))
    env = {"MUSA_SIM_FIBERS": fibers, **({"MUSA_SIM_SEED": seed} if seed else {})}
    done = build("lockstep.mu", flags=[level])(BLOCKS, inputs=[values.astype(np.int32)], env=env)
    lines = [line.split() for line in done.text.splitlines()]
    assert all(line[1:3] == ["no", "error"] for line in lines), done
    results = {name: np.array(numbers, int) for name, _, _, *numbers in lines}
    warps = values.reshape(BLOCKS, THREADS // 32, 32)
    np.testing.assert_array_equal(results["reduce"], values.sum(1))
    np.testing.assert_array_equal(results["reduce_dynamic"], values.sum(1))
    np.testing.assert_array_equal(results["scan"], warps.cumsum(2).ravel())
    np.testing.assert_array_equal(results["reversed"], warps[:, :, ::-1].ravel())
    np.testing.assert_array_equal(results["alone"], np.repeat(warps.sum(2), 32, axis=1).ravel())


@pytest.mark.parametrize(
    "env", [{}, {"MUSA_SIM_SEED": "7"}, {"MUSA_SIM_FIBERS": "1"}, {"MUSA_SIM_WARP": "128"}], ids=str
)
@pytest.mark.parametrize("level", ["-O1", "-O3"])
def test_one_lane_releases_what_the_others_stored(level: str, env: dict[str, str], build: Build) -> None:
    program = build("lockstep_release.mu", flags=[level])
    for lanes in (32, 19):
        row = np.zeros(lanes, int)
        for _ in range(20):
            row = row.cumsum() % 1000003
            for step in range(lanes * 100):
                row = np.where(step < np.arange(lanes) * 100, (row * 31 + 7) % 1000003, row)
        lines = program(20, lanes, env={"MUSA_SIM_THREADS": "4", **env}).text.splitlines()
        assert lines[1::2] == ["no error"] * 3, lines
        for line in lines[::2]:
            name, *numbers = line.split()
            assert [*map(int, numbers)] == row.tolist(), name
