"""half and bfloat16, bit for bit.

The references know nothing of the implementation: NumPy's float16 for half, and exact rational arithmetic with a
search over all representable values for bfloat16 and for directed rounding.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sim_programs import Build, Program

ALL_BITS = np.arange(65536, dtype=np.uint16)


@pytest.fixture(scope="module")
def float16(build: Build) -> Program:
    return build("float16.mu")


@pytest.fixture(params=["device", "host"])
def side(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def values(kind: str, bits: np.ndarray) -> np.ndarray:
    """Return the values of the 16-bit patterns, as float64."""
    if kind == "half":
        return bits.view(np.float16).astype(np.float64)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def finite_values(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return all finite values of the format in ascending order, and their bits; +0 represents both zeros."""
    exact = values(kind, ALL_BITS)
    keep = np.isfinite(exact) & (ALL_BITS != 0x8000)
    order = np.argsort(exact[keep], kind="stable")
    return exact[keep][order], ALL_BITS[keep][order]


def round_to(kind: str, x: np.ndarray, mode: str) -> np.ndarray:
    """Bits of x (float64, finite) in the format: found by searching the format's values, not by shifting bits."""
    table, bits = finite_values(kind)
    high = np.searchsorted(table, x)  # first value >= x
    low = np.where((high < table.size) & (table[np.minimum(high, table.size - 1)] == x), high, high - 1)
    greatest = table[-1]
    step = table[-1] - table[-2]

    def pick(index: np.ndarray) -> np.ndarray:
        inside = bits[np.clip(index, 0, bits.size - 1)]
        infinity = 0x7C00 if kind == "half" else 0x7F80
        return np.where(index < 0, infinity | 0x8000, np.where(index >= bits.size, infinity, inside))

    if mode == "up":
        result = pick(high)
    elif mode == "down":
        result = pick(low)
    elif mode == "zero":
        result = np.where(x > 0, pick(low), pick(high))
    else:
        extended = np.concatenate([[-greatest - step], table, [greatest + step]])
        below, above = x - extended[low + 1], extended[high + 1] - x
        even = (pick(high) & 1) == 0
        result = np.where((above < below) | ((above == below) & even), pick(high), pick(low))
    zero = values(kind, result.astype(np.uint16)) == 0
    return np.where(zero & np.signbit(x), 0x8000, np.where(zero, 0, result)).astype(np.uint16)


def interesting_floats(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Random bit patterns, the format's values, the midpoints between neighbours and their surroundings."""
    table, _ = finite_values(kind)
    midpoints = ((table[1:] + table[:-1]) / 2).astype(np.float32)
    near = np.concatenate([np.nextafter(midpoints, np.float32(s)) for s in (-np.inf, np.inf)])
    random = rng.integers(0, 2**32, 100_000, dtype=np.uint32).view(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 65519, 65520, 65536, -65520, 1e38, 1e-45], np.float32)
    return np.concatenate([table.astype(np.float32), midpoints, near, random, special])


def assert_same(kind: str, got: np.ndarray, expected: np.ndarray) -> None:
    """Equal bits, except that all NaNs are one."""
    nan = np.isnan(values(kind, expected))
    np.testing.assert_array_equal(np.isnan(values(kind, got)), nan)
    np.testing.assert_array_equal(got[~nan], expected[~nan])


@pytest.mark.parametrize("kind", ["half", "bfloat16"])
def test_every_pattern_to_float(float16: Program, kind: str, side: str) -> None:
    got = float16.array(np.float32, kind, "widen", ALL_BITS.size, side, inputs=[ALL_BITS])
    with np.errstate(invalid="ignore"):
        expected = values(kind, ALL_BITS).astype(np.float32)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))


@pytest.mark.parametrize("kind", ["half", "bfloat16"])
def test_rounding_from_float(float16: Program, rng: np.random.Generator, kind: str, side: str) -> None:
    x = interesting_floats(kind, rng)
    got = float16.array(np.uint16, kind, "rounded", x.size, side, inputs=[x]).reshape(4, -1)
    if kind == "half":
        with np.errstate(over="ignore"):
            assert_same(kind, got[0], x.astype(np.float16).view(np.uint16))
    finite = np.isfinite(x)
    for row, mode in zip(got, ("nearest", "zero", "up", "down")):
        assert_same(kind, row[finite], round_to(kind, x[finite].astype(np.float64), mode))
        np.testing.assert_array_equal(values(kind, row[np.isinf(x)]), x[np.isinf(x)])
        assert np.isnan(values(kind, row[np.isnan(x)])).all()


