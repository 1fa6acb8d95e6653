"""Functions of integers and floats, each against Python's own numbers."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sim_programs import Build, Program


@pytest.fixture(scope="module", params=["-std=c++17", "-std=c++20"])
def intrinsics(build: Build, request: pytest.FixtureRequest) -> Program:
    return build("intrinsics.mu", flags=(str(request.param),))


def signed(x: int, width: int) -> int:
    x &= (1 << width) - 1
    return x - ((x >> (width - 1)) << width)


def reversed_bits(x: int, width: int) -> int:
    return int(f"{x:0{width}b}"[::-1], 2)


def byte_perm(x: int, y: int, selectors: int) -> int:
    source = struct.pack("<II", x, y)
    return int.from_bytes(bytes(source[selectors >> (4 * i) & 7] for i in range(4)), "little")


def integer_references(a: int, b: int) -> list[int]:
    wide, sa, sb = a << 32 | b, signed(a, 32), signed(b, 32)
    low24 = (1 << 24) - 1
    a_bytes, b_bytes = struct.pack("<I", a), struct.pack("<I", b)
    return [
        32 - a.bit_length(),
        64 - wide.bit_length(),
        (a & -a).bit_length(),
        (wide & -wide).bit_length(),
        bin(a).count("1"),
        bin(wide).count("1"),
        reversed_bits(a, 32),
        signed(reversed_bits(wide, 64), 64),
        byte_perm(a, b, 0x7214),
        byte_perm(a, b, 0x8F09),
        ((b << 32 | a) << 13 >> 32) & 0xFFFFFFFF,
        ((b << 32 | a) >> 13) & 0xFFFFFFFF,
        ((b << 32 | a) << 13 >> 32) & 0xFFFFFFFF,
        a,
        ((b << 32 | a) >> 13) & 0xFFFFFFFF,
        b,
        signed(sum(x * y for x, y in zip(struct.unpack("4b", a_bytes), struct.unpack("4b", b_bytes))) + 7, 32),
        sum(x * y for x, y in zip(a_bytes, b_bytes)) + 7,
        a >> 5 & 0x1FF,
        sa * sb >> 32,
        a * b >> 32,
        signed(wide, 64) * sb >> 64,
        signed(wide * wide >> 64, 64),
        (a & low24) * (b & low24) & 0xFFFFFFFF,
        signed(signed(a, 24) * signed(b, 24), 32),
        (sa + sb) >> 1,
        (a + b) >> 1,
        (abs(a - b) + 3) & 0xFFFFFFFF,
        (abs(sa - sb) + 3) & 0xFFFFFFFF,
        max(sa, sb),
        min(sa, sb),
        max(a, b),
        min(a, b),
        signed(max(wide, 5), 64),
        max(a, b),
        sa,
        sb,
        abs(sa),
        abs(sb),
    ]


def test_integers(intrinsics: Program, rng: np.random.Generator) -> None:
    corners = np.array([0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x12345678], np.uint32)
    random = rng.integers(0, 2**32, (2, 500), dtype=np.uint32)
    a = np.concatenate([np.repeat(corners, 8), random[0]])
    b = np.concatenate([np.tile(corners, 8), random[1]])
    got = intrinsics.array(np.int64, "integers", a.size, inputs=[a, b]).reshape(-1, a.size)
    for i, (x, y) in enumerate(zip(a.tolist(), b.tolist())):
        assert got[:, i].tolist() == integer_references(x, y), (hex(x), hex(y))


def saturated(x: float, rounded: float, width: int, unsigned: bool = False, double: bool = False) -> int:
    """GPUs take the nearest integer for what is out of range; NaN gives 0, or the highest bit where 64 are involved."""
    span = 1 << width
    least, greatest = (0, span - 1) if unsigned else (-span // 2, span // 2 - 1)
    if math.isnan(x):
        lowest = span // 2 if unsigned else -span // 2
        return lowest if width == 64 or double else 0
    if math.isinf(x):
        return greatest if x > 0 else least
    return min(max(int(rounded), least), greatest)


def to_integer_references(x: float) -> list[int]:
    finite = math.isfinite(x)
    nearest, down, up = (round(x), math.floor(x), math.ceil(x)) if finite else (x, x, x)
    towards_zero = math.trunc(x) if finite else x
    return [
        saturated(x, nearest, 32),
        saturated(x, towards_zero, 32),
        saturated(x, down, 32),
        saturated(x, up, 32),
        saturated(x, nearest, 32, unsigned=True),
        saturated(x, nearest, 64),
        signed(saturated(x, towards_zero, 64, unsigned=True), 64),
        saturated(x, nearest, 32, double=True),
        saturated(x, down, 32, unsigned=True, double=True),
        saturated(x, up, 64, double=True),
        math.isnan(x) + 2 * math.isinf(x),
        math.isnan(x) + 2 * finite,
        math.copysign(1, x) < 0,
    ]


def test_floats_to_integers(intrinsics: Program, rng: np.random.Generator) -> None:
    special = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -2.5, 2**31, -(2**31), 2**32, 2**63, -(2**63), 2**64, 1e30, -1e30]
    special += [math.inf, -math.inf, math.nan, 2147483520.0, 1e-40]
    x = np.concatenate([np.array(special), rng.standard_normal(500) * 10.0 ** rng.integers(-3, 20, 500)])
    x = x.astype(np.float32)
    got = intrinsics.array(np.int64, "to_integers", x.size, inputs=[x]).reshape(-1, x.size)
    for i, value in enumerate(x.tolist()):
        assert got[:, i].tolist() == to_integer_references(value), value


def test_real_functions(intrinsics: Program, rng: np.random.Generator) -> None:
    x = rng.uniform(-5, 5, 300).astype(np.float32)
    y = rng.uniform(0.1, 10, 300).astype(np.float32)
    got = intrinsics.array(np.float64, "reals", x.size, inputs=[x, y]).reshape(-1, x.size)
    a, b = x.astype(np.float64), y.astype(np.float64)
    vector = np.vectorize
    references = [
        np.exp(a), np.log(b), np.sin(a), np.cos(a), np.tan(a), b**a, np.log2(b), np.log10(b), 10**a,
        a / b, b**-0.5, b**-0.5, b ** (-1 / 3), *[np.sin(np.pi * a), np.cos(np.pi * a)] * 2,
        np.sin(a), np.cos(a), np.sqrt(a * a + b * b + 1), vector(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)))(a),
        vector(math.erf)(a), vector(math.lgamma)(b), np.clip(a, 0, 1), a * b + 1,
        1 / b, np.sqrt(b), np.maximum(a, b), np.minimum(a, 2 * a), np.maximum(a, b), np.fmod(a, b), np.tanh(a),
        np.expm1(a), np.full(300, np.inf), np.full(300, np.pi),
    ]  # fmt: skip
    assert len(references) == len(got)
    for k, (row, reference) in enumerate(zip(got, references)):
        np.testing.assert_allclose(row, reference, rtol=2e-6, atol=1e-6, err_msg=f"function {k}")


def test_multiples_of_half_pi_are_exact(intrinsics: Program) -> None:
    x = np.arange(-8, 9, dtype=np.float32) / 2
    got = intrinsics.array(np.float64, "reals", x.size, inputs=[x, np.ones_like(x)]).reshape(-1, x.size)
    quarter = np.arange(-8, 9) % 4
    np.testing.assert_array_equal(got[13], np.array([0, 1, 0, -1])[quarter])
    np.testing.assert_array_equal(got[14], np.array([1, 0, -1, 0])[quarter])


COMPLEX: dict[str, Callable[[Any, Any], Any]] = {
    "multiply": np.multiply,
    "divide": np.divide,
    "power": np.power,
    "exp": lambda z, _: np.exp(z),
    "log": lambda z, _: np.log(z),
    "log10": lambda z, _: np.log10(z),
    "sqrt": lambda z, _: np.sqrt(z),
    "sin": lambda z, _: np.sin(z),
    "cos": lambda z, _: np.cos(z),
    "tan": lambda z, _: np.tan(z),
    "asin": lambda z, _: np.arcsin(z),
    "acos": lambda z, _: np.arccos(z),
    "atan": lambda z, _: np.arctan(z),
    "sinh": lambda z, _: np.sinh(z),
    "cosh": lambda z, _: np.cosh(z),
    "tanh": lambda z, _: np.tanh(z),
    "asinh": lambda z, _: np.arcsinh(z),
    "acosh": lambda z, _: np.arccosh(z),
    "atanh": lambda z, _: np.arctanh(z),
    "polar of abs and arg": lambda z, _: z,
    "conj / norm": lambda z, _: 1 / z,
    "mixed": lambda z, _: 2 * z + 1 - 0.5 / z,
}


@pytest.mark.parametrize(("dtype", "tolerance"), [("complex64", 2e-5), ("complex128", 1e-12)])
def test_complex_numbers(build: Build, rng: np.random.Generator, dtype: str, tolerance: float) -> None:
    n = 500
    z, w = (rng.standard_normal((2, n)) + 1j * rng.standard_normal((2, n))).astype(dtype)
    got = build("complex.mu").array(dtype, dtype, n, inputs=[z, w]).reshape(-1, n)
    assert len(got) == len(COMPLEX)
    for (name, reference), row in zip(COMPLEX.items(), got):
        expected = reference(z.astype(np.complex128), w.astype(np.complex128))
        np.testing.assert_allclose(row, expected, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("flags", [("-std=c++17",), ("-std=c++20",), ("-U__CUDA__",)])
def test_all_headers_in_one_source(build: Build, flags: tuple[str, ...]) -> None:
    """Also in a host program that says `using namespace std`, where max, abs or isnan could become ambiguous."""
    assert build("all_headers.mu", flags=flags)().text == "3 2.5 4 1 1\n"
