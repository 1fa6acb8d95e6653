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
    inputs = [np.frombuffer(a.tobytes(order_a), dtype), np.frombuffer(b.tobytes(order_b), dtype), c]
    result = wmma(case, m, n, k, inputs=inputs, env=environment)
    assert (result.status, result.stderr) == (0, "")
    found = np.frombuffer(result.stdout, dtype_out).reshape(m, n)
    expected = 2 * (wide_a @ wide_b) + wide_c
    error = {np.float16: 1e-2, np.float32: 1e-5, np.int32: 0, np.float64: 1e-14}[dtype_out]
    np.testing.assert_allclose(found, expected, rtol=0, atol=error * np.abs(expected).max())
