"""cub's merge sorts, histograms and discontinuities, Thrust's set operations and placeholders, against NumPy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from library_programs import STANDARDS, Build
from results import Reader, results
from sim_programs import Program

THREADS, ITEMS = 96, 3
COUNT = THREADS * ITEMS
WARPS = [{}, {"MUSA_SIM_WARP": "128"}]


@pytest.fixture(scope="module", params=STANDARDS)
def library(build: Build, request: pytest.FixtureRequest) -> Program:
    return build("sorts_and_sets.mu", flags=[request.param])


@pytest.fixture
def x(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 1000, COUNT).astype(np.int32)


def rows(library: Program, case: str, x: np.ndarray, n: int = 0, env: dict[str, str] | None = None) -> np.ndarray:
    return library.array(np.int32, case, n, inputs=[x], env=env).reshape(10, COUNT)


def by_last_digit(keys: np.ndarray) -> np.ndarray:
    return np.argsort(keys % 10, kind="stable")


@pytest.mark.parametrize("env", WARPS)
def test_merge_sorts(library: Program, x: np.ndarray, env: dict[str, str]) -> None:
    valid = 200
    got = rows(library, "merge_sort", x, valid, env)
    np.testing.assert_array_equal(got[0], by_last_digit(x))
    first = x[:valid]
    np.testing.assert_array_equal(got[1], np.concatenate([first[by_last_digit(first)], np.full(COUNT - valid, 1009)]))
    warps = x.reshape(-1, 8 * ITEMS)
    np.testing.assert_array_equal(got[2].reshape(warps.shape), [warp[by_last_digit(warp)] for warp in warps])
    threads = x.reshape(-1, ITEMS)
    wanted = [ITEMS * t + by_last_digit(keys) for t, keys in enumerate(threads)]
    np.testing.assert_array_equal(got[3].reshape(threads.shape), wanted)


def test_discontinuities_and_differences(library: Program, rng: np.random.Generator) -> None:
    x = np.sort(rng.integers(0, 60, COUNT)).astype(np.int32)
    got = rows(library, "discontinuity", x)
    new = np.diff(x) != 0
    np.testing.assert_array_equal(got[0], [True, *new])
    np.testing.assert_array_equal(got[1], [False, *new])
    np.testing.assert_array_equal(got[2], [*new, True])
    np.testing.assert_array_equal(got[3], [True, *new])
    np.testing.assert_array_equal(got[4], [*new, False])
    index = np.arange(COUNT)
    np.testing.assert_array_equal(got[5], index % 10 == 0)
    np.testing.assert_array_equal(got[6], [x[0], *np.diff(x)])
    np.testing.assert_array_equal(got[7], [*-np.diff(x), x[-1] - 7])
    np.testing.assert_array_equal(got[8], np.where(index < 100, [x[0], *np.diff(x)], x))


def test_histogram_of_a_block(library: Program, x: np.ndarray) -> None:
    got = rows(library, "histogram", x)[0][:40]
    np.testing.assert_array_equal(got, 2 * np.bincount(x % 40, minlength=40))


@pytest.mark.parametrize("env", WARPS)
def test_loads_and_stores_of_warps(library: Program, x: np.ndarray, env: dict[str, str]) -> None:
    got = rows(library, "warp_transfers", x, 0, env)
    warps = x.reshape(-1, 16, ITEMS)
    np.testing.assert_array_equal(got[0], x)
    np.testing.assert_array_equal(got[1], warps.transpose(0, 2, 1).ravel())
    valid = np.where(np.arange(16 * ITEMS) < 20, x.reshape(-1, 16 * ITEMS), -1)
    striped = valid.reshape(-1, ITEMS, 16).transpose(0, 2, 1)
    np.testing.assert_array_equal(got[2], striped.ravel())
    np.testing.assert_array_equal(got[3], x.reshape(-1, ITEMS, 16).transpose(0, 2, 1).ravel())
    np.testing.assert_array_equal(got[4], x)


@pytest.mark.parametrize("env", WARPS)
def test_groups_and_atomics(library: Program, x: np.ndarray, env: dict[str, str]) -> None:
    got = rows(library, "groups_and_atomics", x, 0, env)
    np.testing.assert_array_equal(got[0], x[::-1])
    np.testing.assert_array_equal(got[1][:THREADS], np.arange(THREADS) // 8 + 7)
    mine = x[:THREADS]
    # the first exchange succeeds, the second finds -1
    assert got[2][:5].tolist() == [mine.max(), np.bitwise_or.reduce(mine), -1, 1, THREADS]


@pytest.mark.parametrize("n", [40, 4000])
def test_device_wide(library: Program, rng: np.random.Generator, n: int) -> None:
    x = rng.integers(0, 1000, n).astype(np.int32)
    samples = rng.standard_normal(n).astype(np.float32) * 2
    out = results(library, "device_wide", n, x, samples)
    order = by_last_digit(x)
    keys = x[order]
    np.testing.assert_array_equal(out.take(n), order)
    np.testing.assert_array_equal(out.take(n), keys)
    even = np.histogram(x, 10, (0, 1000))[0]
    np.testing.assert_array_equal(out.take(64)[:10], even)
    inside = samples[samples < 2]  # NumPy's last bin holds the upper end too
    np.testing.assert_array_equal(out.take(64)[:16], np.histogram(inside, 16, (-2, 2))[0])
    np.testing.assert_array_equal(out.take(64)[:4], np.histogram(samples, [-10, -1, -0.25, 0, 3])[0])
    channels = keys[: n // 40 * 40].reshape(-1, 10, 4)[:, :8, :]
    bins = out.take(64)
    for channel, (count, lower, upper) in enumerate([(8, 0, 1000), (4, 0, 800), (2, 500, 1000)]):
        chosen = channels[..., channel].ravel()
        wanted = np.histogram(chosen[chosen < upper], count, (lower, upper))[0]
        np.testing.assert_array_equal(bins[16 * channel :][:count], wanted)
    np.testing.assert_array_equal(out.take(n), n + np.cumsum(keys) - keys)
    np.testing.assert_array_equal(out.take(n), [keys[0], *np.diff(keys)])
    segments = np.array([*sorted(keys[: n // 3])[::-1], *sorted(keys[n // 3 :])[::-1]])
    np.testing.assert_array_equal(out.take(n), segments)
    np.testing.assert_array_equal(out.take(n), np.cumsum(segments))
    assert out.take(1)[0] == (keys ^ 21).max()
    chosen = keys[samples > 1]
    assert out.take(1)[0] == chosen.size
    np.testing.assert_array_equal(out.take(n)[: chosen.size], chosen)
    np.testing.assert_array_equal(out.take(n), 3 * np.arange(n))
    shuffled = out.take(n)
    assert sorted(shuffled) == (3 * np.arange(n)).tolist() and (np.diff(shuffled) < 0).sum() > n / 4
    out.end()


def test_tuples_placeholders_and_random_numbers(library: Program) -> None:
    got = library.array(np.float64, "tuples", 0)
    # the standard's own check of minstd_rand
    np.testing.assert_array_equal(got[:4], [34, 1.5 * 7 + 1, 399268537, 399268537])
    uniform, normal, dice = got[4:4004], got[4004:8004], got[8004:12004]
    assert uniform.min() >= 2 and uniform.max() < 4 and abs(uniform.mean() - 3) < 0.05
    assert abs(normal.mean() - 1) < 0.2 and abs(normal.std() - 3) < 0.2
    assert sorted(set(dice)) == [1, 2, 3, 4, 5, 6] and abs(dice.mean() - 3.5) < 0.1
    assert got[12004] == (9 + 0.5 - 1) + 1 + (-2 ^ 3) + 4


def take(out: Reader) -> list[int]:
    return [int(value) for value in out.take(out.number())]


@pytest.mark.parametrize(("n", "most"), [(1, 3), (60, 30), (60, 1000)])
def test_set_operations(library: Program, rng: np.random.Generator, n: int, most: int) -> None:
    a, b = (np.sort(rng.integers(0, most, n)).astype(np.int32) for _ in range(2))
    out = results(library, "sets", n, a, b)
    in_a, in_b = Counter(a.tolist()), Counter(b.tolist())

    def elements(count: Callable[[int, int], int]) -> list[int]:
        return [key for key in sorted(in_a | in_b) for _ in range(count(in_a[key], in_b[key]))]

    assert take(out) == elements(max)
    assert take(out) == elements(min)
    assert take(out) == elements(lambda m, k: max(m - k, 0))
    assert take(out) == elements(lambda m, k: abs(m - k))
    both = sorted([*a.tolist(), *b.tolist()])
    assert take(out) == both

    values_a = [(int(key), index) for index, key in enumerate(a)]
    values_b = [(int(key), index + 1000) for index, key in enumerate(b)]

    def by_key(choose: Callable[[list[int], list[int]], list[int]]) -> None:
        """Compare with the values chosen for each key of both ranges."""
        wanted = []
        for key in sorted(in_a | in_b):
            of_a, of_b = [v for k, v in values_a if k == key], [v for k, v in values_b if k == key]
            wanted += [(key, value) for value in choose(of_a, of_b)]
        assert list(zip(take(out), take(out))) == wanted

    by_key(lambda p, q: p + q)
    by_key(lambda p, q: p + q[len(p) :])
    by_key(lambda p, q: p[: len(q)])
    by_key(lambda p, q: p[len(q) :])
    by_key(lambda p, q: p[:1])
    listed = a.tolist()
    assert take(out) == (3 * a - b).tolist()
    assert take(out) == [value for value in listed if value % 2 == 0]
    assert take(out) == [-1 if value > 20 else value for value in listed]
    assert take(out) == listed[::-1]
    assert take(out) == [value for value in listed if value != 7]
    assert take(out) == [value for value in listed if value < 10]
    assert take(out) == [value for value in listed if value >= 10]
    differ = np.flatnonzero(a != b)
    assert take(out) == [differ[0] if differ.size else n, n, len(in_a)]
    out.end()


@pytest.mark.slow
def test_nothing_to_find_for_the_checks(build: Build, x: np.ndarray) -> None:
    checked = build("sorts_and_sets.mu", flags=["--sim-check=memory,race,init,sync"])
    for case in ("merge_sort", "discontinuity", "histogram", "warp_transfers", "groups_and_atomics"):
        result = checked(case, 200, inputs=[x])
        assert (result.status, result.stderr) == (0, ""), case