@pytest.mark.parametrize("kind", ["half", "bfloat16"])
def test_every_rounding_of_integers(float16: Program, rng: np.random.Generator, kind: str, side: str) -> None:
    x = rng.integers(-(2**31), 2**31, 20_000, dtype=np.int32) >> rng.integers(0, 31, 20_000).astype(np.int32)
    edges = [0, 1, -1, 2049, -2051, 65504, 65519, 65520, -65520, 2**31 - 1, -(2**31)]
    x = np.concatenate([x, np.array(edges, np.int32)])
    got = float16.array(np.uint16, kind, "rounded_int32", x.size, side, inputs=[x]).reshape(4, -1)
    for row, mode in zip(got, ("nearest", "zero", "up", "down")):
        assert_same(kind, row, round_to(kind, x.astype(np.float64), mode))


ROUNDINGS = {"nearest": np.rint, "zero": np.trunc, "up": np.ceil, "down": np.floor}


def to_integer(whole: np.ndarray, dtype: str) -> np.ndarray:
    """Integral float64s in a type, limited to its range, extended to 64 bits; CUDA's number for NaN."""
    limits = np.iinfo(dtype)
    is_nan, is_high, is_low = np.isnan(whole), whole >= float(limits.max), whole <= float(limits.min)
    inside = np.where(is_nan | is_high | is_low, 0, whole)
    inside = inside.astype(np.uint64 if dtype == "uint64" else np.int64).view(np.uint64)
    result = np.where(is_high, np.uint64(limits.max), np.where(is_low, np.uint64(limits.min & 2**64 - 1), inside))
    return np.where(is_nan, np.uint64(2**63 if limits.bits == 64 else 0), result)


@pytest.mark.parametrize("kind", ["half", "bfloat16"])
def test_every_pattern_to_every_integer(float16: Program, kind: str, side: str) -> None:
    got = iter(float16.array(np.uint64, kind, "to_integers", ALL_BITS.size, side, inputs=[ALL_BITS]).reshape(26, -1))
    exact = values(kind, ALL_BITS)
    for dtype in ("int16", "uint16", "int32", "uint32", "int64", "uint64"):
        for name, rounded in ROUNDINGS.items():
            np.testing.assert_array_equal(next(got), to_integer(rounded(exact), dtype), f"{dtype} {name}")
    for dtype in ("int8", "uint8"):
        np.testing.assert_array_equal(next(got), to_integer(np.trunc(exact), dtype), dtype)


@pytest.mark.parametrize("kind", ["half", "bfloat16"])
@pytest.mark.parametrize("dtype", ["int16", "uint16", "uint32", "int64", "uint64"])
def test_every_integer_in_every_rounding(
    float16: Program, rng: np.random.Generator, kind: str, dtype: str, side: str
) -> None:
    limits = np.iinfo(dtype)
    x = np.arange(limits.min, limits.max + 1).astype(dtype) if limits.bits == 16 else some_integers(dtype, rng)
    got = float16.array(np.uint16, kind, f"of_{dtype}", x.size, side, inputs=[x]).reshape(4, -1)
    # Integers of 64 bits as the doubles next to them, in the direction away from the values of the format.
    exact, nearest = x.astype(np.longdouble), x.astype(np.float64)
    lost = exact - nearest.astype(np.longdouble)
    table, _ = finite_values(kind)
    decides = np.isin(nearest, np.concatenate([table, (table[1:] + table[:-1]) / 2])) & (lost != 0)
    exact = np.where(decides, np.nextafter(nearest, np.where(lost > 0, np.inf, -np.inf)), nearest)
    for row, mode in zip(got, ROUNDINGS):
        assert_same(kind, row, round_to(kind, exact, mode))


def some_integers(dtype: str, rng: np.random.Generator) -> np.ndarray:
    limits = np.iinfo(dtype)
    random = rng.integers(limits.min, limits.max, 20_000, dtype=dtype, endpoint=True)
    shifts = rng.integers(0, limits.bits - 1, 20_000).astype(dtype)
    powers = [sign * (2**i + d) for i in range(limits.bits) for d in (-1, 0, 1) for sign in (1, -1)]
    edges = [x for x in (*powers, 65504, 65519, 65520) if limits.min <= x <= limits.max]
    return np.concatenate([random >> shifts, np.array(edges, dtype)])


