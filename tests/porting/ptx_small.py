"""Conversions of PTX from and to numbers of 8, 6 and 4 bits, exactly: by a list of all numbers that a type has."""

from __future__ import annotations

import math
import struct
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache
from typing import Union

#: Type -> (bits of the exponent, of the fraction, the highest finite code, the code of infinity, that of a NaN).
TYPES = {
    "e5m2": (5, 2, 0x7B, 0x7C, 0x7F),
    "e4m3": (4, 3, 0x7E, -1, 0x7F),
    "e3m2": (3, 2, 0x1F, -1, 0x1F),
    "e2m3": (2, 3, 0x1F, -1, 0x1F),
    "e2m1": (2, 1, 0x7, -1, 0x7),
}


@cache
def sizes(name: str) -> list[float]:
    """The finite numbers that are not negative, by code."""
    exponent_bits, fraction_bits, highest, _, _ = TYPES[name]
    bias, one = 2 ** (exponent_bits - 1) - 1, 1 << fraction_bits
    return [
        math.ldexp(code % one + (one if code >= one else 0), max(code // one, 1) - bias - fraction_bits)
        for code in range(highest + 1)
    ]


def number(name: str, code: int) -> float:
    """The number that a code means."""
    exponent_bits, fraction_bits, highest, infinity, _ = TYPES[name]
    sign = 1 << exponent_bits + fraction_bits
    size = code & sign - 1
    value = sizes(name)[size] if size <= highest else math.inf if size == infinity else math.nan
    return -value if code & sign else value


def code(name: str, value: float) -> int:
    """The code of the nearest finite number; between two, the even one."""
    exponent_bits, fraction_bits, highest, _, nan = TYPES[name]
    if math.isnan(value):
        return nan
    sign = 1 << exponent_bits + fraction_bits if math.copysign(1, value) < 0 else 0
    known, size = sizes(name), abs(value)
    if size >= known[-1]:
        return sign | highest
    above = bisect_left(known, size)
    if known[above] == size:
        return sign | above
    below, down, up = above - 1, size - known[above - 1], known[above] - size
    return sign | (below if down < up or (down == up and below % 2 == 0) else above)


def _half(value: float) -> int:
    """A half's bits; every small number has them."""
    return 0x7FFF if math.isnan(value) else int.from_bytes(struct.pack("<e", value), "little")


def _of_half(bits: int) -> float:
    return float(struct.unpack("<e", (bits & 0xFFFF).to_bytes(2, "little"))[0])


def _of_float(bits: int) -> float:
    return float(struct.unpack("<f", bits.to_bytes(4, "little"))[0])


def _relu(value: float) -> float:
    return 0.0 if value <= 0 else value


#: Template, outputs, inputs, outputs from inputs.
Small = tuple[str, str, str, Callable[..., Union[int, tuple[int, ...]]]]


def instructions() -> Iterator[Small]:
    """All of them. Registers of 8 bits are declared in the statement."""
    for name in TYPES:
        bits = 4 if name == "e2m1" else 8
        for relu, then in (("", lambda x: x), (".relu", _relu)):

            def joined(
                low: float, high: float, name: str = name, bits: int = bits, then: Callable[[float], float] = then
            ) -> int:
                return code(name, then(low)) | code(name, then(high)) << bits

            def halves(codes: int, name: str = name, bits: int = bits, then: Callable[[float], float] = then) -> int:
                parts = [number(name, codes >> shift & (1 << bits) - 1) for shift in (0, bits)]
                return _half(then(parts[0])) | _half(then(parts[1])) << 16

            into, back = f"cvt.rn.satfinite{relu}.{name}x2", f"cvt.rn{relu}.f16x2.{name}x2"
            if bits == 8:
                yield f"{into}.f32 %0, %1, %2;", "h", "ff", lambda a, b, f=joined: f(_of_float(b), _of_float(a))
                six = "and.b16 c, %1, 0x3f3f; " if name in ("e3m2", "e2m3") else "mov.b16 c, %1; "
                mask = 0x3F3F if name in ("e3m2", "e2m3") else 0xFFFF
                yield f"{{ .reg .b16 c; {six}{back} %0, c; }}", "r", "h", lambda a, f=halves, mask=mask: f(a & mask)
            else:
                yield (
                    f"{{ .reg .b8 c, z; mov.b16 {{z, c}}, 0; {into}.f32 c, %1, %2; mov.b16 %0, {{c, z}}; }}",
                    "h",
                    "ff",
                    lambda a, b, f=joined: f(_of_float(b), _of_float(a)),
                )
                yield (
                    f"{{ .reg .b8 c, e; mov.b16 {{c, e}}, %2; {back} %0, c; {back} %1, e; }}",
                    "rr",
                    "h",
                    lambda a, f=halves: (f(a & 0xFF), f(a >> 8)),
                )
            if name in ("e5m2", "e4m3"):
                yield f"{into}.f16x2 %0, %1;", "h", "r", lambda a, f=joined: f(_of_half(a), _of_half(a >> 16))
