"""Products by wmma fragments against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from sim_programs import Build, Program

CASES = {
    "half": (np.float16, np.float32, "C", "C"),
    "half by columns": (np.float16, np.float32, "F", "F"),
    "half in half": (np.float16, np.float16, "C", "F"),
    "bfloat16": (np.uint16, np.float32, "C", "F"),
    "tall": (np.float16, np.float32, "C", "F"),
    "wide": (np.uint16, np.float32, "F", "C"),
    "char": (np.int8, np.int32, "C", "F"),
    "unsigned char": (np.uint8, np.int32, "F", "C"),
    "tf32": (np.float32, np.float32, "C", "F"),
    "double": (np.float64, np.float64, "C", "C"),
}


CHECKED = pytest.param(("--sim-check=memory,race,init,sync",), marks=pytest.mark.slow, id="checked")


@pytest.fixture(scope="module", params=[pytest.param((), id="unchecked"), CHECKED])
def wmma(build: Build, request: pytest.FixtureRequest) -> Program:
    return build("wmma.mu", flags=request.param)


def values(rng: np.random.Generator, dtype: type[np.generic], *shape: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix as the program gets it, and its numbers; as integers of 16 bits it is bfloat16."""
    if np.issubdtype(dtype, np.integer) and dtype is not np.uint16:
        range_ = np.iinfo(dtype)
        integers = rng.integers(max(range_.min, -1000), min(range_.max, 1000), shape, dtype, endpoint=True)
        return integers, integers.astype(np.float64)
    numbers = rng.standard_normal(shape).astype(np.float64 if dtype is np.float64 else np.float32)
    if dtype is not np.uint16:
        return numbers.astype(dtype), numbers.astype(dtype).astype(np.float64)
    bits = numbers.view(np.uint32) >> 16
    return bits.astype(np.uint16), (bits << 16).view(np.float32).astype(np.float64)


@pytest.mark.parametrize("environment", [{}, {"MUSA_SIM_WARP": "128"}, {"MUSA_SIM_FIBERS": "1"}], ids=str)
@pytest.mark.parametrize("case", CASES)
def test_product(wmma: Program, rng: np.random.Generator, case: str, environment: dict[str, str]) -> None:
    dtype, dtype_out, order_a, order_b = CASES[case]
    m, n, k = 64, 32, 48
    a, wide_a = values(rng, dtype, m, k)
    b, wide_b = values(rng, dtype, k, n)
    c, wide_c = values(rng, dtype_out, m, n)
    if case == "tf32":
        wide_a, wide_b = ((x.view(np.uint32) & 0xFFFFE000).view(np.float32).astype(np.float64) for x in (a, b))
    inputs = [np.frombuffer(a.tobytes(order_a), dtype), np.frombuffer(b.tobytes(order_b), dtype), c]
    result = wmma(case, m, n, k, inputs=inputs, env=environment)
    assert (result.status, result.stderr) == (0, "")
    found = np.frombuffer(result.stdout, dtype_out).reshape(m, n)
    expected = 2 * (wide_a @ wide_b) + wide_c
    error = {np.float16: 1e-2, np.float32: 1e-5, np.int32: 0, np.float64: 1e-14}[dtype_out]
    np.testing.assert_allclose(found, expected, rtol=0, atol=error * np.abs(expected).max())


@pytest.fixture(scope="module")
def wmma_words(build: Build) -> Program:
    return build("wmma_words.mu")


def _numbers(bits: np.ndarray, kind: str) -> np.ndarray:
    """Return the elements in words of 32 bits."""
    size = int(kind[1])
    shifts = np.arange(0, 32, size, dtype=np.uint32)
    elements = (bits[..., None] >> shifts & ((1 << size) - 1)).astype(np.int64)
    if kind[0] == "s":
        elements -= (elements >= 8) * 16
    return elements.reshape(len(bits), -1)


@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("kind", ["u4", "s4", "b1"])
def test_product_of_parts_of_bytes(wmma_words: Program, rng: np.random.Generator, kind: str, mode: int) -> None:
    """For integers of four bits `mode` limits sums; for bits it is AND in place of XOR."""
    m, n, k = 24, 16, 256
    words = k // (32 // int(kind[1]))
    a, b = (rng.integers(0, 1 << 32, (lines, words), np.uint32) for lines in (m, n))
    c = rng.integers(-1000, 1000, (m, n), np.int32)
    c[0], c[1] = 2**31 - 1, -(2**31)
    result = wmma_words(kind, mode, m, n, k, inputs=[a, b, c])
    assert (result.status, result.stderr) == (0, "")
    x, y = _numbers(a, kind), _numbers(b, kind)
    # the sums of each tile are added to what the earlier ones left
    found, tile = c.astype(np.int64), 128 if kind == "b1" else 32
    for at in range(0, k, tile):
        left, right = x[:, at : at + tile], y[:, at : at + tile]
        both = left @ right.T
        ones = left.sum(1)[:, None] + right.sum(1)[None]
        found += both if kind != "b1" or mode else ones - 2 * both
        found = np.clip(found, -(2**31), 2**31 - 1) if mode and kind != "b1" else (found + 2**31) % 2**32 - 2**31
    np.testing.assert_array_equal(np.frombuffer(result.stdout, np.int32).reshape(m, n), found)


@pytest.mark.parametrize("environment", [{}, {"MUSA_SIM_FIBERS": "1"}], ids=str)
def test_all_lanes_have_to_come(build: Build, environment: dict[str, str]) -> None:
    program = build("part_of_a_warp.mu")
    whole, part = (program(threads, env=environment) for threads in (32, 16))
    assert (whole.stdout, whole.stderr) == (b"1 4", "")
    assert part.stdout == b"0 0" and "16 lanes are at one, of 32 that have to come to it" in part.stderr
