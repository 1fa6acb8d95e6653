"""cub's block- and warp-wide classes against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from library_programs import STANDARDS, Build
from sim_programs import Program

THREADS, ITEMS = 96, 3
COUNT = THREADS * ITEMS
WARPS = [{}, {"MUSA_SIM_WARP": "128"}, {"MUSA_SIM_SEED": "7"}]


@pytest.fixture(scope="module", params=STANDARDS)
def cub(build: Build, request: pytest.FixtureRequest) -> Program:
    return build("cub_block.mu", flags=[request.param])


@pytest.fixture
def x(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 1000, COUNT).astype(np.int32)


def rows(cub: Program, case: str, x: np.ndarray, env: dict[str, str]) -> np.ndarray:
    return cub.array(np.int32, case, inputs=[x], env=env).reshape(10, COUNT)


@pytest.mark.parametrize("algorithm", ["direct", "transpose", "striped"])
def test_load_and_store(cub: Program, x: np.ndarray, algorithm: str) -> None:
    got = rows(cub, algorithm, x, {})
    valid = np.arange(COUNT) < 201
    np.testing.assert_array_equal(got[0], np.where(valid, x, -1))
    np.testing.assert_array_equal(got[1], np.where(valid, x + 1, 0))


@pytest.mark.parametrize("algorithm", ["raking", "warps"])
def test_reduce(cub: Program, x: np.ndarray, algorithm: str) -> None:
    digits = 0
    for value in x[:THREADS]:
        digits = (digits * 10 + int(value) % 10) % 1000003
    expected = [x.sum(), x[::ITEMS].max(), x[::ITEMS][:40].sum(), digits]
    np.testing.assert_array_equal(rows(cub, f"reduce_{algorithm}", x, {})[0][:4], expected)


@pytest.mark.parametrize("valid", [1, 40, 64, 65, 128, 300])
def test_more_valid_threads_than_a_block_has(build: Build, x: np.ndarray, valid: int) -> None:
    """CUB takes them all: some programs count items, of which each thread has several."""
    got = build("cub_reduce_many.mu").array(np.int32, str(valid), inputs=[x[:64]])
    given = x[: min(valid, 64)]
    np.testing.assert_array_equal(got, [given.sum(), given.max()] * 2)


def before(values: np.ndarray, first: int) -> np.ndarray:
    return np.concatenate([[first], values[:-1]])


def test_scan(cub: Program, x: np.ndarray) -> None:
    got = rows(cub, "scan", x, {})
    inclusive = x.cumsum()
    first_items = np.arange(COUNT) % ITEMS == 0
    largest = np.maximum.accumulate(x)
    np.testing.assert_array_equal(got[0], inclusive)
    np.testing.assert_array_equal(got[1], inclusive - x + first_items * x.sum())
    np.testing.assert_array_equal(got[2], largest)
    np.testing.assert_array_equal(got[3], np.maximum(before(largest, 500), 500))
    np.testing.assert_array_equal(got[4], inclusive + 1000)
    by_item = x.reshape(THREADS, ITEMS).T.ravel()  # all first items, then all second ones ...
    carried = 1000 + x.sum() + by_item.cumsum() - by_item
    np.testing.assert_array_equal(got[5].reshape(THREADS, ITEMS).T.ravel(), carried)
    firsts = x[::ITEMS]
    smallest = np.minimum.accumulate(firsts)
    np.testing.assert_array_equal(got[6][0::ITEMS], firsts.cumsum() - firsts)
    np.testing.assert_array_equal(got[6][1::ITEMS], smallest)
    np.testing.assert_array_equal(got[6][2::ITEMS], np.minimum(before(smallest, 900), 900) + firsts.min())


def test_exchange_and_shuffle(cub: Program, x: np.ndarray) -> None:
    got = rows(cub, "exchange", x, {})
    held = x.reshape(THREADS, ITEMS)
    np.testing.assert_array_equal(got[0], held.T.ravel())
    np.testing.assert_array_equal(got[1], x.reshape(ITEMS, THREADS).T.ravel())
    np.testing.assert_array_equal(got[2], x.reshape(3, ITEMS, 32).transpose(0, 2, 1).ravel())
    np.testing.assert_array_equal(got[3], x)
    np.testing.assert_array_equal(got[4], x[::-1])
    np.testing.assert_array_equal(got[5], x[::-1].reshape(ITEMS, THREADS).T.ravel())
    np.testing.assert_array_equal(got[6], before(x, -1))
    np.testing.assert_array_equal(got[7], np.concatenate([x[1:], [-1]]))
    np.testing.assert_array_equal(got[8][2 * ITEMS + 1 :: ITEMS], x[: -2 * ITEMS : ITEMS])
    np.testing.assert_array_equal(got[8][2::ITEMS], np.roll(x[::ITEMS], -5))


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_radix_sort(cub: Program, rng: np.random.Generator, dtype: str) -> None:
    keys = rng.integers(-50, 50, COUNT).astype(dtype)
    raw = cub(f"sort_{dtype}", inputs=[keys]).stdout
    sorted_keys, positions = np.frombuffer(raw, dtype, 2 * COUNT), np.frombuffer(raw, np.int32, 2 * COUNT, 8 * COUNT)
    np.testing.assert_array_equal(sorted_keys[:COUNT], np.sort(keys))
    np.testing.assert_array_equal(sorted_keys[COUNT:], np.sort(keys)[::-1])
    np.testing.assert_array_equal(positions[:COUNT], COUNT - 1 - np.argsort(keys[::-1], kind="stable")[::-1])
    if dtype == "int32":
        np.testing.assert_array_equal(positions[COUNT:], np.argsort(keys >> 3 & 15, kind="stable"))


@pytest.mark.parametrize("env", WARPS)
@pytest.mark.parametrize("width", [8, 32])
def test_warp_reduce_and_scan(cub: Program, x: np.ndarray, width: int, env: dict[str, str]) -> None:
    got = rows(cub, f"warps{width}", x, env).ravel()[: THREADS * 10].reshape(THREADS, 10)
    for t in range(THREADS):
        first = t // width * width
        warp, lane = x[first : first + width], t - first
        flags = warp % 3 == 0
        heads, tails = np.flatnonzero(flags[lane + 1 :]), np.flatnonzero(flags[lane:])
        head_sum = warp[lane : lane + 1 + (heads[0] if heads.size else width)].sum()
        tail_sum = warp[lane : lane + (tails[0] + 1 if tails.size else width)].sum()
        expected = [
            warp.sum(),
            warp[:3].max(),
            head_sum,
            tail_sum,
            warp[: lane + 1].sum(),
            warp[:lane].sum(),
            max(warp[:lane].max(initial=-5), -5),
            warp[: lane + 1].min(),
            warp[2],
            warp.sum(),
        ]
        skipped = 0 if lane == 0 else 2  # reductions of a whole warp are lane 0's
        np.testing.assert_array_equal(got[t, skipped:], expected[skipped:], err_msg=f"thread {t}")


def test_nothing_to_find_for_the_checks(build: Build, x: np.ndarray) -> None:
    """No race, no unwritten memory, no access out of bounds inside cub itself."""
    checked = build("cub_block.mu", flags=["--sim-check=memory,race,init,sync"])
    for case in ("direct", "reduce_raking", "scan", "exchange", "sort_int32", "warps32", "warps8"):
        result = checked(case, inputs=[x])
        assert (result.status, result.stderr) == (0, ""), case
