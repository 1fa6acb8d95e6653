"""Thrust's algorithms and containers against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from library_programs import STANDARDS, Build
from results import results
from sim_programs import Program


@pytest.fixture(scope="module", params=STANDARDS)
def thrust(build: Build, request: pytest.FixtureRequest) -> Program:
    return build("thrust.mu", flags=[request.param])


@pytest.fixture(params=[1, 7, 1001])
def x(request: pytest.FixtureRequest, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 900, request.param).astype(np.int32)


@pytest.mark.parametrize("standard", ["c++11", pytest.param("gnu++14", marks=pytest.mark.slow), "c++17"])
def test_what_programs_do_every_day(build: Build, standard: str) -> None:
    """Forty uses of containers, iterators and algorithms; nvcc compiles them with CUDA's own Thrust."""
    result = build("thrust_everyday.mu", flags=[f"-std={standard}"])()
    assert (result.status, result.text, result.stderr) == (0, "", "")


def test_headers_of_few_names(build: Build) -> None:
    result = build("thrust_headers.mu")()
    expected = f"pairs {5 * 3 + 10}\nnumbers 700\nreference 1\nzipped 50\nrandom 1\n"
    assert (result.status, result.text, result.stderr) == (0, expected, "")


def first(values: np.ndarray, which: np.ndarray) -> int:
    return int(np.flatnonzero(which)[0]) if which.any() else values.size


def test_reductions_and_elementwise_algorithms(thrust: Program, x: np.ndarray) -> None:
    out = results(thrust, "vectors", x.size, x)
    n, wide = x.size, x.astype(np.int64)
    assert out.number() == x.sum()
    assert out.number() == x.max()
    assert out.number() == (wide**2).sum()
    assert out.number() == (wide * np.arange(n)).sum()
    assert out.number() == (x == 7).sum()
    assert out.number() == (x % 2).sum()
    assert out.number() == x.argmin()
    assert out.number() == x.argmax()
    assert out.number() == first(x, x == 7)
    assert out.number() == (x % 2 == 1).all() * 2 + (x % 2 == 1).any()
    np.testing.assert_array_equal(out.take(n, np.int64), wide**2)
    np.testing.assert_array_equal(out.take(n), x + 3 * (5 + 2 * np.arange(n)))
    np.testing.assert_array_equal(out.take(n), 100 + x.cumsum() - x)
    np.testing.assert_array_equal(out.take(n), np.maximum.accumulate(x))
    differences = np.diff(x, prepend=0)
    np.testing.assert_array_equal(out.take(n), differences)
    doubled = 2 * differences
    doubled[0] += 1
    np.testing.assert_array_equal(out.take(n), doubled)
    np.testing.assert_array_equal(out.take(n), x[::-1])
    out.end()


def test_sorting_and_searching(thrust: Program, x: np.ndarray) -> None:
    out = results(thrust, "sorts", x.size, x)
    n, ordered = x.size, np.sort(x)
    np.testing.assert_array_equal(out.take(n), ordered)
    assert out.number() == 2 + (np.diff(x) >= 0).all()
    np.testing.assert_array_equal(out.take(n), np.searchsorted(ordered, x))
    assert out.number() == np.searchsorted(ordered, 300, "right")
    positions = np.argsort(x % 10, kind="stable")
    np.testing.assert_array_equal(out.take(n), positions)
    np.testing.assert_array_equal(out.take(n), ordered[::-1])
    np.testing.assert_array_equal(out.take(n), x[positions])
    scattered = np.empty_like(x)
    scattered[positions] = x
    np.testing.assert_array_equal(out.take(n), scattered)
    out.end()


def test_selections(thrust: Program, x: np.ndarray) -> None:
    out = results(thrust, "selections", x.size, x)
    odd = x[x % 2 == 1]
    keys, counts = np.unique(x, return_counts=True)
    for kept in (odd, x[x % 2 == 0]):
        assert out.number() == kept.size
        np.testing.assert_array_equal(out.take(x.size)[: kept.size], kept)
    assert out.number() == odd.size
    np.testing.assert_array_equal(out.take(x.size), np.concatenate([odd, x[x % 2 == 0]]))
    for expected in ([keys], [keys, counts], [counts]):
        assert out.number() == keys.size
        for values in expected:
            np.testing.assert_array_equal(out.take(x.size)[: keys.size], values)
    out.end()


def test_host_vectors_and_copies(thrust: Program, x: np.ndarray) -> None:
    out = results(thrust, "hosts", x.size, x)
    assert out.number() == x.sum()
    np.testing.assert_array_equal(out.take(x.size), [*np.sort(x), -5][1:])
    assert out.number() == 1  # an exception that says that memory is out
    out.end()


def test_tuples_and_sequential_algorithms_in_kernels(thrust: Program, rng: np.random.Generator) -> None:
    x = rng.integers(0, 320, 40).astype(np.int32)
    got = thrust.array(np.int32, "tuples", x.size, inputs=[x]).reshape(32, 8)
    for t in range(32):
        distances = np.abs(x - t * 10)
        near, four = int(distances.argmin()), x[t : t + 4]
        expected = [near, distances[near], near * 1000 + distances[near], four.max(), four.min(), four.sum(), 12]
        np.testing.assert_array_equal(got[t], [*expected, x[t] < x[t + 1]])
