"""The results of device functions, in exact arithmetic: one row per function, from which the program is made too.

A row is the C++ expression and a function of the operands. C++ has them as x, y and z, of the type that the row's page
says; Python as ints, floats or doubles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

Reference = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True)
class Page:
    """Functions of operands of one type."""

    type: str  # in C++
    dtype: str
    rows: dict[str, Reference]

    def cases(self) -> str:
        """The body of a switch over the functions."""
        return "".join(f"case {number}: return bits({row});\n" for number, row in enumerate(self.rows))


def signed(x: int, width: int = 32) -> int:
    x &= (1 << width) - 1
    return x - ((x >> (width - 1)) << width)


# --- words of several lanes

LaneFunction = Callable[..., int]


def lanes(word: int, width: int, is_signed: bool) -> list[int]:
    found = [word >> at & ((1 << width) - 1) for at in range(0, 32, width)]
    return [signed(lane, width) for lane in found] if is_signed else found


def lanewise(width: int, is_signed: bool, function: LaneFunction, count: int) -> Reference:
    def reference(*words: int) -> int:
        columns = zip(*(lanes(word, width, is_signed) for word in words[:count]))
        results = [function(*column) & ((1 << width) - 1) for column in columns]
        return sum(result << (width * lane) for lane, result in enumerate(results))

    return reference


def saturated(value: int, width: int, is_signed: bool) -> int:
    least = -(1 << (width - 1)) if is_signed else 0
    return min(max(value, least), least + (1 << width) - 1)


def half_away(total: int) -> int:
    """Half of it, rounded to nearest, and 0.5 away from zero."""
    return (total + 1) // 2 if total >= 0 else -((1 - total) // 2)


def sum_of_distances(width: int, is_signed: bool) -> Reference:
    return lambda x, y, z: sum(abs(a - b) for a, b in zip(lanes(x, width, is_signed), lanes(y, width, is_signed)))


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "ge": int.__ge__,
    "gt": int.__gt__,
    "le": int.__le__,
    "lt": int.__lt__,
}


def video_rows(n: int, width: int) -> Iterator[tuple[str, Reference]]:
    """The functions of n lanes of `width` bits: __vadd2, __vadd4 and so on."""

    def one(name: str, is_signed: bool, function: LaneFunction) -> tuple[str, Reference]:
        return f"__v{name}{n}(x)", lanewise(width, is_signed, function, 1)

    def two(name: str, is_signed: bool, function: LaneFunction) -> tuple[str, Reference]:
        return f"__v{name}{n}(x, y)", lanewise(width, is_signed, function, 2)

    def clip(is_signed: bool, function: LaneFunction) -> LaneFunction:
        return lambda *values: saturated(function(*values), width, is_signed)

    def comparison(name: str, is_signed: bool, compare: Callable[[int, int], bool]) -> Iterator[tuple[str, Reference]]:
        yield two(f"cmp{name}", is_signed, lambda a, b: -int(compare(a, b)))
        yield two(f"set{name}", is_signed, lambda a, b: int(compare(a, b)))

    yield one("abs", True, abs)
    yield one("absss", True, clip(True, abs))
    yield one("neg", True, int.__neg__)
    yield one("negss", True, clip(True, int.__neg__))
    for name, function in (("add", int.__add__), ("sub", int.__sub__)):
        yield two(name, False, function)
        yield two(f"{name}ss", True, clip(True, function))
        yield two(f"{name}us", False, clip(False, function))
    yield two("avgs", True, lambda a, b: half_away(a + b))
    yield two("avgu", False, lambda a, b: half_away(a + b))
    yield two("haddu", False, lambda a, b: (a + b) // 2)
    for letter, is_signed in (("s", True), ("u", False)):
        yield two(f"absdiff{letter}", is_signed, lambda a, b: abs(a - b))
        yield two(f"max{letter}", is_signed, max)
        yield two(f"min{letter}", is_signed, min)
        yield f"__vsad{letter}{n}(x, y)", sum_of_distances(width, is_signed)
        for name, compare in COMPARISONS.items():
            yield from comparison(f"{name}{letter}", is_signed, compare)
    yield from comparison("eq", False, int.__eq__)
    yield from comparison("ne", False, int.__ne__)


def extrema_rows() -> Iterator[tuple[str, Reference]]:
    """The functions of two 16-bit lanes: __viaddmax_s16x2 and so on."""
    for (suffix, width, is_signed), (which, of) in product(
        [("s16x2", 16, True), ("u16x2", 16, False), ("s32", 32, True), ("u32", 32, False)],
        [("max", max), ("min", min)],
    ):

        def wrapped(value: int, width: int = width, is_signed: bool = is_signed) -> int:
            return signed(value, width) if is_signed else value & ((1 << width) - 1)

        def added(a: int, b: int, c: int, of: Any = of, wrapped: Any = wrapped) -> int:
            return int(of(wrapped(a + b), c))

        cast = "(int)" if suffix == "s32" else ""
        x, y, z = (f"{cast}{name}" for name in "xyz")
        functions: dict[str, tuple[LaneFunction, int]] = {
            f"__vi{which}3_{suffix}": (of, 3),
            f"__viadd{which}_{suffix}": (added, 3),
        }
        if is_signed:
            functions[f"__vi{which}_{suffix}_relu"] = (lambda a, b, of=of: max(of(a, b), 0), 2)
            functions[f"__vi{which}3_{suffix}_relu"] = (lambda a, b, c, of=of: max(of(a, b, c), 0), 3)
            functions[f"__viadd{which}_{suffix}_relu"] = (lambda a, b, c, added=added: max(added(a, b, c), 0), 3)
        for name, (function, count) in functions.items():
            arguments = ", ".join((x, y, z)[:count])
            yield f"(unsigned){name}({arguments})", lanewise(width, is_signed, function, count)

        def chosen(a: int, b: int, z: int, of: Any = of, width: int = width, is_signed: bool = is_signed) -> int:
            pairs = list(zip(lanes(a, width, is_signed), lanes(b, width, is_signed)))
            flags = sum((of(p, q) == p) << lane for lane, (p, q) in enumerate(pairs))
            return lanewise(width, is_signed, of, 2)(a, b) | flags << 32

        yield f"with_flags(__vib{which}_{suffix}, {x}, {y})", chosen


def dot(x_width: int, y_width: int, first: int, count: int, is_signed: bool) -> Reference:
    def reference(x: int, y: int, z: int) -> int:
        terms = zip(lanes(x, x_width, is_signed)[:count], lanes(y, y_width, is_signed)[first : first + count])
        return (z + sum(a * b for a, b in terms)) & 0xFFFFFFFF

    return reference


def find_nth_set(mask: int, base: int, offset: int) -> int:
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    bits = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [bit for bit in bits if mask >> bit & 1]
    return found[abs(offset) - 1] if abs(offset) <= len(found) else 0xFFFFFFFF


def word_rows() -> Iterator[tuple[str, Reference]]:
    yield from video_rows(2, 16)
    yield from video_rows(4, 8)
    yield from extrema_rows()
    yield "(unsigned)__rhadd((int)x, (int)y)", lambda x, y, z: (signed(x) + signed(y) + 1 >> 1) & 0xFFFFFFFF
    yield "__urhadd(x, y)", lambda x, y, z: x + y + 1 >> 1
    for name, first in (("lo", 0), ("hi", 2)):
        yield f"(unsigned)__dp2a_{name}((int)x, (int)y, (int)z)", dot(16, 8, first, 2, True)
        yield f"__dp2a_{name}(x, y, z)", dot(16, 8, first, 2, False)
        yield f"(unsigned)__dp2a_{name}(as<short2>(x), as<char4>(y), (int)z)", dot(16, 8, first, 2, True)
        yield f"__dp2a_{name}(as<ushort2>(x), as<uchar4>(y), z)", dot(16, 8, first, 2, False)
    yield "(unsigned)__dp4a(as<char4>(x), as<char4>(y), (int)z)", dot(8, 8, 0, 4, True)
    yield "__dp4a(as<uchar4>(x), as<uchar4>(y), z)", dot(8, 8, 0, 4, False)
    yield "__fns(x, y & 31, (int)(z & 31) - 16)", lambda x, y, z: find_nth_set(x, y & 31, (z & 31) - 16)


# --- directed rounding


@dataclass(frozen=True)
class Format:
    name: str
    digits: int
    lowest: int  # the exponent of the least number
    highest: int  # that of the last bit of the greatest

    @property
    def greatest(self) -> float:
        return math.ldexp((1 << self.digits) - 1, self.highest)

    def rounded(self, value: Fraction, towards: str, negative_zero: bool = False) -> float:
        """The neighbour of an exact value in one direction."""
        if value == 0:
            return -0.0 if negative_zero else 0.0
        magnitude = abs(value)
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        exponent -= magnitude < Fraction(2) ** exponent
        last = max(exponent - self.digits + 1, self.lowest)
        mantissa, rest = divmod(magnitude, Fraction(2) ** last)
        away = towards == ("rd" if value < 0 else "ru")
        mantissa += rest > 0 and away
        if mantissa * Fraction(2) ** last > Fraction(self.greatest):
            result = math.inf if away else self.greatest
        else:
            result = math.ldexp(mantissa, last)
        return -result if value < 0 else result


FLOAT = Format("float", 24, -149, 104)
DOUBLE = Format("double", 53, -1074, 971)


def negative(x: float) -> bool:
    return math.copysign(1, x) < 0


def fused(x: float, y: float, z: float, format: Format, towards: str) -> float:
    if math.isfinite(x) and math.isfinite(y) and not math.isfinite(z):
        return z
    if not (math.isfinite(x) and math.isfinite(y)):
        with np.errstate(all="ignore"):
            return float(np.float64(x) * np.float64(y) + np.float64(z))
    minus = negative(x) != negative(y)
    value = Fraction(x) * Fraction(y) + Fraction(z)
    zero = minus if minus == negative(z) and (x == 0 or y == 0) else towards == "rd"
    return format.rounded(value, towards, zero)


def multiplied(x: float, y: float, format: Format, towards: str) -> float:
    if not (math.isfinite(x) and math.isfinite(y)):
        with np.errstate(all="ignore"):
            return float(np.float64(x) * np.float64(y))
    return format.rounded(Fraction(x) * Fraction(y), towards, negative(x) != negative(y))


def divided(x: float, y: float, format: Format, towards: str) -> float:
    if not (math.isfinite(x) and math.isfinite(y)) or x == 0 or y == 0:
        with np.errstate(all="ignore"):
            return float(np.float64(x) / np.float64(y))
    return format.rounded(Fraction(x) / Fraction(y), towards)


def root(x: float, format: Format, towards: str) -> float:
    if not math.isfinite(x) or x <= 0:
        with np.errstate(all="ignore"):
            return float(np.sqrt(np.float64(x)))
    scaled = Fraction(x) * 4**700  # an integer, of which the root has far more digits than any format
    found = math.isqrt(int(scaled))
    return format.rounded(Fraction(2 * found + (found * found != scaled), 2**701), towards)


def directed_rows(format: Format, letter: str, fma: str, towards: str) -> Iterator[tuple[str, Reference]]:
    def row(name: str, arguments: str, function: Callable[..., float]) -> tuple[str, Reference]:
        return f"__{name}_{towards}({arguments})", function

    yield row(f"{letter}add", "x, y", lambda x, y, z: fused(x, 1.0, y, format, towards))
    yield row(f"{letter}sub", "x, y", lambda x, y, z: fused(x, 1.0, -y, format, towards))
    yield row(f"{letter}mul", "x, y", lambda x, y, z: multiplied(x, y, format, towards))
    yield row(fma, "x, y, z", lambda x, y, z: fused(x, y, z, format, towards))
    yield row(f"{letter}div", "x, y", lambda x, y, z: divided(x, y, format, towards))
    yield row(f"{letter}rcp", "x", lambda x, y, z: divided(1.0, x, format, towards))
    yield row(f"{letter}sqrt", "x", lambda x, y, z: root(x, format, towards))


def narrowed(x: float, towards: str) -> float:
    return FLOAT.rounded(Fraction(x), towards, negative(x)) if math.isfinite(x) else x


def float_rows() -> Iterator[tuple[str, Reference]]:
    for towards in ("rz", "rd", "ru"):
        yield from directed_rows(FLOAT, "f", "fmaf", towards)
        pairs = {"add": "", "mul": "", "fma": ", make_float2(z, x)"}
        for name, third in pairs.items():
            of_one = {
                "add": lambda x, y, z, towards=towards: fused(x, 1.0, y, FLOAT, towards),
                "mul": lambda x, y, z, towards=towards: multiplied(x, y, FLOAT, towards),
                "fma": lambda x, y, z, towards=towards: fused(x, y, z, FLOAT, towards),
            }[name]
            yield f"__f{name}2_{towards}(make_float2(x, y), make_float2(y, z){third}).x", of_one


def double_rows() -> Iterator[tuple[str, Reference]]:
    for towards in ("rz", "rd", "ru"):
        yield from directed_rows(DOUBLE, "d", "fma", towards)
        yield f"(double)__double2float_{towards}(x)", lambda x, y, z, towards=towards: narrowed(x, towards)


def integer_rows() -> Iterator[tuple[str, Reference]]:
    """Conversions of an integer, as doubles, which hold floats exactly."""
    kinds = [("int", "(int)x", 32, True), ("uint", "(unsigned)x", 32, False)]
    kinds += [("ll", "(long long)x", 64, True), ("ull", "x", 64, False)]
    for towards, (kind, cast, width, is_signed) in product(("rz", "rd", "ru"), kinds):
        for name, format in (("float", FLOAT), ("double", DOUBLE)):
            if (width, name) == (32, "double"):
                continue  # exact: CUDA has no direction for it

            def reference(
                x: int, y: int, z: int, w: int = width, s: bool = is_signed, f: Format = format, t: str = towards
            ) -> float:
                value = x & ((1 << w) - 1)
                return f.rounded(Fraction(signed(value, w) if s else value), t)

            yield f"(double)__{kind}2{name}_{towards}({cast})", reference


PAGES = {
    "words": Page("unsigned", "u4", dict(word_rows())),
    "floats": Page("float", "f4", dict(float_rows())),
    "doubles": Page("double", "f8", dict(double_rows())),
    "integers": Page("unsigned long long", "u8", dict(integer_rows())),
}


def program() -> str:
    """One function per page: what row `which` gives for three operands, as 64 bits."""
    return "".join(
        f"__device__ unsigned long long {name}(int which, {page.type} x, {page.type} y, {page.type} z) {{\n"
        f"switch (which) {{\n{page.cases()}}}\nreturn 0;\n}}\n"
        for name, page in PAGES.items()
    )
