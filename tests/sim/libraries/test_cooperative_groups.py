"""cooperative_groups against NumPy: tiles, coalesced groups, partitions, reductions, the grid's barrier."""

from __future__ import annotations

import numpy as np
import pytest
from library_programs import Build
from sim_programs import Program

COLUMNS = 23
WARPS = [{}, {"MUSA_SIM_WARP": "128"}, {"MUSA_SIM_SEED": "7"}]


@pytest.fixture(scope="module")
def groups(build: Build) -> Program:
    return build("groups.mu")


def bits(flags: np.ndarray) -> int:
    return int(sum(1 << i for i, flag in enumerate(flags) if flag))


def signed(value: int) -> int:
    return value - 2**32 if value >= 2**31 else value


def run(groups: Program, case: str, x: np.ndarray, env: dict[str, str]) -> np.ndarray:
    return groups.array(np.int32, case, x.size, inputs=[x], env=env).reshape(x.size, COLUMNS)


def compose(values: np.ndarray) -> int:
    offset = 0
    for value in values:
        offset = offset * (int(value) % 2 + 1) + int(value)
    return offset % 1000003


@pytest.mark.parametrize("env", WARPS)
@pytest.mark.parametrize("size", [1, 4, 16, 32])
def test_tiles(groups: Program, rng: np.random.Generator, size: int, env: dict[str, str]) -> None:
    x = rng.integers(0, 900, 136).astype(np.int32)  # the last tile of 32 has only 8 threads
    got = run(groups, f"tile{size}", x, env)
    for t in range(x.size):
        first = t // size * size
        tile = x[first : first + size]
        rank = t - first
        if tile.size < size:
            continue  # shuffles with threads that do not exist are undefined; reductions are tested below
        expected = [
            rank,
            t // size,
            -(-x.size // size),
            size,
            tile[1 % size],
            tile[rank + 2 if rank + 2 < size else rank],
            tile[max(rank - 1, 0)],
            tile[rank ^ 1 if size > 1 else 0],
            7 in tile,
            (tile < 500).all(),
            signed(bits(tile & 1)),
            signed(bits((tile & 3) == (x[t] & 3))),
            tile.sum(),
            tile.min(),
            tile.max(),
            np.bitwise_xor.reduce(tile),
            tile[: rank + 1].sum(),
            tile[:rank].sum(),
            compose(tile),
        ]
        np.testing.assert_array_equal(got[t, : len(expected)], expected, err_msg=f"thread {t}")
    if size == 32:
        rest = x[128:]
        np.testing.assert_array_equal(got[128:, 12:15], [[rest.sum(), rest.min(), rest.max()]] * 8)


@pytest.mark.parametrize("env", WARPS)
@pytest.mark.parametrize("size", [64, 256])
def test_tiles_of_several_warps(groups: Program, rng: np.random.Generator, size: int, env: dict[str, str]) -> None:
    x = rng.integers(0, 900, 512).astype(np.int32)
    got = run(groups, f"large {size}", x, env)
    t = np.arange(x.size)
    every = x.reshape(-1, size)
    offsets = []
    for tile in every:
        offset = 0
        for value in tile.tolist():
            offset = offset * (value % 2) + value
        offsets.append(offset % 1000003)
    of_tiles = [every.sum(1), every.min(1), offsets, (every == 7).any(1), (every < 899).all(1), every[:, 40]]
    expected = [t % size, t // size, t * 0 + x.size // size, t * 0 + size]
    expected += [np.repeat(of_tile, size) for of_tile in of_tiles]
    expected += [x[t ^ 32], t % size // 32]
    np.testing.assert_array_equal(got[:, : len(expected)], np.stack(expected, 1))


@pytest.mark.parametrize("env", WARPS)
def test_coalesced_groups_and_partitions(groups: Program, rng: np.random.Generator, env: dict[str, str]) -> None:
    x = rng.integers(0, 900, 128).astype(np.int32)
    got = run(groups, "coalesced", x, env)
    for t in range(x.size):
        if t // 32 % 2 or x[t] % 3 == 0:
            assert not got[t].any()
            continue
        lanes = np.arange(t - t % 32, t - t % 32 + 32)
        members = lanes[x[lanes] % 3 != 0]
        v, rank = x[members], int(np.flatnonzero(members == t)[0])
        odd = v[v % 2 == x[t] % 2]
        labels = list(dict.fromkeys(v % 5))
        label = v[v % 5 == x[t] % 5]
        four = v[rank // 4 * 4 : rank // 4 * 4 + 4]
        before = np.arange(v.size) < rank
        expected = [
            rank,
            v.size,
            v[1 % v.size],
            v[rank + 2 if rank + 2 < v.size else rank],
            v[max(rank - 1, 0)],
            signed(bits(v & 1)),
            signed(bits((v & 3) == (x[t] & 3))),
            signed(bits(v >= 0)),
            1,
            v.sum(),
            v[: rank + 1].sum(),
            ((v % 2 == x[t] % 2) & before).sum(),
            odd.size,
            x[t] % 2,
            odd.max(),
            ((v % 5 == x[t] % 5) & before).sum(),
            label.size,
            labels.index(x[t] % 5),
            len(labels),
            label[0],
            rank % 4,
            four.size,
            four.sum(),
        ]
        np.testing.assert_array_equal(got[t], expected, err_msg=f"thread {t}")


@pytest.mark.parametrize("env", WARPS)
def test_tiles_of_tiles_and_groups_of_run_time_size(
    groups: Program, rng: np.random.Generator, env: dict[str, str]
) -> None:
    x = rng.integers(-900, 900, 128).astype(np.int32)
    got = run(groups, "nested", x, env)
    t = np.arange(128)
    only = np.where(t // 32 == 1, x[32:64].sum(), 0)
    fours = x.reshape(-1, 4).sum(1).repeat(4)
    expected = [t % 16 // 4, t * 0 + 4, fours, t % 8, t * 0 + 8, t, t * 0 + 128, only]
    np.testing.assert_array_equal(got[:, :8], np.stack(expected, 1))


@pytest.mark.parametrize("n", [1, 255, 1000, 3001])
def test_grid_barrier(groups: Program, rng: np.random.Generator, n: int) -> None:
    x = rng.integers(0, 1000, n).astype(np.int32)
    expected = x
    for _ in range(5):
        expected = np.roll(expected, -1) + np.roll(expected, 1) % 7
    np.testing.assert_array_equal(groups.array(np.int32, "rounds", n, inputs=[x]), expected)


def test_grid_barrier_refusals(groups: Program) -> None:
    result = groups("refusals")
    assert result.facts == {
        "too_large": "musaErrorCooperativeLaunchTooLarge",
        "one_fails": "musaErrorLaunchFailure",
        "not_cooperative": "musaErrorLaunchFailure",
        **dict.fromkeys(("tiles_of_0", "tiles_of_3", "tiles_of_64"), "musaErrorLaunchFailure"),
    }
    assert "block (3,0,0)" in result.stderr
    assert "grid.sync() in a kernel that was not launched with musaLaunchCooperativeKernel" in result.stderr
