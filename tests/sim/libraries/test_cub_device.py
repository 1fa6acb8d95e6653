"""cub's device-wide algorithms against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from library_programs import STANDARDS, Build
from results import results
from sim_programs import Program


@pytest.fixture(scope="module", params=STANDARDS)
def cub(build: Build, request: pytest.FixtureRequest) -> Program:
    return build("cub_device.mu", flags=[request.param])


def numbers(rng: np.random.Generator, dtype: str, n: int) -> np.ndarray:
    if np.dtype(dtype).kind == "f":
        return rng.integers(-40, 40, n).astype(dtype) / np.dtype(dtype).type(4)  # exact sums, and ties
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)


@pytest.mark.parametrize("n", [0, 1, 1000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "float16"])
def test_reduce(cub: Program, rng: np.random.Generator, dtype: str, n: int) -> None:
    x = numbers(rng, dtype, n)
    out = results(cub, f"reduce_{dtype}", n, x)
    info = np.finfo(dtype) if x.dtype.kind == "f" else np.iinfo(dtype)
    with np.errstate(over="ignore"):
        expected = [x.sum(dtype=dtype), x.min(initial=info.max), x.max(initial=info.min)]
    np.testing.assert_array_equal(out.take(3, dtype), np.array(expected, dtype))
    np.testing.assert_array_equal(out.take(2), [x.argmin(), x.argmax()] if n else [1, 1])
    out.end()


@pytest.mark.parametrize("n", [1, 777])
def test_own_functions_and_iterators(cub: Program, rng: np.random.Generator, n: int) -> None:
    x = rng.integers(-(2**30), 2**30, n).astype(np.int32)
    out = results(cub, "functions", n, x)
    largest, scanned = 5, []
    current = None
    for value in x:
        largest = largest if (largest & 0xFFFF) > (value & 0xFFFF) else value
        current = value if current is None or (current & 0xFFFF) <= (value & 0xFFFF) else current
        scanned.append(current)
    assert out.take(1)[0] == largest
    np.testing.assert_array_equal(out.take(n), scanned)
    odd = np.arange(7, 7 + n)[np.arange(7, 7 + n) % 2 == 1]
    np.testing.assert_array_equal(out.take(n + 1)[: odd.size], odd)
    kept = x[x % 2 == 1]
    np.testing.assert_array_equal(out.take(n)[: kept.size], kept)
    np.testing.assert_allclose(out.take(1, np.float64), (x.astype(np.float64) ** 2).sum(), rtol=1e-13)
    out.end()


@pytest.mark.parametrize("n", [1, 5, 2000])
def test_scan(cub: Program, rng: np.random.Generator, n: int) -> None:
    x = rng.integers(-1000, 1000, n).astype(np.int32)
    keys = np.sort(rng.integers(0, 50, n)).astype(np.uint8)
    out = results(cub, "scan", n, x, keys)
    inclusive = x.cumsum(dtype=np.int32)
    np.testing.assert_array_equal(out.take(n, np.int64), inclusive - x)
    np.testing.assert_array_equal(out.take(n), inclusive)
    np.testing.assert_array_equal(out.take(n), np.maximum.accumulate(np.concatenate([[-7], x[:-1]])))
    by_key = np.concatenate([x[keys == key].cumsum() for key in np.unique(keys)])
    np.testing.assert_array_equal(out.take(n), by_key - x)
    np.testing.assert_array_equal(out.take(n), by_key)
    np.testing.assert_array_equal(out.take(n), inclusive)
    out.end()


@pytest.mark.parametrize("n", [1, 40, 1500])
def test_selections_and_runs(cub: Program, rng: np.random.Generator, n: int) -> None:
    x = np.sort(rng.integers(0, max(n // 2, 2), n)).astype(np.int32)
    flags = rng.integers(0, 2, n).astype(np.int8)
    out = results(cub, "runs", n, x, flags)
    unique, begins, lengths = np.unique(x, return_index=True, return_counts=True)

    def check(*expected: np.ndarray) -> None:
        count = out.take(1)[0]
        assert count == len(expected[0])
        for values in expected:
            got = out.take(n)
            np.testing.assert_array_equal(got[:count], values)

    def check_partition(chosen: np.ndarray) -> None:
        assert out.take(1)[0] == chosen.sum()
        np.testing.assert_array_equal(out.take(n), np.concatenate([x[chosen], x[~chosen][::-1]]))

    check(x[flags != 0])
    check(unique)
    check_partition(flags != 0)
    check_partition(x % 2 == 1)
    check(unique, lengths)
    check(begins[lengths > 1], lengths[lengths > 1])
    check(unique, [np.arange(n)[x == key].sum() for key in unique])
    check(unique, begins)
    out.end()


def specials(dtype: str) -> np.ndarray:
    return np.array([0.0, -0.0, np.inf, -np.inf, np.finfo(dtype).tiny, -np.finfo(dtype).max], dtype)


@pytest.mark.parametrize("n", [6, 3001])
@pytest.mark.parametrize("case", ["int32", "uint64", "int8", "float32", "float64", "float16", "own_float16"])
def test_radix_sort(cub: Program, rng: np.random.Generator, case: str, n: int) -> None:
    dtype = case.replace("own_", "")
    keys = numbers(rng, dtype, n)
    if keys.dtype.kind == "f":
        keys[:6] = specials(dtype)
    out = results(cub, f"sort_{case}", n, keys)
    ascending = np.argsort(keys, kind="stable")
    descending = n - 1 - np.argsort(keys[::-1], kind="stable")[::-1]
    np.testing.assert_array_equal(
        out.take(n, dtype).view(f"u{keys.itemsize}"), keys[ascending].view(f"u{keys.itemsize}")
    )
    np.testing.assert_array_equal(out.take(n, dtype), keys[descending])
    np.testing.assert_array_equal(out.take(n), ascending)
    np.testing.assert_array_equal(out.take(n), descending)
    out.end()


def test_radix_sort_of_some_bits_of_segments_and_in_double_buffers(cub: Program, rng: np.random.Generator) -> None:
    n = 1000
    keys = rng.integers(0, 2**32, n, dtype=np.uint32)
    offsets = np.array([0, 17, 17, 600, n], np.int32)
    out = results(cub, "sort_some_bits", n, keys, offsets)
    np.testing.assert_array_equal(out.take(n, np.uint32), keys[np.argsort(keys >> 5 & 1023, kind="stable")])
    segments = [np.sort(part)[::-1] for part in np.split(keys, offsets[1:-1])]
    np.testing.assert_array_equal(out.take(n, np.uint32), np.concatenate(segments))
    np.testing.assert_array_equal(out.take(n, np.uint32), keys[np.argsort(keys >> 8, kind="stable")])
    out.end()


def test_segmented_reduce(cub: Program, rng: np.random.Generator) -> None:
    n = 500
    x = numbers(rng, "float32", n)
    offsets = np.array([0, 17, 17, 400, n], np.int32)
    out = results(cub, "segments", n, x, offsets)
    parts = np.split(x, offsets[1:-1])
    np.testing.assert_array_equal(out.take(4, np.float32), [part.sum() for part in parts])
    lowest = np.finfo(np.float32).min
    np.testing.assert_array_equal(out.take(4, np.float32), [part.max(initial=lowest) for part in parts])
    np.testing.assert_array_equal(out.take(4), [part.argmin() if part.size else 1 for part in parts])
    out.end()
