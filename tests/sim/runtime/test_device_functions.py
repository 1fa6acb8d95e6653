"""Functions that CUDA code calls in kernels, against exact arithmetic: rounding, SIMD words, reductions, loads."""

from __future__ import annotations

from functools import reduce
from typing import Any

import function_tables
import mpmath
import numpy as np
import pytest
from sim_programs import Build, Program

from musa_build.system.files import write_if_changed


@pytest.fixture(scope="module")
def functions(build: Build, request: pytest.FixtureRequest) -> Program:
    assert request.config.cache is not None
    folder = request.config.cache.mkdir("device-functions")
    write_if_changed(folder / "device_function_rows.h", function_tables.program())
    return build("device_functions.mu", flags=(f"-I{folder}",))


def words(rng: np.random.Generator) -> np.ndarray:
    """Every pair of corners, lanes that are equal or one apart, and random ones."""
    corners = np.array([0, 1, 0x7F7F7F7F, 0x80808080, 0x7FFF8000, 0x80007FFF, 0xFFFFFFFF, 0x80000000], np.uint32)
    x = np.concatenate([np.repeat(corners, 8), rng.integers(0, 2**32, 150, dtype=np.uint32)])
    near = x[64:114] ^ (rng.integers(0, 2**32, 50, dtype=np.uint32) & 0x01010101)
    y = np.concatenate([np.tile(corners, 8), near, rng.integers(0, 2**32, 100, dtype=np.uint32)])
    return np.stack([x, y, np.roll(y, 7)])


def reals(rng: np.random.Generator, dtype: str) -> np.ndarray:
    """Corners, all magnitudes, operands of like magnitude, of which one cancels the other but for the last bits."""
    info: Any = np.finfo(dtype)
    corners = [0.0, 1.0, 1.5, info.max, info.tiny, info.smallest_subnormal, 3 * info.smallest_subnormal, np.inf, np.nan]
    corners = np.array([*corners, *(-np.array(corners[:-1]))], dtype)
    n = len(corners)
    bits = rng.integers(0, 2 ** (8 * info.dtype.itemsize), (3, 300), dtype=f"u{info.dtype.itemsize}").view(dtype)
    like = (rng.standard_normal((3, 300)) * 2.0 ** rng.integers(-40, 40, (3, 300))).astype(dtype)
    like[2, :100] = -like[0, :100] * like[1, :100]
    like[1, 100:200] = -like[0, 100:200] * dtype_of(dtype)(1 + info.eps)
    x = np.concatenate([np.repeat(corners, n), bits[0], like[0]])
    y = np.concatenate([np.tile(corners, n), bits[1], like[1]])
    z = np.concatenate([rng.permutation(np.tile(corners, n)), bits[2], like[2]])
    return np.stack([x, y, z])


def dtype_of(name: str) -> type[np.floating[Any]]:
    return np.dtype(name).type


def integers(rng: np.random.Generator) -> np.ndarray:
    corners = [0, 1, 2**24, 2**24 + 1, 2**31 - 1, 2**31, 2**32 - 1, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1]
    random = rng.integers(0, 2**64, 300, dtype=np.uint64) >> rng.integers(0, 64, 300, dtype=np.uint64)
    x = np.concatenate([np.array(corners, np.uint64), random])
    return np.stack([x, x, x])


OPERANDS = {
    "words": words,
    "floats": lambda rng: reals(rng, "f4"),
    "doubles": lambda rng: reals(rng, "f8"),
    "integers": integers,
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OPERANDS)
def test_tables(functions: Program, rng: np.random.Generator, name: str) -> None:
    page = function_tables.PAGES[name]
    operands = OPERANDS[name](rng)
    n = operands.shape[1]
    got = functions.array(np.uint64, name, n, len(page.rows), inputs=[operands]).reshape(-1, n)
    columns = list(zip(*operands.tolist()))
    for row, (expression, reference) in zip(got, page.rows.items()):
        wanted = [reference(*column) for column in columns]
        if name == "words":
            np.testing.assert_array_equal(row, wanted, err_msg=expression)
            continue
        found = row.astype(np.uint32).view(np.float32) if name == "floats" else row.view(np.float64)
        expected = np.array(wanted, found.dtype)
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(found, expected, err_msg=expression)
        np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]), err_msg=expression)


