"""PTX's arithmetic on the bits of registers, in exact arithmetic of Python: what the PTX ISA document says."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Union


class Format:
    """A binary floating-point format: all bits, bits of the fraction, and whether it has infinities (all here do)."""

    def __init__(self, bits: int, fraction: int) -> None:
        self.bits, self.fraction = bits, fraction
        self.exponent_bits = bits - 1 - fraction
        self.bias = (1 << (self.exponent_bits - 1)) - 1
        self.infinity = ((1 << self.exponent_bits) - 1) << fraction
        self.sign = 1 << (bits - 1)
        self.nan = self.sign - 1

    def is_nan(self, x: int) -> bool:
        return (x & (self.sign - 1)) > self.infinity

    def value(self, x: int) -> Union[Fraction, float]:
        """The number; infinities and NaN as floats."""
        if self.is_nan(x):
            return math.nan
        negative, magnitude = bool(x & self.sign), x & (self.sign - 1)
        if magnitude == self.infinity:
            return -math.inf if negative else math.inf
        exponent, fraction = magnitude >> self.fraction, magnitude & ((1 << self.fraction) - 1)
        if exponent:
            fraction |= 1 << self.fraction
        else:
            exponent = 1
        number = Fraction(fraction) * Fraction(2) ** (exponent - self.bias - self.fraction)
        return -number if negative else number

    def rounded(self, value: Union[Fraction, float, int], mode: str = "rn", zero_sign: bool = False) -> int:
        """The bits of `value`. `zero_sign` is the sign of an exact zero."""
        if isinstance(value, float):
            if math.isnan(value):
                return self.nan
            if math.isinf(value):
                return self.infinity | (self.sign if value < 0 else 0)
            zero_sign = math.copysign(1, value) < 0
        number = Fraction(value)  # also a finite float
        if number == 0:
            return self.sign if zero_sign else 0
        negative, magnitude = number < 0, abs(number)
        exponent = max(_log2(magnitude), 1 - self.bias)
        unit = Fraction(2) ** (exponent - self.fraction)
        quotient = magnitude / unit
        count = int(quotient)
        rest = quotient - count
        up = {
            "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and count & 1),
            "rna": rest >= Fraction(1, 2),
            "rz": False,
            "rm": rest > 0 and negative,
            "rp": rest > 0 and not negative,
        }[mode]
        count += bool(up)
        bits = count + ((exponent + self.bias - 1) << self.fraction)
        if bits >= self.infinity:
            away = mode in ("rn", "rna") or (mode == "rm" and negative) or (mode == "rp" and not negative)
            bits = self.infinity if away else self.infinity - 1
        return bits | (self.sign if negative else 0)


def _log2(number: Fraction) -> int:
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= number else exponent - 1


F16, BF16, F32, F64 = Format(16, 10), Format(16, 7), Format(32, 23), Format(64, 52)


def flush(x: int) -> int:
    return x if x & 0x7F800000 else x & 0x80000000


def arithmetic(form: Format, name: str, mode: str, *operands: int) -> int:
    """add, sub, mul, fma, div, sqrt or rcp, rounded once."""
    a, *rest = (form.value(x) for x in operands)
    signs = [bool(x & form.sign) for x in operands]
    if any(isinstance(x, float) for x in (a, *rest)):
        return form.rounded(_with_infinities(name, signs, a, *rest))
    if name in ("add", "sub"):
        b = -rest[0] if name == "sub" else rest[0]
        sign_b = signs[1] != (name == "sub")
        return form.rounded(a + b, mode, signs[0] if a == b == 0 and signs[0] == sign_b else mode == "rm")
    if name == "mul":
        return form.rounded(a * rest[0], mode, signs[0] != signs[1])
    if name == "fma":
        product, sign = a * rest[0], signs[0] != signs[1]
        both_zero = product == rest[1] == 0
        return form.rounded(product + rest[1], mode, sign if both_zero and sign == signs[2] else mode == "rm")
    if name == "div":
        if rest[0] == 0:
            return form.nan if a == 0 else form.infinity | (form.sign if signs[0] != signs[1] else 0)
        return form.rounded(a / rest[0], mode, signs[0] != signs[1])
    if name == "rcp":
        return arithmetic(form, "div", mode, form.rounded(1), operands[0])
    assert name == "sqrt"
    return form.nan if a < 0 else _root(form, a, mode, signs[0])


def _root(form: Format, a: Fraction, mode: str, sign: bool) -> int:
    if a == 0:
        return form.sign if sign else 0
    shift = 400 + 2 * 1100
    root = math.isqrt(int(a * (1 << shift)))
    value = Fraction(root, 1 << (shift // 2))
    if value * value != a:
        value += Fraction(1, 1 << (shift // 2 + 1))  # between two candidates: inexact
    return form.rounded(value, mode)


def _with_infinities(name: str, signs: list[bool], *operands: Union[Fraction, float]) -> float:
    def as_float(x: Union[Fraction, float], sign: bool) -> float:
        if isinstance(x, float):
            return x
        return math.copysign(0.0 if x == 0 else 1.0, -1.0 if sign else 1.0)

    values = [as_float(x, sign) for x, sign in zip(operands, signs)]
    if any(math.isnan(x) for x in values):
        return math.nan
    if name == "add":
        return values[0] + values[1]
    if name == "sub":
        return values[0] - values[1]
    if name == "mul":
        return values[0] * values[1]
    if name == "fma":
        return values[0] * values[1] + values[2]
    if name == "div":
        return values[0] / values[1] if values[1] else math.copysign(math.inf, values[0] * math.copysign(1, values[1]))
    if name == "rcp":
        return 1 / values[0]
    return math.nan if values[0] < 0 else values[0]


def float_of(x: int) -> float:
    (value,) = struct.unpack("<f", struct.pack("<I", x & 0xFFFFFFFF))
    return float(value)


def double_of(x: int) -> float:
    (value,) = struct.unpack("<d", struct.pack("<Q", x))
    return float(value)


def signed(x: int, bits: int) -> int:
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def clamped(x: int, bits: int, is_signed: bool) -> int:
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
    return max(low, min(high, x))


def integer_of(form: Format, x: int, mode: str, bits: int, is_signed: bool) -> int:
    """cvt of a float to an integer. NaN gives 0; from double precision or to 64 bits, the sign bit alone."""
    value = form.value(x)
    if isinstance(value, float):
        if math.isnan(value):
            return 1 << (bits - 1) if bits == 64 or form is F64 else 0
        return clamped(int(math.copysign(1 << 70, value)), bits, is_signed)
    return clamped(integral(value, mode), bits, is_signed)


def integral(value: Fraction, mode: str) -> int:
    if mode == "rni":
        return round(value)
    return {"rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}[mode](value)
