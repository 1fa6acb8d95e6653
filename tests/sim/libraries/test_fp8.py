"""8-bit floating point: every number, and rounding against the nearest of all numbers."""

from __future__ import annotations

import numpy as np
import pytest
from library_programs import Build
from results import Reader
from sim_programs import Program


@pytest.fixture(scope="module")
def fp8(build: Build) -> Program:
    return build("fp8.mu")


def table(exponent_bits: int, mantissa_bits: int) -> np.ndarray:
    """The 128 magnitudes of a format with nothing reserved."""
    bias = 2 ** (exponent_bits - 1) - 1
    code = np.arange(128)
    exponent, mantissa = code >> mantissa_bits, code & (2**mantissa_bits - 1)
    fraction = mantissa / 2**mantissa_bits
    normal = (1 + fraction) * 2.0 ** (exponent - bias)
    return np.where(exponent == 0, fraction * 2.0 ** (1 - bias), normal)


E4M3, E5M2 = table(4, 3), table(5, 2)


def nearest(x: np.ndarray, magnitudes: np.ndarray, largest: int, beyond: int, nan: int) -> np.ndarray:
    """The code of the nearest number; of two equally near, the even one; beyond the largest number, `beyond`."""
    magnitudes = magnitudes[: largest + 2]  # and the one that would come next, to round towards
    with np.errstate(invalid="ignore"):
        distance = np.abs(np.minimum(np.abs(x), magnitudes[-1])[:, None] - magnitudes)
    code = distance.argmin(1)
    tie = (code < largest + 1) & (
        distance[np.arange(x.size), code] == distance[np.arange(x.size), np.minimum(code + 1, largest + 1)]
    )
    code = np.where(tie & (code % 2 == 1), code + 1, code)
    code = np.where(code > largest, beyond, code)
    return np.where(np.isnan(x), nan, code | np.signbit(x) * 0x80).astype(np.uint8)


def test_fp8(fp8: Program, rng: np.random.Generator) -> None:
    specials = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 464, 464.0001, 480, 61440, 61439.99, 1e-300]
    middles = [(t[:-1] + t[1:]) / 2 for t in (E4M3, E5M2)]
    scattered = rng.standard_normal(4000) * 2.0 ** rng.integers(-20, 18, 4000)
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    x = np.concatenate([specials, *middles, -middles[0], scattered, halves, np.nextafter(middles[0], 0)])
    result = fp8(x.size, inputs=[x])
    assert (result.status, result.stderr) == (0, "")
    out = Reader(result.stdout)

    e4m3 = np.where(np.arange(128) == 127, np.nan, E4M3)
    e5m2 = np.where(np.arange(128) > 0x7C, np.nan, np.where(np.arange(128) == 0x7C, np.inf, E5M2))
    for values in (e4m3, e5m2, e4m3, e5m2):
        np.testing.assert_array_equal(out.take(256, np.float32), np.concatenate([values, -values]))
    saturated = np.concatenate([e4m3, -e4m3])
    np.testing.assert_array_equal(out.take(256, np.float32), saturated)
    np.testing.assert_array_equal(out.take(256, np.float32), np.full(256, 1.5 * -2 - 448))

    np.testing.assert_array_equal(out.take(x.size, np.uint8), nearest(x, E4M3, 0x7E, 0x7E, 0x7F))
    np.testing.assert_array_equal(out.take(x.size, np.uint8), nearest(x, E4M3, 0x7E, 0x7F, 0x7F))
    np.testing.assert_array_equal(out.take(x.size, np.uint8), nearest(x, E5M2, 0x7B, 0x7B, 0x7F))
    np.testing.assert_array_equal(out.take(x.size, np.uint8), nearest(x, E5M2, 0x7B, 0x7C, 0x7F))
    out.end()


def test_two_and_four_at_once_are_each_by_itself(build: Build, rng: np.random.Generator) -> None:
    count = 500
    x = rng.standard_normal(4 * count) * 2.0 ** rng.integers(-20, 18, 4 * count)
    x[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, 464, 480]
    result = build("fp8_vectors.mu")(count, inputs=[x])
    assert (result.status, result.stderr) == (0, "")
    codes = Reader(result.stdout).take(96 * count, np.uint8).reshape(count, 2, 3, 16)
    np.testing.assert_array_equal(codes[:, :, 1], codes[:, :, 0])
    np.testing.assert_array_equal(codes[:, :, 2], codes[:, :, 0])