def test_every_name_of_cudas_headers_is_there(sim_sdk_root: Path, tmp_path: Path) -> None:
    """The names of all functions of cuda_fp16.h and cuda_bf16.h of CUDA 13.0."""
    source = tmp_path / "names.mu"
    source.write_text("#include <musa_bf16.h>\n")
    command = [str(sim_sdk_root / "bin/mcc"), "-E", str(source)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    there = set(re.findall(r"\w+", text))
    names = Path(__file__).with_name("float16_names.txt").read_text().split()
    assert len(names) > 280
    assert [name for name in names if name not in there] == []


@pytest.mark.parametrize("kind", ["half", "bfloat16"])
def test_rounding_from_double_is_done_once(float16: Program, rng: np.random.Generator, kind: str, side: str) -> None:
    table, _ = finite_values(kind)
    midpoints = (table[1:] + table[:-1]) / 2
    x = np.concatenate([midpoints, np.nextafter(midpoints, np.inf), np.nextafter(midpoints, -np.inf)])
    x = np.concatenate([x, rng.standard_normal(10_000) * 10.0 ** rng.integers(-40, 40, 10_000), [5e-324, 1e308]])
    got = float16.array(np.uint16, kind, "narrow_double", x.size, side, inputs=[x])
    assert_same(kind, got, round_to(kind, x, "nearest"))


@pytest.mark.parametrize("kind", ["half", "bfloat16"])
@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_rounding_from_integers(float16: Program, rng: np.random.Generator, kind: str, dtype: str, side: str) -> None:
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, 20_000, dtype=dtype, endpoint=True) >> rng.integers(0, 63, 20_000).astype(
        dtype
    )
    # ties of the 16-bit format that a detour over double would round the wrong way
    tie = (1 << 62) + (1 << 54 if kind == "bfloat16" else 0)
    x = np.concatenate([x, np.array([0, 1, 2049, 2051, tie, tie + 1, tie - 1, limits.max, limits.min], dtype)])
    got = float16.array(np.uint16, kind, f"narrow_{dtype}", x.size, side, inputs=[x])
    exact = x.astype(np.longdouble)  # 64 bits of significand: exact
    nearest = exact.astype(np.float64)
    lost = exact != nearest.astype(np.longdouble)
    # a double that errs on the side of the exact value, so that searching by it finds the same neighbours
    toward = np.where(exact > nearest.astype(np.longdouble), np.inf, -np.inf)
    table, _ = finite_values(kind)
    is_tie = np.isin(nearest, (table[1:] + table[:-1]) / 2)
    assert_same(kind, got, round_to(kind, np.where(lost & is_tie, np.nextafter(nearest, toward), nearest), "nearest"))


def test_arithmetic_of_half(float16: Program, rng: np.random.Generator, side: str) -> None:
    n = 100_000
    a, b, c = rng.integers(0, 65536, (3, n), dtype=np.uint16)
    got = float16.array(np.uint16, "half", "arithmetic", n, side, inputs=[a, b, c]).reshape(-1, n)
    x, y, z = a.view(np.float16), b.view(np.float16), c.view(np.float16)
    with np.errstate(all="ignore"):
        total = x + y
        clipped = np.where(np.isnan(total), np.float16(0), np.clip(total, np.float16(0), np.float16(1)))
        for row, reference in zip(got, [total, x - y, x * y, x / y]):
            assert_same("half", row, reference.view(np.uint16))
        for row, reference in zip(got[5:], [-x, abs(x), np.sqrt(x)]):
            assert_same("half", row, reference.view(np.uint16))
        # NumPy has no fused operation. The sum is exact in double but for a part far below half's last bit.
        fused = x.astype(np.float64) * y.astype(np.float64) + z.astype(np.float64)
        finite = np.isfinite(fused)
        assert_same("half", got[4][finite], round_to("half", fused[finite], "nearest"))
        np.testing.assert_array_equal(values("half", got[4][~finite]), fused[~finite])
        np.testing.assert_array_equal(values("half", got[8]), np.fmax(x, y))
        np.testing.assert_array_equal(values("half", got[9]), np.fmin(x, y))
        assert_same("half", got[11], (total * z).view(np.uint16))
        np.testing.assert_array_equal(values("half", got[12]), clipped)
    assert_comparisons(got[10], x, y)