def test_special_functions(functions: Program, rng: np.random.Generator) -> None:
    x = np.concatenate([rng.uniform(-1, 1, 60), np.exp(rng.uniform(-40, -1, 40)), [1 - 2.0**-30, 0.5, -0.5]])
    y = np.concatenate([rng.uniform(0, 8, 60), np.exp(rng.uniform(-40, -1, 40)), [5.999, 6.0, 4.0]])
    n = x.size
    got = functions.array(np.float64, "special", n, 0, inputs=[x, y]).reshape(-1, n)
    tiny = 3e-15, 2e-7
    a, b = x.astype(np.float32).astype(float), y.astype(np.float32).astype(float)

    def root(*squares: Any) -> np.ndarray:
        return np.sqrt(sum(np.square(value) for value in squares))

    def exact(function: Any, values: np.ndarray) -> np.ndarray:
        return np.array([float(function(mpmath.mpf(float(value)))) for value in values])

    def erfcx(v: Any) -> Any:
        return mpmath.exp(v * v) * mpmath.erfc(v)

    def erfcinv(v: Any) -> Any:
        return mpmath.erfinv(1 - v)

    def normcdfinv(v: Any) -> Any:
        return mpmath.sqrt(2) * mpmath.erfinv(2 * v - 1)

    with mpmath.workdps(60):
        references = [
            *(exact(mpmath.erfinv, x), exact(erfcinv, 1 - x), exact(normcdfinv, 0.5 * (1 + x))),
            *(exact(erfcx, y), exact(erfcx, -y / 8)),
            *(exact(lambda v: mpmath.besseli(0, v), 8 * y), exact(lambda v: mpmath.besseli(1, v), -8 * y)),
            *(root(x, y, 3, 4, 5), root(x, y, 2), root(x, y, 2, 3)),
            *(1 / root(x, y, 3, 4, 5), 1 / root(x, y, 2), 1 / root(x, y, 2, 3), 1 / root(x, y)),
            *(exact(mpmath.erfinv, a), exact(erfcinv, b / 8), exact(normcdfinv, b / 8), exact(erfcx, b)),
            *(exact(lambda v: mpmath.besseli(0, v), b), exact(lambda v: mpmath.besseli(1, v), b)),
            *(root(a, b, 3, 4, 5), root(a, b, 2), root(a, b, 2, 3)),
            *(1 / root(a, b, 3, 4, 5), 1 / root(a, b, 2), 1 / root(a, b, 2, 3), 1 / root(a, b)),
        ]
    assert len(got) == len(references)
    for k, (row, wanted) in enumerate(zip(got, references)):
        np.testing.assert_allclose(row, wanted, rtol=tiny[k >= 14], err_msg=f"function {k}")


def test_reductions_of_lanes(functions: Program, rng: np.random.Generator) -> None:
    masks = [0xFFFFFFFF, 1, 0x80000000, 0x0000FFFF, 0xAAAAAAAA, 0x80000001, 0x00F0000F]
    masks = np.array([*masks, *rng.integers(1, 2**32, 25)], np.uint32)
    values = rng.integers(-(2**31), 2**31, (masks.size, 32)).astype(np.int32)
    got = functions.array(np.int32, "reductions", masks.size, 0, inputs=[masks, values]).reshape(-1, 32, 9)
    for mask, row, results in zip(masks.tolist(), values, got):
        chosen = [lane for lane in range(32) if mask >> lane & 1]
        signed, bits = [int(row[lane]) for lane in chosen], [int(row.view(np.uint32)[lane]) for lane in chosen]
        wanted = [sum(signed), min(signed), max(signed), sum(bits), min(bits), max(bits)]
        wanted += [reduce(lambda a, b: a & b, bits), reduce(lambda a, b: a | b, bits), reduce(lambda a, b: a ^ b, bits)]
        expected = [function_tables.signed(value) for value in wanted]
        for lane in range(32):
            assert results[lane].tolist() == (expected if lane in chosen else [0] * 9), (hex(mask), lane)


def test_loads_and_stores_with_cache_hints(functions: Program, rng: np.random.Generator) -> None:
    given = rng.integers(0, 256, 128).astype(np.uint8)
    got = functions.array(np.uint8, "cached", 1, 0, inputs=[given]).reshape(-1, 128)
    sizes = [1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 4, 8, 2, 4, 2, 4, 4, 8, 4, 8, 8, 16, 8, 16, 16, 16, 8, 16, 16]
    assert len(got) == len(sizes)
    for row, size in zip(got, sizes):
        np.testing.assert_array_equal(row, np.where(np.arange(128) < 4 * size, given, 0))


def test_atomic_additions_of_vectors(functions: Program) -> None:
    n = 96
    got = functions.array(np.float32, "vectors", n, 0)
    total = n * (n - 1) / 2
    np.testing.assert_array_equal(got, [2 * total, 2 * n, total, 2 * n, -total, n / 2])