def test_arithmetic_of_bfloat16(float16: Program, rng: np.random.Generator, side: str) -> None:
    n = 50_000
    # moderate exponents, so that every exact result is a double
    a, b, c = (rng.standard_normal((3, n)) * 2.0 ** rng.integers(-10, 10, (3, n))).astype(np.float32).view(
        np.uint32
    ) >> 16
    a, b, c = a.astype(np.uint16), b.astype(np.uint16), c.astype(np.uint16)
    got = float16.array(np.uint16, "bfloat16", "arithmetic", n, side, inputs=[a, b, c]).reshape(-1, n)
    x, y, z = (values("bfloat16", v) for v in (a, b, c))
    for row, reference in zip(got, [x + y, x - y, x * y, x / y, x * y + z, -x, abs(x)]):
        assert_same("bfloat16", row, round_to("bfloat16", reference, "nearest"))
    positive = x >= 0
    assert_same("bfloat16", got[7][positive], round_to("bfloat16", np.sqrt(x[positive]), "nearest"))
    assert np.isnan(values("bfloat16", got[7][~positive])).all()
    np.testing.assert_array_equal(values("bfloat16", got[8]), np.maximum(x, y))
    assert_comparisons(got[10], x, y)


def test_fused_multiply_add_rounds_once(float16: Program, side: str) -> None:
    """A tie of bfloat16 that the smallest addend decides: no rounding to double may come between."""
    tie = (1 + 2**-7) * 1.5
    a, b = (round_to("bfloat16", np.full(4, v), "nearest") for v in (1 + 2**-7, 1.5))
    addends = np.array([2.0**-100, -(2.0**-100), 2.0**-126, 0.0])
    c = round_to("bfloat16", addends, "nearest")
    got = float16.array(np.uint16, "bfloat16", "arithmetic", 4, side, inputs=[a, b, c]).reshape(-1, 4)
    above, below, even = tie + 2**-8, tie - 2**-8, tie + 2**-8  # 1.515625 has an even last bit, 1.5078125 an odd one
    np.testing.assert_array_equal(values("bfloat16", got[4]), [above, below, above, even])


@pytest.mark.parametrize("kind", ["half", "bfloat16"])
def test_shuffles_move_bits(float16: Program, kind: str) -> None:
    bits = np.random.default_rng(5).permutation(ALL_BITS)[:32]  # NaNs among them: nothing may change them
    xored, down, up = float16.array(np.uint16, kind, "shuffle", 32, "device", inputs=[bits]).reshape(3, 32)
    lanes = np.arange(32)
    np.testing.assert_array_equal(xored, bits[lanes ^ 5])
    np.testing.assert_array_equal(down, bits[np.minimum(lanes + 1, 31)])
    np.testing.assert_array_equal(up, bits[np.maximum(lanes - 1, 0)])


@pytest.mark.parametrize("kind", ["half", "bfloat16"])
def test_shuffles_without_masks(build: Build, kind: str) -> None:
    bits = np.random.default_rng(5).permutation(ALL_BITS)[:32]
    found = build("shuffles_without_masks.mu").array(np.uint16, kind, inputs=[bits]).reshape(4, 32)
    lanes = np.arange(32)
    np.testing.assert_array_equal(found[0], bits[np.where(lanes < 2, lanes, lanes - 2)])
    np.testing.assert_array_equal(found[1], bits[np.where(lanes > 28, lanes, lanes + 3)])
    np.testing.assert_array_equal(found[2], bits[lanes ^ 9])
    np.testing.assert_array_equal(found[3], bits[(lanes + 7) % 32])


@pytest.mark.parametrize("kind", ["half", "bfloat16"])
def test_functions_of_pairs(float16: Program, rng: np.random.Generator, kind: str) -> None:
    n = 20_000
    a, b = rng.integers(0, 65536, (2, n), dtype=np.uint16)
    b[:100] = a[:100]
    wrong, exp10 = float16.array(np.uint16, kind, "pairs", n, inputs=[a, b]).reshape(2, n)
    assert set(wrong.tolist()) == {0}, "the numbers count the comparisons in the program"
    with np.errstate(all="ignore"):
        expected = (10.0 ** values(kind, a)).astype(np.float32).astype(np.float64)
    normal = (expected > 1e-4) & (expected < 6e4)
    np.testing.assert_allclose(
        values(kind, exp10[normal]), expected[normal], rtol=2**-8 if kind == "bfloat16" else 2**-10
    )


def assert_comparisons(got: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    flags = [x == y, x != y, x < y, x <= y, x > y, x >= y, (x < y) | (x > y), ~(x >= y), np.isnan(x)]
    expected = sum(flag.astype(int) << bit for bit, flag in enumerate(flags))
    infinite = np.where(np.isposinf(x), 2, np.where(np.isneginf(x), 0, 1))
    np.testing.assert_array_equal(got, expected + (infinite << 9))
