"""Every instruction of PTX that porting knows, with inputs and what the PTX ISA document says of them.

A case is one asm statement. Its operands: outputs first, by their constraints; then inputs:
  r, l, h, f, d  registers of random bits and of edges; R: small numbers, as shifts have; P: 0 or 1; F: floats near 1
  G  the address of the thread's 64 bytes of global memory      S  the same of its shared memory, with 32 bits
Both memories begin as the thread's row of inputs.
"""

# ruff: noqa: E501, E731  # a case is a line of a table
from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Optional, Union

import ptx_small
import ptx_video
from ptx_exact import (
    BF16,
    F16,
    F32,
    F64,
    Format,
    arithmetic,
    clamped,
    float_of,
    flush,
    integer_of,
    integral,
    signed,
)

PROGRAMS = Path(__file__).with_name("programs")

ROWS, WORDS = 64, 8
M32, M64 = (1 << 32) - 1, (1 << 64) - 1
Bits = Union[int, tuple[int, ...]]


@dataclass(frozen=True)
class Case:
    """One statement: `template` with `outputs` and `inputs`, and what it gives.

    `expected` gives the outputs of one thread from its inputs, `memory` the first four words of the memory afterwards
    from the row, `whole` the outputs of all threads from all their inputs. `tolerance` is relative, for floats. `arch` is
    the oldest GPU (sm_) that has the instruction. `before` is an instruction that prepares the operands, `memory_holds`
    the type of what memory begins with.
    """

    template: str
    outputs: str
    inputs: str
    expected: Optional[Callable[..., Bits]] = None
    memory: Optional[Callable[[list[int]], list[int]]] = None
    whole: Optional[Callable[[list[list[int]]], list[Bits]]] = None
    tolerance: float = 0.0
    form: Format = F32
    arch: str = "80"
    before: str = ""
    memory_holds: str = ""


_EDGES = {
    "r": [0, 1, 2, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF, 0x8000, 0xAAAAAAAA],
    "R": [0, 1, 7, 8, 31, 32, 33, 40, 255],
    "P": [0, 1],
    "h": [0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x3C00, 0x7C00, 0xFC00, 0x7E00, 0x0001, 0x83FF, 0x7BFF, 0x3F80, 0x7F80, 0xFF7F],
    "l": [0, 1, M64, 1 << 63, (1 << 63) - 1, M32, 1 << 32],
    "f": [0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0x4B000001, 0x3F000000, 0x40200000, 0x477FF000, 0x4F000000, 0xCF000001],
    "d": [0, 1 << 63, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1, 0x7FEFFFFFFFFFFFFF, 0x0010000000000000, 0x3FE0000000000000, 0x4004000000000000, 0x43E0000000000000],
}  # fmt: skip
_BITS = {"r": 32, "R": 32, "P": 32, "h": 16, "l": 64, "f": 32, "d": 64, "F": 32}


# Sets p, the predicate of a reduction or a vote.
_PREDICATE = "{ .reg .pred p, q; setp.ne.b32 p, %1, 0; "


def rows(case: Case, number: int) -> list[list[int]]:
    """The inputs of all threads for a case: edges with each other, and random ones."""
    chance = random.Random(f"{number} {case.template}")
    table = [[_input(letter, chance) for letter in case.inputs.ljust(WORDS, "l")] for _ in range(ROWS)]
    if case.memory_holds:
        for row in table:
            row[0] = int.from_bytes(b"".join(_number(case.memory_holds, chance) for _ in range(8))[:8], "little")
    return table


def _number(name: str, chance: random.Random) -> bytes:
    """A moderate number in the bytes of the type `name`."""
    bits = struct.pack("<f", chance.uniform(-4, 4))
    return bits if name == "f32" else bits[2:] if name == "bf16" else struct.pack("<e", chance.uniform(-4, 4))


def _input(letter: str, chance: random.Random) -> int:
    if letter in "GS":
        letter = "l"
    if letter == "F":
        (bits,) = struct.unpack("<I", struct.pack("<f", chance.uniform(-4, 4)))
        return int(bits)
    if letter == "P":
        return chance.randrange(2)
    if letter == "R":
        return chance.choice([*_EDGES["R"], chance.randrange(32)])
    if chance.random() < 0.5:
        return chance.choice(_EDGES[letter])
    if letter in "fd" and chance.random() < 0.6:  # of a size that fits into integers
        number = chance.uniform(-1, 1) * 10 ** chance.uniform(-3, 12)
        (bits,) = (
            struct.unpack("<I", struct.pack("<f", number))
            if letter == "f"
            else struct.unpack("<Q", struct.pack("<d", number))
        )
        return int(bits)
    return chance.getrandbits(_BITS[letter])


_SIZES = {
    "u16": (16, False),
    "s16": (16, True),
    "u32": (32, False),
    "s32": (32, True),
    "u64": (64, False),
    "s64": (64, True),
}
_LETTER = {8: "r", 16: "h", 32: "r", 64: "l"}


def cases() -> list[Case]:
    """All of them."""
    return [
        *_integers(),
        *_carries(),
        *_bits(),
        *_floats(),
        *_halves(),
        *_conversions(),
        *_small(),
        *_selections(),
        *_memory(),
        *_warps(),
        *_blocks(),
        *_mbarriers(),
        *_others(),
        *_beyond_the_end(),  # new ones come last: the inputs of a case depend on its number, and cards have records of them
    ]


def _integers() -> Iterator[Case]:
    for name, (bits, is_signed) in _SIZES.items():
        letter, mask = _LETTER[bits], (1 << bits) - 1

        def value(x: int, bits: int = bits, is_signed: bool = is_signed) -> int:
            return signed(x, bits) if is_signed else x & ((1 << bits) - 1)

        def two(
            f: Callable[[int, int], int], value: Callable[[int], int] = value, mask: int = mask
        ) -> Callable[..., int]:
            return lambda a, b: f(value(a), value(b)) & mask

        for op, f in {
            "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul.lo": lambda a, b: a * b,
            "mul.hi": lambda a, b, bits=bits: (a * b) >> bits, "min": min, "max": max,
        }.items():  # fmt: skip
            yield Case(f"{op}.{name} %0, %1, %2;", letter, letter * 2, two(f))
        divide = {
            "div": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
            "rem": lambda a, b: math.fmod(a, b) if abs(a) < 1 << 50 else abs(a) % abs(b) * (-1 if a < 0 else 1),
        }
        for op, f in divide.items():
            yield Case(
                f"{op}.{name} %0, %1, 7;",
                letter,
                letter,
                lambda a, f=f, value=value, mask=mask: int(f(value(a), 7)) & mask,
            )
        yield Case(f"mad.lo.{name} %0, %1, %2, %3;", letter, letter * 3, lambda a, b, c, mask=mask: (a * b + c) & mask)
        yield Case(
            f"mad.hi.{name} %0, %1, %2, %3;",
            letter,
            letter * 3,
            lambda a, b, c, value=value, mask=mask, bits=bits: ((value(a) * value(b) >> bits) + c) & mask,
        )
        yield Case(
            f"sad.{name} %0, %1, %2, %3;",
            letter,
            letter * 3,
            lambda a, b, c, value=value, mask=mask: (c + abs(value(a) - value(b))) & mask,
        )
        if is_signed:
            yield Case(f"abs.{name} %0, %1;", letter, letter, lambda a, value=value, mask=mask: abs(value(a)) & mask)
            yield Case(f"neg.{name} %0, %1;", letter, letter, lambda a, mask=mask: -a & mask)
        if bits < 64:
            wide = _LETTER[2 * bits]
            all_bits = (1 << 2 * bits) - 1
            yield Case(
                f"mul.wide.{name} %0, %1, %2;",
                wide,
                letter * 2,
                lambda a, b, value=value, m=all_bits: value(a) * value(b) & m,
            )
            yield Case(
                f"mad.wide.{name} %0, %1, %2, %3;",
                wide,
                letter * 2 + wide,
                lambda a, b, c, value=value, m=all_bits: value(a) * value(b) + c & m,
            )
        if bits > 16:
            for form in ("", ".shiftamt"):
                yield Case(
                    f"bfind{form}.{name} %0, %1;",
                    "r",
                    letter,
                    lambda a, value=value, bits=bits, form=form: _bfind(value(a), bits, bool(form)),
                )
            yield Case(
                f"bfe.{name} %0, %1, %2, %3;",
                letter,
                letter + "RR",
                lambda a, b, c, bits=bits, is_signed=is_signed: _bfe(a, b, c, bits, is_signed),
            )
            yield Case(
                f"bfe.{name} %0, %1, 3, 9;",
                letter,
                letter,
                lambda a, bits=bits, is_signed=is_signed: _bfe(a, 3, 9, bits, is_signed),
            )
        yield Case(
            f"shr.{name} %0, %1, %2;",
            letter,
            letter + "R",
            lambda a, b, value=value, mask=mask: (value(a) >> min(b, 64)) & mask,
        )
    for op in ("add", "sub"):
        yield Case(
            f"{op}.sat.s32 %0, %1, %2;",
            "r",
            "rr",
            lambda a, b, op=op: (
                clamped(signed(a, 32) + (signed(b, 32) if op == "add" else -signed(b, 32)), 32, True) & M32
            ),
        )
    yield Case(
        "mad.hi.sat.s32 %0, %1, %2, %3;",
        "r",
        "rrr",
        lambda a, b, c: clamped((signed(a, 32) * signed(b, 32) >> 32) + signed(c, 32), 32, True) & M32,
    )
    for name, is_signed in {"u32": False, "s32": True}.items():

        def low24(x: int, is_signed: bool = is_signed) -> int:
            return signed(x, 24) if is_signed else x & 0xFFFFFF

        for part, shift in {"lo": 0, "hi": 16}.items():
            yield Case(
                f"mul24.{part}.{name} %0, %1, %2;", "r", "rr", lambda a, b, f=low24, s=shift: f(a) * f(b) >> s & M32
            )
            yield Case(
                f"mad24.{part}.{name} %0, %1, %2, %3;",
                "r",
                "rrr",
                lambda a, b, c, f=low24, s=shift: (f(a) * f(b) >> s) + c & M32,
            )
        for other in ("u32", "s32"):

            def dot(a: int, b: int, c: int, x: bool = is_signed, y: bool = other == "s32") -> int:
                return c + sum(_byte(a, i, x) * _byte(b, i, y) for i in range(4)) & M32

            yield Case(f"dp4a.{name}.{other} %0, %1, %2, %3;", "r", "rrr", dot)
            for part, first in {"lo": 0, "hi": 2}.items():

                def dot2(
                    a: int, b: int, c: int, x: bool = is_signed, y: bool = other == "s32", first: int = first
                ) -> int:
                    words = [a & 0xFFFF, a >> 16]
                    return (
                        c + sum((signed(w, 16) if x else w) * _byte(b, first + i, y) for i, w in enumerate(words)) & M32
                    )

                yield Case(f"dp2a.{part}.{name}.{other} %0, %1, %2, %3;", "r", "rrr", dot2)
    for template, inputs, expected in ptx_video.instructions():
        yield Case(template, "r", inputs, expected)
    yield Case("max.relu.s32 %0, %1, %2;", "r", "rr", lambda a, b: max(signed(a, 32), signed(b, 32), 0), arch="90")


def _byte(x: int, i: int, is_signed: bool) -> int:
    byte = x >> 8 * i & 0xFF
    return signed(byte, 8) if is_signed else byte


def _bfind(x: int, bits: int, shift: bool) -> int:
    x = ~x if x < 0 else x
    return M32 if x == 0 else bits - x.bit_length() if shift else x.bit_length() - 1


def _bfe(a: int, first: int, count: int, bits: int, is_signed: bool) -> int:
    """PTX ISA's pseudo code, bit by bit."""
    sign = 0 if not is_signed or count == 0 else a >> min(first + count - 1, bits - 1) & 1
    result = 0
    for i in range(bits):
        bit = a >> (first + i) & 1 if i < count and first + i <= bits - 1 else sign
        result |= bit << i
    return result


def _bfi(a: int, b: int, first: int, count: int, bits: int) -> int:
    for i in range(count):
        if first + i <= bits - 1:
            b = b & ~(1 << first + i) | (a >> i & 1) << first + i
    return b


def _carries() -> Iterator[Case]:
    def words(value: int, count: int = 3) -> tuple[int, ...]:
        return tuple(value >> 32 * i & M32 for i in range(count))

    yield Case(
        "add.cc.u32 %0, %3, %6;\n\taddc.cc.u32 %1, %4, %7;\n\taddc.u32 %2, %5, 0;",
        "rrr",
        "rrrrr",
        lambda a, b, c, x, y: words(a + (b << 32) + (c << 64) + x + (y << 32)),
    )
    yield Case(
        "sub.cc.u32 %0, %3, %6; subc.cc.u32 %1, %4, %7; subc.u32 %2, %5, 0;",
        "rrr",
        "rrrrr",
        lambda a, b, c, x, y: words(a + (b << 32) + (c << 64) - x - (y << 32)),
    )
    yield Case(
        "{\n\tmad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.u32 %1, %2, %3, 0;\n\t}",
        "rr",
        "rrr",
        lambda a, b, c: words(a * b + c, 2),
    )
    yield Case(
        "mad.lo.cc.u32 %0, %3, %4, %5; madc.hi.cc.u32 %1, %3, %4, %6; addc.u32 %2, 0, 0;",
        "rrr",
        "rrrr",
        lambda a, b, c, d: words(a * b + c + (d << 32)),
    )
    yield Case(
        "add.cc.u64 %0, %2, %4; addc.u64 %1, %3, %5;",
        "ll",
        "llll",
        lambda a, b, c, d: ((a + c) & M64, (b + d + (a + c >> 64)) & M64),
    )
    yield Case(
        "madc.lo.cc.u32 %0, %1, %2, %0;",
        "+r",
        "rr",
        None,
        before="add.cc.u32 %0, %0, %1;",
        whole=lambda table: [((r[0] + r[1] & M32) + r[1] * r[2] + (r[0] + r[1] >> 32)) & M32 for r in table],
    )


def _bits() -> Iterator[Case]:
    for bits, letter in {16: "h", 32: "r", 64: "l"}.items():
        mask = (1 << bits) - 1
        yield Case(f"and.b{bits} %0, %1, %2;", letter, letter * 2, lambda a, b: a & b)
        yield Case(f"or.b{bits} %0, %1, %2;", letter, letter * 2, lambda a, b: a | b)
        yield Case(f"xor.b{bits} %0, %1, %2;", letter, letter * 2, lambda a, b: a ^ b)
        yield Case(f"not.b{bits} %0, %1;", letter, letter, lambda a, m=mask: ~a & m)
        yield Case(f"cnot.b{bits} %0, %1;", letter, letter, lambda a: int(a == 0))
        yield Case(f"shl.b{bits} %0, %1, %2;", letter, letter + "R", lambda a, b, m=mask: a << b & m)
        yield Case(f"shr.b{bits} %0, %1, %2;", letter, letter + "R", lambda a, b: a >> b)
        if bits > 16:
            yield Case(f"popc.b{bits} %0, %1;", "r", letter, lambda a: bin(a).count("1"))
            yield Case(f"clz.b{bits} %0, %1;", "r", letter, lambda a, bits=bits: bits - a.bit_length())
            yield Case(f"brev.b{bits} %0, %1;", letter, letter, lambda a, bits=bits: int(f"{a:0{bits}b}"[::-1], 2))
            yield Case(
                f"bfi.b{bits} %0, %1, %2, %3, %4;",
                letter,
                letter * 2 + "RR",
                lambda a, b, c, d, bits=bits: _bfi(a, b, c, d, bits),
            )
    yield Case(
        "{ .reg .u32 b; .reg .s32 n; and.b32 b, %2, 31; and.b32 n, %3, 7; sub.s32 n, n, 3; fns.b32 %0, %1, b, n; }",
        "r",
        "rRR",
        lambda a, b, c: _fns(a, b & 31, (c & 7) - 3),
    )
    for table in (0x00, 0x96, 0xE8, 0xCA, 0x2D, 0xFE, 0xFF):
        yield Case(
            f"lop3.b32 %0, %1, %2, %3, {table:#x};",
            "r",
            "rrr",
            lambda a, b, c, t=table: sum(
                (t >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i for i in range(32)
            ),
        )
    yield Case("prmt.b32 %0, %1, %2, %3;", "r", "rrr", _prmt)
    yield Case("prmt.b32 %0, %1, %2, 0x5410;", "r", "rr", lambda a, b: _prmt(a, b, 0x5410))
    tables = {
        "f4e": [0x3210, 0x4321, 0x5432, 0x6543], "b4e": [0x5670, 0x6701, 0x7012, 0x0123], "rc8": [0x0000, 0x1111, 0x2222, 0x3333],
        "ecl": [0x3210, 0x3211, 0x3222, 0x3333], "ecr": [0x0000, 0x1110, 0x2210, 0x3210], "rc16": [0x1010, 0x3232, 0x1010, 0x3232],
    }  # fmt: skip
    for mode, selectors in tables.items():
        yield Case(f"prmt.b32.{mode} %0, %1, %2, %3;", "r", "rrr", lambda a, b, c, s=selectors: _prmt(a, b, s[c & 3]))
    for mode in ("wrap", "clamp"):

        def amount(c: int, mode: str = mode) -> int:
            return c & 31 if mode == "wrap" else min(c, 32)

        yield Case(
            f"shf.l.{mode}.b32 %0, %1, %2, %3;",
            "r",
            "rrR",
            lambda a, b, c, f=amount: ((b << 32 | a) << f(c) >> 32) & M32,
        )
        yield Case(
            f"shf.r.{mode}.b32 %0, %1, %2, %3;", "r", "rrR", lambda a, b, c, f=amount: (b << 32 | a) >> f(c) & M32
        )
        yield Case(
            f"bmsk.{mode}.b32 %0, %1, %2;",
            "r",
            "RR",
            lambda a, b, m=mode: _bmsk(a & 31, b & 31) if m == "wrap" else _bmsk(a, b),
        )
        for name in ("u32", "s32"):
            yield Case(
                f"szext.{mode}.{name} %0, %1, %2;",
                "r",
                "rR",
                lambda a, b, m=mode, s=name == "s32": _szext(a, b & 31 if m == "wrap" else b, s),
            )


def _fns(mask: int, base: int, n: int) -> int:
    if n == 0:
        return base if mask >> base & 1 else M32
    found = [i for i in (range(base, 32) if n > 0 else range(base, -1, -1)) if mask >> i & 1]
    return found[abs(n) - 1] if len(found) >= abs(n) else M32


def _prmt(a: int, b: int, selectors: int) -> int:
    data = (b << 32 | a).to_bytes(8, "little")
    result = 0
    for i in range(4):
        selector = selectors >> 4 * i & 0xF
        byte = data[selector & 7]
        result |= ((0xFF if byte & 0x80 else 0) if selector & 8 else byte) << 8 * i
    return result


def _bmsk(first: int, count: int) -> int:
    return 0 if first >= 32 else (1 << count) - 1 << first & M32


def _szext(a: int, count: int, is_signed: bool) -> int:
    if count >= 32:
        return a
    value = a & (1 << count) - 1
    return signed(value, count) & M32 if is_signed and count and value >> count - 1 else value


_ROUNDINGS = ("rn", "rz", "rm", "rp")


def _saturated(x: int) -> int:
    value = float_of(x)
    return 0 if not value > 0 else x if value < 1 else 0x3F800000


def _floats() -> Iterator[Case]:
    operands = {"add": 2, "sub": 2, "mul": 2, "fma": 3, "div": 2, "rcp": 1, "sqrt": 1}
    for mode in _ROUNDINGS:
        for op, count in operands.items():
            inputs = ", ".join(f"%{i + 1}" for i in range(count))
            yield Case(
                f"{op}.{mode}.f32 %0, {inputs};",
                "f",
                "f" * count,
                lambda *x, op=op, mode=mode: arithmetic(F32, op, mode, *x),
            )
            yield Case(
                f"{op}.{mode}.f64 %0, {inputs};",
                "d",
                "d" * count,
                lambda *x, op=op, mode=mode: arithmetic(F64, op, mode, *x),
                form=F64,
            )
    for op, count in {"add": 2, "sub": 2, "mul": 2, "fma.rn": 3}.items():
        inputs = ", ".join(f"%{i + 1}" for i in range(count))
        name = op.partition(".")[0]
        yield Case(
            f"{op}.ftz.f32 %0, {inputs};",
            "f",
            "f" * count,
            lambda *x, n=name: flush(arithmetic(F32, n, "rn", *map(flush, x))),
        )
        yield Case(
            f"{op}.sat.f32 %0, {inputs};",
            "f",
            "f" * count,
            lambda *x, n=name: _saturated(arithmetic(F32, n, "rn", *x)),
        )
    functions: dict[str, tuple[str, Callable[[float], float]]] = {
        "ex2.approx": ("F", lambda x: 2.0**x), "lg2.approx": ("F", lambda x: math.log2(abs(x))), "sin.approx": ("F", math.sin), "cos.approx": ("F", math.cos),
        "rsqrt.approx": ("F", lambda x: 1 / math.sqrt(abs(x))), "sqrt.approx": ("F", lambda x: math.sqrt(abs(x))), "rcp.approx": ("F", lambda x: 1 / x),
        "tanh.approx": ("F", math.tanh),
    }  # fmt: skip
    for op, (letter, f) in functions.items():
        for ftz in ("",) if op.startswith("tanh") else ("", ".ftz"):
            absolute = op[:2] == "lg" or "sqrt" in op
            template = (
                f"{{ .reg .f32 x; abs.f32 x, %1; {op}{ftz}.f32 %0, x; }}" if absolute else f"{op}{ftz}.f32 %0, %1;"
            )
            yield Case(
                template,
                "f",
                letter,
                lambda x, f=f: F32.rounded(f(float_of(x))),
                tolerance=2e-3 if "tanh" in op else 2e-6,
            )
    yield Case("{ .reg .b32 x; and.b32 x, %1, 0x807fffff; ex2.approx.ftz.f32 %0, x; }", "f", "r", lambda x: 0x3F800000)
    yield Case(
        "div.approx.f32 %0, %1, %2;", "f", "FF", lambda a, b: F32.rounded(float_of(a) / float_of(b)), tolerance=1e-6
    )
    yield Case(
        "div.full.ftz.f32 %0, %1, %2;", "f", "FF", lambda a, b: F32.rounded(float_of(a) / float_of(b)), tolerance=1e-6
    )
    for form, letter, name in ((F32, "f", "f32"), (F64, "d", "f64")):
        yield Case(
            f"abs.{name} %0, %1;",
            letter,
            letter,
            lambda a, form=form: form.nan if form.is_nan(a) else a & ~form.sign,
            form=form,
        )
        yield Case(
            f"neg.{name} %0, %1;",
            letter,
            letter,
            lambda a, form=form: form.nan if form.is_nan(a) else a ^ form.sign,
            form=form,
        )
        yield Case(
            f"copysign.{name} %0, %1, %2;",
            letter,
            letter * 2,
            lambda a, b, form=form: b & ~form.sign | a & form.sign,
            form=form,
        )
        for op in ("min", "max"):
            yield Case(
                f"{op}.{name} %0, %1, %2;",
                letter,
                letter * 2,
                lambda a, b, form=form, op=op: _extreme(form, op, a, b, False),
                form=form,
            )
        for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield Case(
                f"{{ .reg .pred p; testp.{what}.{name} p, %1; selp.u32 %0, 1, 0, p; }}",
                "r",
                letter,
                lambda a, what=what, form=form: int(_testp(form, what, a)),
            )
    for op in ("min", "max"):
        yield Case(f"{op}.NaN.f32 %0, %1, %2;", "f", "ff", lambda a, b, op=op: _extreme(F32, op, a, b, True))
        yield Case(
            f"{op}.ftz.f32 %0, %1, %2;", "f", "ff", lambda a, b, op=op: _extreme(F32, op, flush(a), flush(b), False)
        )
    for op in ("add", "mul"):
        yield Case(
            f"{op}.rn.f32x2 %0, %1, %2;",
            "l",
            "ll",
            lambda a, b, op=op: _each(32, lambda x, y: arithmetic(F32, op, "rn", x, y), a, b),
            form=_PAIR32,
            arch="100",
        )
    yield Case(
        "fma.rn.f32x2 %0, %1, %2, %3;",
        "l",
        "lll",
        lambda a, b, c: _each(32, lambda x, y, z: arithmetic(F32, "fma", "rn", x, y, z), a, b, c),
        form=_PAIR32,
        arch="100",
    )


_PAIR32, _PAIR16, _PAIRB16 = Format(64, 23), Format(32, 10), Format(32, 7)  # marks: two numbers in a register


def _each(bits: int, f: Callable[..., int], *operands: int) -> int:
    mask, count = (1 << bits) - 1, 2
    return sum((f(*(x >> bits * i & mask for x in operands)) & mask) << bits * i for i in range(count))


def _extreme(form: Format, op: str, a: int, b: int, nan_wins: bool) -> int:
    if form.is_nan(a) or form.is_nan(b):
        return form.nan if nan_wins or (form.is_nan(a) and form.is_nan(b)) else b if form.is_nan(a) else a

    def key(x: int) -> tuple[float, int]:
        return (form.value(x), 0 if x & form.sign else 1)  # type: ignore[return-value]

    return (min if op == "min" else max)((a, b), key=key)


def _testp(form: Format, what: str, a: int) -> bool:
    magnitude = a & ~form.sign
    subnormal = 0 < magnitude < 1 << form.fraction
    return {
        "finite": magnitude < form.infinity, "infinite": magnitude == form.infinity, "number": not form.is_nan(a), "notanumber": form.is_nan(a),
        "normal": magnitude < form.infinity and not subnormal, "subnormal": subnormal,
    }[what]  # fmt: skip


def _oob(form: Format, then: Callable[[int], int], a: int, b: int, c: int) -> int:
    """fma.rn.oob: 0 if a factor is the NaN that tensor maps fill in. Which NaN that is was seen on an H200."""
    return 0 if 0x7FF7 in (a & 0x7FFF, b & 0x7FFF) else then(arithmetic(form, "fma", "rn", a, b, c))


def _beyond_the_end() -> Iterator[Case]:
    """fma.rn.oob; the first factor of many threads is the NaN."""
    for (name, form, pair), relu in product((("f16", F16, _PAIR16), ("bf16", BF16, _PAIRB16)), ("", ".relu")):
        then = partial(_relu, form) if relu else _same
        yield Case(
            "{ .reg .pred p; .reg .b16 a; setp.gt.s16 p, %1, 0; selp.b16 a, %1, 0x7ff7, p; "
            f"fma.rn.oob{relu}.{name} %0, a, %2, %3; }}",
            "h",
            "hhh",
            lambda a, b, c, form=form, then=then: _oob(form, then, a if signed(a, 16) > 0 else 0x7FF7, b, c),
            form=form,
            arch="90",
        )
        yield Case(
            "{ .reg .pred p; .reg .b32 a; setp.gt.s32 p, %1, 0; selp.b32 a, %1, 0x3c00fff7, p; "
            f"fma.rn.oob{relu}.{name}x2 %0, a, %2, %3; }}",
            "r",
            "rrr",
            lambda a, b, c, form=form, then=then: _each(
                16, partial(_oob, form, then), a if signed(a, 32) > 0 else 0x3C00FFF7, b, c
            ),
            form=pair,
            arch="90",
        )


def _same(x: int) -> int:
    return x


def _halves() -> Iterator[Case]:
    for name, form, pair in (("f16", F16, _PAIR16), ("bf16", BF16, _PAIRB16)):
        for op, count in {
            "add": 2,
            "sub": 2,
            "mul": 2,
            "fma.rn": 3,
            "min": 2,
            "max": 2,
            "min.NaN": 2,
            "max.NaN": 2,
            "neg": 1,
            "abs": 1,
        }.items():
            arch = "90" if name == "bf16" and op in ("add", "sub", "mul") else "80"
            inputs = ", ".join(f"%{i + 1}" for i in range(count))

            def one(*x: int, op: str = op, form: Format = form) -> int:
                return _half(form, op, *x)

            yield Case(f"{op}.{name} %0, {inputs};", "h", "h" * count, one, form=form, arch=arch)
            yield Case(
                f"{op}.{name}x2 %0, {inputs};",
                "r",
                "r" * count,
                lambda *x, one=one: _each(16, one, *x),
                form=pair,
                arch=arch,
            )
        yield Case(
            f"fma.rn.relu.{name} %0, %1, %2, %3;",
            "h",
            "hhh",
            lambda *x, form=form: _relu(form, arithmetic(form, "fma", "rn", *x)),
            form=form,
        )
        yield Case(
            f"tanh.approx.{name} %0, %1;",
            "h",
            "h",
            lambda x, form=form: _of_float(form, math.tanh, x),
            form=form,
            tolerance=2**-7 if name == "bf16" else 2**-9,
            arch="90",
        )
        ftz = ".ftz" if name == "bf16" else ""
        yield Case(
            f"{{ .reg .b16 x; and.b16 x, %1, {0xC1FF if name == 'bf16' else 0xC7FF:#x}; ex2.approx{ftz}.{name} %0, x; }}",
            "h",
            "h",
            lambda x, form=form, m=0xC1FF if name == "bf16" else 0xC7FF: _of_float(form, lambda v: 2.0**v, x & m),
            form=form,
            tolerance=2**-7 if name == "bf16" else 2**-9,
            arch="90",
        )
    for op in ("add", "mul"):
        yield Case(
            f"{op}.sat.f16 %0, %1, %2;",
            "h",
            "hh",
            lambda a, b, op=op: _saturated16(arithmetic(F16, op, "rn", a, b)),
            form=F16,
        )
    yield Case(
        "add{.sat}.f16x2 %0, %1, %2;".replace("{.sat}", ".sat"),
        "r",
        "rr",
        lambda a, b: _each(16, lambda x, y: _saturated16(arithmetic(F16, "add", "rn", x, y)), a, b),
        form=_PAIR16,
    )


def _half(form: Format, op: str, *x: int) -> int:
    name, _, nan = op.partition(".")
    if name in ("min", "max"):
        return _extreme(form, name, *x, nan == "NaN")
    if name in ("neg", "abs"):
        return x[0] ^ form.sign if name == "neg" else x[0] & ~form.sign
    return arithmetic(form, name, "rn", *x)


def _of_float(form: Format, f: Callable[[float], float], x: int) -> int:
    value = form.value(x)
    if isinstance(value, float) and math.isnan(value):
        return form.nan
    try:
        return form.rounded(f(float(value)))
    except OverflowError:
        return form.infinity


def _relu(form: Format, x: int) -> int:
    return x if form.is_nan(x) else 0 if x & form.sign else x


def _saturated16(x: int) -> int:
    if F16.is_nan(x) or x & F16.sign:
        return 0
    return min(x, 0x3C00)


def _conversions() -> Iterator[Case]:
    for name, (bits, is_signed) in _SIZES.items():
        letter = _LETTER[bits]
        for form, flt, kind in ((F32, "f32", "f"), (F64, "f64", "d")):
            for mode in ("rni", "rzi", "rmi", "rpi"):

                def to_integer(
                    x: int, form: Format = form, mode: str = mode, bits: int = bits, is_signed: bool = is_signed
                ) -> int:
                    return integer_of(form, x, mode, bits, is_signed) & ((1 << bits) - 1)

                yield Case(f"cvt.{mode}.{name}.{flt} %0, %1;", letter, kind, to_integer)
            for mode in _ROUNDINGS:

                def from_integer(
                    x: int, form: Format = form, mode: str = mode, bits: int = bits, is_signed: bool = is_signed
                ) -> int:
                    return form.rounded(signed(x, bits) if is_signed else x, mode)

                yield Case(f"cvt.{mode}.{flt}.{name} %0, %1;", kind, letter, from_integer, form=form)
        for other, (width, other_signed) in _SIZES.items():

            def change(x: int, bits: int = bits, s: bool = is_signed, width: int = width) -> int:
                return (signed(x, bits) if s else x) & ((1 << width) - 1)

            if other != name:
                yield Case(f"cvt.{other}.{name} %0, %1;", _LETTER[width], letter, change)
                if width < bits or (is_signed and not other_signed) or (width == bits and is_signed != other_signed):
                    yield Case(
                        f"cvt.sat.{other}.{name} %0, %1;",
                        _LETTER[width],
                        letter,
                        lambda x, b=bits, s=is_signed, w=width, o=other_signed: (
                            clamped(signed(x, b) if s else x, w, o) & ((1 << w) - 1)
                        ),
                    )
    for mode in _ROUNDINGS:
        yield Case(
            f"cvt.{mode}.f32.f64 %0, %1;", "f", "d", lambda x, m=mode: F32.rounded(F64.value(x), m, bool(x & F64.sign))
        )
        yield Case(
            f"cvt.{mode}.f16.f32 %0, %1;",
            "h",
            "f",
            lambda x, m=mode: F16.rounded(F32.value(x), m, bool(x & F32.sign)),
            form=F16,
        )
        yield Case(f"cvt.{mode}.f16.s32 %0, %1;", "h", "r", lambda x, m=mode: F16.rounded(signed(x, 32), m), form=F16)
        yield Case(f"cvt.{mode}i.f32.f32 %0, %1;", "f", "f", lambda x, m=mode: _integral_float(F32, x, m))
        yield Case(f"cvt.{mode}i.f64.f64 %0, %1;", "d", "d", lambda x, m=mode: _integral_float(F64, x, m), form=F64)
        yield Case(
            f"cvt.{mode}i.s32.f16 %0, %1;", "r", "h", lambda x, m=mode: integer_of(F16, x, m + "i", 32, True) & M32
        )
    for mode in ("rn", "rz"):
        yield Case(
            f"cvt.{mode}.bf16.f32 %0, %1;",
            "h",
            "f",
            lambda x, m=mode: BF16.rounded(F32.value(x), m, bool(x & F32.sign)),
            form=BF16,
            arch="90",
        )
        for name, form, pair in (("f16", F16, _PAIR16), ("bf16", BF16, _PAIRB16)):

            def two(a: int, b: int, form: Format = form, mode: str = mode) -> int:
                one = [form.rounded(F32.value(x), mode, bool(x & F32.sign)) for x in (b, a)]
                return one[0] | one[1] << 16

            yield Case(f"cvt.{mode}.{name}x2.f32 %0, %1, %2;", "r", "ff", two, form=pair)
            yield Case(
                f"cvt.{mode}.relu.{name}x2.f32 %0, %1, %2;",
                "r",
                "ff",
                lambda a, b, two=two, form=form: _each(16, lambda x: _relu(form, x), two(a, b)),
                form=pair,
            )
    yield Case("cvt.f32.f16 %0, %1;", "f", "h", lambda x: F32.rounded(F16.value(x), "rn", bool(x & 0x8000)))
    yield Case(
        "cvt.f32.bf16 %0, %1;", "f", "h", lambda x: F32.rounded(BF16.value(x), "rn", bool(x & 0x8000)), arch="90"
    )
    yield Case("cvt.f64.f32 %0, %1;", "d", "f", lambda x: F64.rounded(F32.value(x), "rn", bool(x & F32.sign)), form=F64)
    yield Case("cvt.sat.f32.f32 %0, %1;", "f", "f", _saturated)
    yield Case(
        "cvt.rn.sat.f16.f32 %0, %1;", "h", "f", lambda x: _saturated16(F16.rounded(F32.value(x), "rn")), form=F16
    )
    yield Case("cvt.u32.u8 %0, %1;", "r", "r", lambda x: x & 0xFF)
    yield Case("cvt.s32.s8 %0, %1;", "r", "r", lambda x: signed(x, 8) & M32)
    yield Case("cvt.u8.u32 %0, %1;", "r", "r", lambda x: x & 0xFF)
    yield Case("cvt.sat.s8.s32 %0, %1;", "r", "r", lambda x: clamped(signed(x, 32), 8, True) & M32)
    yield Case("cvt.sat.u8.s32 %0, %1;", "r", "r", lambda x: clamped(signed(x, 32), 8, False))
    yield Case("cvt.rni.sat.u8.f32 %0, %1;", "r", "f", lambda x: integer_of(F32, x, "rni", 8, False))
    yield Case("cvt.rna.tf32.f32 %0, %1;", "r", "f", lambda x: _tf32(x, "rna"))
    yield Case(
        "cvt.pack.sat.s16.s32 %0, %1, %2;",
        "r",
        "rr",
        lambda a, b: (clamped(signed(a, 32), 16, True) & 0xFFFF) << 16 | clamped(signed(b, 32), 16, True) & 0xFFFF,
    )
    yield Case(
        "cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;",
        "r",
        "rrr",
        lambda a, b, c: (c << 16 | clamped(signed(a, 32), 8, False) << 8 | clamped(signed(b, 32), 8, False)) & M32,
    )
    for bits in (2, 4):
        for is_signed, letter in ((False, "u"), (True, "s")):

            def packed(a: int, b: int, c: int, bits: int = bits, is_signed: bool = is_signed) -> int:
                high, low = (clamped(signed(x, 32), bits, is_signed) % (1 << bits) for x in (a, b))
                return (c << 2 * bits | high << bits | low) & M32

            yield Case(f"cvt.pack.sat.{letter}{bits}.s32.b32 %0, %1, %2, %3;", "r", "rrr", packed)
    for mode in ("rz", "rp"):
        for limit in ("", ".satfinite"):

            def power(x: int, mode: str = mode, limit: str = limit) -> int:
                value = F32.value(x)
                if isinstance(value, float):  # infinite, or no number
                    return 0xFF if math.isnan(value) or not limit else 0xFE
                codes = [code for code in range(255) if Fraction(2) ** (code - 127) <= abs(value)]
                code = codes[-1] if codes else 0
                if mode == "rp" and Fraction(2) ** (code - 127) < abs(value):
                    code += 1
                return min(code, 0xFE if limit else 0xFF)

            yield Case(
                f"cvt.{mode}{limit}.ue8m0x2.f32 %0, %1, %2;",
                "h",
                "ff",
                lambda a, b, power=power: power(a) << 8 | power(b),
                arch="100a",
            )
            yield Case(
                f"cvt.{mode}{limit}.ue8m0x2.bf16x2 %0, %1;",
                "h",
                "r",
                lambda a, power=power: power(a & 0xFFFF0000) << 8 | power(a << 16 & M32),
                arch="100a",
            )
    yield Case(
        "cvt.rn.bf16x2.ue8m0x2 %0, %1;",
        "r",
        "h",
        lambda a: sum(
            (BF16.nan if code == 0xFF else BF16.rounded(Fraction(2) ** (code - 127), "rn")) << 16 * at
            for at, code in enumerate((a & 0xFF, a >> 8))
        ),
        arch="100a",
    )


def _small() -> Iterator[Case]:
    for template, outputs, inputs, expected in ptx_small.instructions():
        arch = "90" if "e5m2" in template or "e4m3" in template else "100a"
        yield Case(template, outputs, inputs, expected, arch=arch)


def _integral_float(form: Format, x: int, mode: str) -> int:
    value = form.value(x)
    if isinstance(value, float):
        return form.nan if math.isnan(value) else x
    return form.rounded(integral(value, mode + "i"), "rn", bool(x & form.sign))


def _tf32(x: int, mode: str) -> int:
    if F32.is_nan(x):
        return x & ~0x1FFF if mode == "rna" else 0x7FFFFFFF
    return Format(32, 23).rounded(
        Format(19, 10).value(Format(19, 10).rounded(F32.value(x), mode, bool(x & F32.sign))), "rn", bool(x & F32.sign)
    )


_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a < b or a > b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    "equ": lambda a, b: not (a < b or a > b), "neu": lambda a, b: a != b, "ltu": lambda a, b: not a >= b, "leu": lambda a, b: not a > b, "gtu": lambda a, b: not a <= b, "geu": lambda a, b: not a < b,
    "num": lambda a, b: a == a and b == b, "nan": lambda a, b: a != a or b != b,
}  # fmt: skip


def _selections() -> Iterator[Case]:
    for op, f in _COMPARISONS.items():
        yield Case(
            f"{{\n\t.reg .pred p;\n\tsetp.{op}.f32 p, %1, %2;\n\tselp.b32 %0, 1, 0, p;\n\t}}",
            "r",
            "ff",
            lambda a, b, f=f: int(f(float_of(a), float_of(b))),
        )
        yield Case(f"set.{op}.u32.f32 %0, %1, %2;", "r", "ff", lambda a, b, f=f: M32 * f(float_of(a), float_of(b)))
        yield Case(f"set.{op}.u32.f16x2 %0, %1, %2;", "r", "rr", lambda a, b, f=f: _masks(f, a, b))
        if op in ("eq", "ne", "lt", "le", "gt", "ge"):
            for name in ("u32", "s32"):
                yield Case(
                    f"{{ .reg .pred %%p1; setp.{op}.{name} %%p1, %1, %2; selp.b32 %0, 1, 0, %%p1; }}",
                    "r",
                    "rr",
                    lambda a, b, f=f, s=name == "s32": int(f(signed(a, 32), signed(b, 32)) if s else f(a, b)),
                )
    yield Case(
        "{ .reg .pred p, q; setp.lt.u32 p, %1, %2; setp.gt.and.s32 q, %1, %2, !p; selp.b32 %0, 1, 0, q; }",
        "r",
        "rr",
        lambda a, b: int(signed(a, 32) > signed(b, 32) and not a < b),
    )
    yield Case(
        "{ .reg .pred p, q; setp.lt.u32 p|q, %1, %2; selp.b32 %0, 1, 2, p; @q add.u32 %0, %0, 5; }",
        "r",
        "rr",
        lambda a, b: 1 if a < b else 7,
    )
    yield Case(
        "{ .reg .pred p; setp.ne.b32 p, %2, 0; mov.u32 %0, 7; @p mov.u32 %0, %1; @!p add.u32 %0, %0, %1; }",
        "r",
        "rP",
        lambda a, b: a if b else (7 + a) & M32,
    )
    yield Case(
        "{ .reg .pred p, q, r; setp.ne.b32 p, %1, 0; setp.ne.b32 q, %2, 0; and.pred r, p, q; xor.pred p, p, q; not.pred q, r; or.pred r, p, r; selp.b32 %0, 1, 0, r; @q add.u32 %0, %0, 4; }",
        "r",
        "PP",
        lambda a, b: (a | b) + 4 * (1 - (a & b)),
    )
    yield Case("slct.b32.s32 %0, %1, %2, %3;", "r", "rrr", lambda a, b, c: a if signed(c, 32) >= 0 else b)
    yield Case("slct.f32.f32 %0, %1, %2, %3;", "f", "fff", lambda a, b, c: a if float_of(c) >= 0 else b)
    yield Case("mov.b64 %0, {%1, %2};", "l", "rr", lambda a, b: b << 32 | a)
    yield Case("mov.b64 {%0, %1}, %2;", "rr", "l", lambda a: (a & M32, a >> 32))
    yield Case("mov.b64 {%0, %1}, %2;", "rr", "d", lambda a: (a & M32, a >> 32))
    yield Case("mov.b32 %0, {%1, %2};", "r", "hh", lambda a, b: b << 16 | a)
    yield Case("mov.b32 {%0, _}, %1;", "h", "r", lambda a: a & 0xFFFF)
    yield Case("mov.b32 %0, %1;", "r", "f", lambda a: a)
    yield Case("mov.b32 %0, %1;", "f", "r", lambda a: a)
    yield Case("mov.b64 %0, %1;", "l", "d", lambda a: a)
    yield Case("mov.f32 %0, 0f3FC00000;", "f", "", lambda: 0x3FC00000)
    yield Case("mov.f64 %0, 0dBFF8000000000000;", "d", "", lambda: 0xBFF8000000000000, form=F64)
    yield Case("mov.u32 %0, 0xfffffffe; // a comment\n add.s32 %0, %0, -1; /* another */", "r", "", lambda: 0xFFFFFFFD)
    yield Case(
        "{ .reg .b32 t<3>; mov.b32 t0, %2; mov.b32 t1, %3; mov.b32 %0, t1; mov.b32 %1, t0; }",
        "rr",
        "rr",
        lambda a, b: (b, a),
    )
    yield Case(
        "{ .reg .u32 x; mov.u32 x, 1; { .reg .u32 x; mov.u32 x, %1; mov.u32 %0, x; } add.u32 %0, %0, x; }",
        "r",
        "r",
        lambda a: a + 1 & M32,
    )
    yield Case(
        "add.u32 %0, %0, %1; mul.lo.u32 %0, %0, %0;",
        "+r",
        "r",
        whole=lambda table: [(r[0] + r[1]) ** 2 & M32 for r in table],
    )


def _masks(holds: Callable[[float, float], bool], a: int, b: int) -> int:
    """All bits of each half where the halves of `a` and `b` compare."""
    (a0, a1), (b0, b1) = (struct.unpack("<ee", x.to_bytes(4, "little")) for x in (a, b))
    return 0xFFFF * holds(a0, b0) | 0xFFFF0000 * holds(a1, b1)


def _memory() -> Iterator[Case]:
    def changed(index: int, value: Callable[[list[int]], int]) -> Callable[[list[int]], list[int]]:
        return lambda row: [value(row) if i == index else row[i] for i in range(4)]

    for space, pointer in (("global", "G"), ("shared", "S")):
        for hint in ("", ".ca", ".cg", ".cs", ".lu", ".cv") if space == "global" else ("",):
            yield Case(
                f"ld.{space}{hint}.u32 %0, [%1];", "r", pointer, None, whole=lambda table: [r[0] & M32 for r in table]
            )
        yield Case(f"ld.volatile.{space}.b64 %0, [%1+8];", "l", pointer, whole=lambda table: [r[1] for r in table])
        yield Case(
            f"ld.{space}.s8 %0, [%1+3];", "r", pointer, whole=lambda table: [signed(r[0] >> 24, 8) & M32 for r in table]
        )
        yield Case(
            f"ld.{space}.u16 %0, [%1+2];", "h", pointer, whole=lambda table: [r[0] >> 16 & 0xFFFF for r in table]
        )
        yield Case(
            f"ld.{space}.v2.f32 {{%0, %1}}, [%2];",
            "ff",
            pointer,
            whole=lambda table: [(r[0] & M32, r[0] >> 32) for r in table],
        )
        yield Case(
            f"ld.{space}.v4.u32 {{%0, %1, %2, %3}}, [%4+16];",
            "rrrr",
            pointer,
            whole=lambda table: [(r[2] & M32, r[2] >> 32, r[3] & M32, r[3] >> 32) for r in table],
        )
        yield Case(f"st.{space}.u64 [%0+8], %1;", "", pointer + "l", memory=changed(1, lambda row: row[1]))
        yield Case(
            f"st.{space}.u8 [%0], %1;", "", pointer + "r", memory=changed(0, lambda row: row[0] & ~0xFF | row[1] & 0xFF)
        )
        yield Case(
            f"st.{space}.v4.b32 [%0], {{%1, %2, %3, %4}};",
            "",
            pointer + "rrrr",
            memory=lambda row: [row[2] << 32 | row[1], row[4] << 32 | row[3], row[2], row[3]],
        )
        for op, f in {
            "add": lambda a, b: a + b,
            "and": lambda a, b: a & b,
            "or": lambda a, b: a | b,
            "xor": lambda a, b: a ^ b,
            "min": min,
            "max": max,
        }.items():
            kind = "b32" if op in ("and", "or", "xor") else "u32"
            low = changed(0, lambda row, f=f: row[0] & ~M32 | f(row[0] & M32, row[1] & M32) & M32)
            yield Case(f"red.{space}.{op}.{kind} [%0], %1;", "", pointer + "r", memory=low)
            yield Case(
                f"atom.{space}.{op}.{kind} %0, [%1], %2;",
                "r",
                pointer + "r",
                memory=low,
                whole=lambda table: [r[0] & M32 for r in table],
            )
        yield Case(
            f"atom.{space}.cas.b32 %0, [%1], %2, %3;",
            "r",
            pointer + "rr",
            memory=lambda row: [row[0] & ~M32 | (row[2] if row[0] & M32 == row[1] else row[0] & M32), *row[1:4]],
            whole=lambda table: [r[0] & M32 for r in table],
        )
        yield Case(
            f"atom.{space}.exch.b64 %0, [%1], %2;",
            "l",
            pointer + "l",
            memory=changed(0, lambda row: row[1]),
            whole=lambda table: [r[0] for r in table],
        )
        yield Case(
            f"atom.{space}.inc.u32 %0, [%1], %2;",
            "r",
            pointer + "r",
            memory=changed(0, lambda row: row[0] & ~M32 | (0 if row[0] & M32 >= row[1] else (row[0] & M32) + 1)),
            whole=lambda table: [r[0] & M32 for r in table],
        )
    smin = changed(0, lambda row: row[0] & ~M32 | min(signed(row[0], 32), signed(row[1], 32)) & M32)
    yield Case("red.relaxed.gpu.global.min.s32 [%0], %1;", "", "Gr", memory=smin)
    yield Case(
        "red.release.gpu.global.add.s32 [%0], %1;",
        "",
        "Gr",
        memory=changed(0, lambda row: row[0] & ~M32 | row[0] + row[1] & M32),
    )
    yield Case(
        "atom.acq_rel.gpu.global.add.u64 %0, [%1], %2;",
        "l",
        "Gl",
        memory=changed(0, lambda row: row[0] + row[1] & M64),
        whole=lambda table: [r[0] for r in table],
    )
    yield Case(
        "atom.global.add.f32 %0, [%1], %2;",
        "f",
        "GF",
        memory=changed(0, lambda row: row[0] & ~M32 | arithmetic(F32, "add", "rn", row[0] & M32, row[1])),
        whole=lambda table: [r[0] & M32 for r in table],
        memory_holds="f32",
    )
    yield Case(
        "red.global.add.v2.f32 [%0], {%1, %2};",
        "",
        "GFF",
        memory=changed(
            0,
            lambda row: (
                arithmetic(F32, "add", "rn", row[0] >> 32, row[2]) << 32
                | arithmetic(F32, "add", "rn", row[0] & M32, row[1])
            ),
        ),
        arch="90",
        memory_holds="f32",
    )
    yield Case(
        "red.global.add.noftz.f16x2 [%0], %1;",
        "",
        "Gr",
        memory=changed(
            0,
            lambda row: (
                row[0] & ~M32 | _each(16, lambda a, b: arithmetic(F16, "add", "rn", a, b), row[0] & M32, row[1])
            ),
        ),
        memory_holds="f16",
    )
    yield Case(
        "atom.global.add.noftz.bf16x2 %0, [%1], %2;",
        "r",
        "Gr",
        memory=changed(
            0,
            lambda row: (
                row[0] & ~M32 | _each(16, lambda a, b: arithmetic(BF16, "add", "rn", a, b), row[0] & M32, row[1])
            ),
        ),
        whole=lambda table: [r[0] & M32 for r in table],
        arch="90",
        memory_holds="bf16",
    )
    yield Case(
        "{ st.release.gpu.global.u32 [%1], %2; ld.acquire.gpu.global.u32 %0, [%1]; }",
        "r",
        "Gr",
        lambda g, a: a,
        memory=changed(0, lambda row: row[0] & ~M32 | row[1]),
    )
    yield Case("ld.relaxed.sys.global.u32 %0, [%1];", "r", "G", whole=lambda table: [r[0] & M32 for r in table])
    yield Case(
        "ld.global.nc.L1::no_allocate.L2::128B.v4.s32 {%0, %1, %2, %3}, [%4];",
        "rrrr",
        "G",
        whole=lambda table: [(r[0] & M32, r[0] >> 32, r[1] & M32, r[1] >> 32) for r in table],
    )
    yield Case(
        "st.global.L1::no_allocate.v2.u32 [%0], {%1, %2};",
        "",
        "Grr",
        memory=changed(0, lambda row: row[2] << 32 | row[1]),
    )
    for hint in ("wb", "cg", "cs", "wt"):
        yield Case(f"st.global.{hint}.u32 [%0], %1;", "", "Gr", memory=changed(0, lambda row: row[0] & ~M32 | row[1]))
    yield Case(
        "{ .reg .b64 policy; createpolicy.fractional.L2::evict_last.b64 policy, 1.0; ld.global.L2::cache_hint.u32 %0, [%1], policy; }",
        "r",
        "G",
        whole=lambda table: [r[0] & M32 for r in table],
    )
    yield Case(
        "{ .reg .u64 a; .reg .u32 b; cvta.to.global.u64 a, %1; ld.global.u32 b, [a+4]; mov.u32 %0, b; }",
        "r",
        "G",
        whole=lambda table: [r[0] >> 32 for r in table],
    )
    order = "cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;"
    # the thread's shared and global memory have the same content, so the copy is from another offset
    yield Case(f"cp.async.ca.shared.global [%0], [%1+24], 8; {order}", "", "SG", memory=lambda row: [row[3], *row[1:4]])
    yield Case(
        f"cp.async.cg.shared.global.L2::128B [%0], [%1+16], 16; {order}",
        "",
        "SG",
        memory=lambda row: [row[2], row[3], row[2], row[3]],
    )
    yield Case(
        f"{{ .reg .u32 n; and.b32 n, %2, 7; cp.async.ca.shared.global [%0], [%1+24], 8, n; {order} }}",
        "",
        "SGR",
        memory=lambda row: [row[3] & (1 << 8 * (row[2] & 7)) - 1, *row[1:4]],
    )
    yield Case("prefetch.global.L2 [%0];", "", "G", memory=lambda row: row[:4])
    yield Case("prefetchu.L1 [%0];", "", "G", memory=lambda row: row[:4])


def _shuffled(mode: str, table: list[list[int]], with_predicate: bool = False) -> list[Bits]:
    """shfl.sync of row[0] by row[1] & 31 with the clamp and segments in row[2], within each warp of 32."""
    results: list[Bits] = []
    for thread, row in enumerate(table):
        lane, warp = thread % 32, thread // 32 * 32
        b, c = row[1] & 31, row[2]
        clamp, segment = c & 31, c >> 8 & 31
        last, first = lane & segment | clamp & ~segment, lane & segment
        source, exists = {
            "up": (lane - b, lane - b >= last), "down": (lane + b, lane + b <= last), "bfly": (lane ^ b, lane ^ b <= last),
            "idx": (first | b & ~segment, (first | b & ~segment) <= last),
        }[mode]  # fmt: skip
        value = table[warp + (source if exists else lane)][0]
        results.append((value, int(exists)) if with_predicate else value)
    return results


def _warps() -> Iterator[Case]:
    for mode in ("up", "down", "bfly", "idx"):
        uniform = "{ .reg .u32 b; mov.u32 b, 5; " if mode != "idx" else "{ .reg .u32 b; and.b32 b, %2, 31; "
        clamp = 0x0 if mode == "up" else 0x1F
        full = lambda table, mode=mode, clamp=clamp: _shuffled(
            mode, [[r[0], r[1] & 31 if mode == "idx" else 5, clamp] for r in table]
        )
        yield Case(f"{uniform} shfl.sync.{mode}.b32 %0, %1, b, {clamp:#x}, 0xffffffff; }}", "r", "rr", whole=full)
        parts = 0x1800 if mode == "up" else 0x181F  # segments of 8 lanes
        segments = lambda table, mode=mode, parts=parts: _shuffled(
            mode, [[r[0], r[1] & 31 if mode == "idx" else 5, parts] for r in table], True
        )
        yield Case(
            f"{uniform} .reg .pred p; shfl.sync.{mode}.b32 %0|p, %2, b, {parts:#x}, 0xffffffff; selp.u32 %1, 1, 0, p; }}".replace(
                "%2, 31", "%3, 31"
            ),
            "rr",
            "rr",
            whole=segments,
        )

    def votes(table: list[list[int]]) -> list[int]:
        return [sum(table[t // 32 * 32 + i][0] << i for i in range(32)) for t in range(ROWS)]

    yield Case(
        _PREDICATE + "vote.sync.ballot.b32 %0, p, 0xffffffff; }", "r", "P", whole=lambda table: list(votes(table))
    )
    for mode, f in {"all": lambda v: v == M32, "any": lambda v: v != 0, "uni": lambda v: v in (0, M32)}.items():
        yield Case(
            _PREDICATE + f"vote.sync.{mode}.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }}",
            "r",
            "P",
            whole=lambda table, f=f: [int(f(v)) for v in votes(table)],
        )
    yield Case("activemask.b32 %0;", "r", "", lambda: M32)
    same = lambda table: [
        sum((table[t // 32 * 32 + i][0] & 3 == table[t][0] & 3) << i for i in range(32)) for t in range(ROWS)
    ]
    yield Case("{ .reg .b32 a; and.b32 a, %1, 3; match.any.sync.b32 %0, a, 0xffffffff; }", "r", "r", whole=same)
    yield Case(
        "{ .reg .pred p; match.all.sync.b32 %0|p, %1, 0xffffffff; @p add.u32 %0, %0, 1; }",
        "r",
        "P",
        whole=lambda table: [0] * len(table),
    )
    for op in ("add", "min", "max"):
        for name in ("u32", "s32"):

            def reduced(table: list[list[int]], op: str = op, is_signed: bool = name == "s32") -> list[Bits]:
                f = {"add": sum, "min": min, "max": max}[op]
                lanes = [
                    [signed(r[0], 32) if is_signed else r[0] for r in table[w * 32 : w * 32 + 32]] for w in range(2)
                ]
                return [f(lanes[t // 32]) & M32 for t in range(ROWS)]

            yield Case(f"redux.sync.{op}.{name} %0, %1, 0xffffffff;", "r", "r", whole=reduced)
    for op in ("min", "max"):
        for size in ("", ".abs"):
            for nan in ("", ".NaN"):

                def extreme(table: list[list[int]], op: str = op, size: str = size, nan: str = nan) -> list[Bits]:
                    results: list[Bits] = []
                    for w in range(2):
                        lanes = [r[0] & 0x7FFFFFFF if size else r[0] for r in table[w * 32 : w * 32 + 32]]
                        numbers = [x for x in lanes if not F32.is_nan(x)]
                        # the sign tells zeros apart
                        numbers.sort(key=lambda x: (F32.value(x), x < 0x80000000))
                        is_nan = not numbers or (nan and len(numbers) < 32)
                        results += [F32.nan if is_nan else numbers[0 if op == "min" else -1]] * 32
                    return results

                template = f"redux.sync.{op}{size}{nan}.f32 %0, %1, 0xffffffff;"
                yield Case(template, "f", "f", whole=extreme, arch="100a")
    for op in ("and", "or", "xor"):

        def joined(table: list[list[int]], op: str = op) -> list[Bits]:
            results: list[Bits] = []
            for w in range(2):
                value = table[w * 32][0]
                for r in table[w * 32 + 1 : w * 32 + 32]:
                    value = value & r[0] if op == "and" else value | r[0] if op == "or" else value ^ r[0]
                results += [value] * 32
            return results

        yield Case(f"redux.sync.{op}.b32 %0, %1, 0xffffffff;", "r", "r", whole=joined)
    yield Case(
        "{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }",
        "r",
        "",
        whole=lambda table: [int(t % 32 == 0) for t in range(ROWS)],
        arch="90",
    )
    registers: dict[str, Callable[[int], int]] = {
        "laneid": lambda t: t % 32, "warpid": lambda t: t // 32, "tid.x": lambda t: t, "tid.y": lambda t: 0, "ntid.x": lambda t: ROWS, "ctaid.x": lambda t: 0, "nctaid.z": lambda t: 1,
        "lanemask_eq": lambda t: 1 << t % 32, "lanemask_lt": lambda t: (1 << t % 32) - 1, "lanemask_le": lambda t: (2 << t % 32) - 1,
        "lanemask_gt": lambda t: M32 & ~((2 << t % 32) - 1), "lanemask_ge": lambda t: M32 & ~((1 << t % 32) - 1), "nwarpid": lambda t: 2,
    }  # fmt: skip
    for name, f in registers.items():
        if name != "nwarpid":
            yield Case(f"mov.u32 %0, %%{name};", "r", "", whole=lambda table, f=f: [f(t) for t in range(ROWS)])
    yield Case(
        "{ .reg .u32 i, n; .reg .pred p; mov.u32 i, %%smid; mov.u32 n, %%nsmid; setp.lt.u32 p, i, n; selp.u32 %0, 1, 0, p; }",
        "r",
        "",
        lambda: 1,
    )
    yield Case(
        "{ .reg .u64 a, b; .reg .pred p; mov.u64 a, %%clock64; mov.u64 b, %%clock64; setp.ge.u64 p, b, a; selp.u32 %0, 1, 0, p; }",
        "r",
        "",
        lambda: 1,
    )
    yield Case("bar.warp.sync 0xffffffff;", "", "")


def _blocks() -> Iterator[Case]:
    for barrier in (
        "bar.sync 0;",
        "barrier.sync 1;",
        f"bar.sync 0, {ROWS};",
        "barrier.sync.aligned 0;",
        "membar.gl; fence.acq_rel.gpu; membar.cta; fence.sc.sys; bar.sync 0;",
        f"membar.sys; fence.acq_rel.cta; barrier.sync 0, {ROWS};",
        f"bar.sync 1, {ROWS};",
        f"barrier.cta.sync 2, {ROWS};",
        f"bar.arrive 3, {2 * ROWS}; bar.sync 3, {2 * ROWS};",
        f"barrier.cta.arrive.aligned 4, {2 * ROWS}; barrier.cta.sync.aligned 4, {2 * ROWS};",
    ):
        yield Case(
            f"st.shared.u64 [%1], %2; {barrier} ld.shared.u64 %0, [%1];",
            "l",
            "Sl",
            lambda s, a: a,
            memory=lambda row: [row[1], *row[1:4]],
        )
    for name in ("bar", "barrier"):
        popc = _PREDICATE + f"{name}.red.popc.u32 %0, 0, p; }}"
        yield Case(popc, "r", "P", whole=lambda table: [sum(r[0] for r in table)] * ROWS)
        for op, f in {"and": all, "or": any}.items():
            yield Case(
                _PREDICATE + f"{name}.red.{op}.pred q, 0, p; selp.u32 %0, 1, 0, q; }}",
                "r",
                "P",
                whole=lambda table, f=f: [int(f(r[0] for r in table))] * ROWS,
            )
    yield Case("nanosleep.u32 20;", "", "")
    yield Case("fence.proxy.async; fence.proxy.async.global; fence.proxy.async.shared::cta;", "", "", arch="90")
    yield Case("setmaxnreg.inc.sync.aligned.u32 232; setmaxnreg.dec.sync.aligned.u32 40;", "", "", arch="90a")
    yield Case("griddepcontrol.wait; griddepcontrol.launch_dependents;", "", "", arch="90")


def _mbarriers() -> Iterator[Case]:
    """Each thread has a barrier in shared memory of its own, at which it arrives alone."""
    begin = "{ .reg .pred p; .reg .b64 t, u; .reg .u32 n; mbarrier.init.shared::cta.b64 [%1], 3;"
    arrive = "mbarrier.arrive.shared.b64 t, [%1];"
    passed = "selp.u32 %0, 1, 0, p; mbarrier.inval.shared.b64 [%1]; }"
    yield Case(f"{begin} {arrive} mbarrier.pending_count.b64 %0, t; }}", "r", "S", lambda s: 3)
    for name, more, operand in (
        ("test_wait", "", "t"),
        ("try_wait", "", "t"),
        ("try_wait", ", 100", "t"),
        ("test_wait.parity", "", "0"),
        ("try_wait.parity", "", "0"),
        ("try_wait.parity", ", 100", "0"),
        ("test_wait.parity.acquire.cta", "", "0"),
    ):
        wait = f"mbarrier.{name}.shared::cta.b64 p, [%1], {operand}{more};"
        for arrivals, expected in (
            (f"{arrive} {arrive}", 0),
            (f"{arrive} {arrive} {arrive}", 1),
            (f"{arrive} mbarrier.arrive.release.cta.shared::cta.b64 u, [%1], 2;", 1),
            (f"{arrive} mbarrier.arrive.noComplete.shared.b64 u, [%1], 1;", 0),
            (f"{arrive} mbarrier.arrive_drop.shared.b64 u, [%1]; mbarrier.arrive_drop.shared.b64 u, [%1];", 1),
            (f"{arrive} mbarrier.arrive_drop.noComplete.shared.b64 u, [%1], 1;", 0),
            (f"{arrive} {arrive} cp.async.mbarrier.arrive.noinc.shared.b64 [%1];", 1),
            (f"{arrive} {arrive} cp.async.mbarrier.arrive.shared.b64 [%1];", 0),
        ):
            arch = "90" if name.startswith("try") or "acquire" in name or "release" in arrivals else "80"
            yield Case(f"{begin} {arrivals} {wait} {passed}", "r", "S", lambda s, e=expected: e, arch=arch)
    # two arrivals that drop out leave one for the next phase
    dropped = "mbarrier.arrive_drop.shared.b64 u, [%1]; mbarrier.arrive_drop.shared.b64 u, [%1];"
    yield Case(f"{begin} {arrive} {dropped} {arrive} mbarrier.pending_count.b64 %0, t; }}", "r", "S", lambda s: 1)
    yield Case(
        f"{begin} {arrive} {dropped} {arrive} mbarrier.test_wait.parity.shared.b64 p, [%1], 1; {passed}",
        "r",
        "S",
        lambda s: 1,
    )


def _others() -> Iterator[Case]:
    """Cases that the other groups leave out."""
    yield Case(
        "{ .reg .u64 a, g; .reg .u32 b; cvt.u64.u32 a, %1; cvta.shared.u64 g, a; cvta.to.shared.u64 a, g; cvt.u32.u64 b, a; ld.shared.u64 %0, [b]; }",
        "l",
        "S",
        whole=lambda table: [r[0] for r in table],
    )
    for op in ("add", "sub", "mul"):
        yield Case(f"{op}.f64 %0, %1, %2;", "d", "dd", lambda a, b, op=op: arithmetic(F64, op, "rn", a, b), form=F64)
    yield Case(
        "sub.rn.f32x2 %0, %1, %2;",
        "l",
        "ll",
        lambda a, b: _each(32, lambda x, y: arithmetic(F32, "sub", "rn", x, y), a, b),
        form=_PAIR32,
        arch="100",
    )
    yield Case(
        "sub.sat.f16 %0, %1, %2;", "h", "hh", lambda a, b: _saturated16(arithmetic(F16, "sub", "rn", a, b)), form=F16
    )
    yield Case(
        "fma.rn.sat.f16 %0, %1, %2, %3;",
        "h",
        "hhh",
        lambda *x: _saturated16(arithmetic(F16, "fma", "rn", *x)),
        form=F16,
    )
    yield Case(
        "mad.hi.cc.u32 %0, %2, %3, %4; madc.lo.u32 %1, %2, %3, %4;",
        "rr",
        "rrr",
        lambda a, b, c: (((a * b >> 32) + c) & M32, (a * b + c + ((a * b >> 32) + c >> 32)) & M32),
    )
    yield Case(
        "fma.rn.f16x2.relu %0, %1, %2, %3;",
        "r",
        "rrr",
        lambda a, b, c: _each(16, lambda x, y, z: _relu(F16, arithmetic(F16, "fma", "rn", x, y, z)), a, b, c),
        form=_PAIR16,
    )
    yield Case("{ st.global.release.gpu.b32 [%1], %2; ld.global.acquire.gpu.b32 %0, [%1]; }", "r", "Gr", lambda g, a: a)
    for op in ("add", "sub", "mul"):
        yield Case(
            f"{op}.rn.ftz.f32x2 %0, %1, %2;",
            "l",
            "ll",
            lambda a, b, op=op: _each(32, lambda x, y: flush(arithmetic(F32, op, "rn", flush(x), flush(y))), a, b),
            form=_PAIR32,
            arch="100",
        )
    yield Case(
        "fma.rn.ftz.f32x2 %0, %1, %2, %3;",
        "l",
        "lll",
        lambda a, b, c: _each(32, lambda x, y, z: flush(arithmetic(F32, "fma", "rn", *map(flush, (x, y, z)))), a, b, c),
        form=_PAIR32,
        arch="100",
    )
    yield Case("cvt.rni.sat.s8.f16 %0, %1;", "r", "h", lambda x: integer_of(F16, x, "rni", 8, True) & M32)
    yield Case(
        "ld.global.cs.nc.v2.s32 {%0, %1}, [%2];",
        "rr",
        "G",
        whole=lambda table: [(r[0] & M32, r[0] >> 32) for r in table],
    )
    yield Case("mad.rn.f32 %0, %1, %2, %3;", "f", "fff", lambda *x: arithmetic(F32, "fma", "rn", *x))
    yield Case("mad.rn.f64 %0, %1, %2, %3;", "d", "ddd", lambda *x: arithmetic(F64, "fma", "rn", *x), form=F64)
    yield Case(
        "{ .reg .f64 x; cvt.f64.f32 x, %1; rcp.approx.ftz.f64 %0, x; }",
        "d",
        "F",
        lambda a: F64.rounded(1 / Fraction(float_of(a))),
        form=F64,
        tolerance=1e-6,
    )
    yield Case(
        "{ .reg .f64 x; cvt.f64.f32 x, %1; abs.f64 x, x; rsqrt.approx.f64 %0, x; }",
        "d",
        "F",
        lambda a: F64.rounded(Fraction(1 / math.sqrt(abs(float_of(a))))),
        form=F64,
        tolerance=1e-6,
    )
    selected = "selp.b32 %0, 1, 0, p; }"
    yield Case(
        "{ .reg .pred p; setp.ltu.f16 p, %1, %2; " + selected,
        "r",
        "hh",
        lambda a, b: int(not F16.value(a) >= F16.value(b)),
    )
    for op, f in {
        "lo": lambda a, b: a < b,
        "ls": lambda a, b: a <= b,
        "hi": lambda a, b: a > b,
        "hs": lambda a, b: a >= b,
    }.items():
        yield Case(f"{{ .reg .pred p; setp.{op}.u32 p, %1, %2; {selected}", "r", "rr", lambda a, b, f=f: int(f(a, b)))
    yield Case(
        "{ .reg .pred p, q; setp.eq.u32 p, %1, %2; setp.ne.or.b32 p, %1, 0, p; " + selected,
        "r",
        "rr",
        lambda a, b: int(a == b or a != 0),
    )
    yield Case(
        "{ .reg .pred p; setp.eq.u32 p, %3, 0; setp.lt.xor.ftz.f32 p, %1, %2, p; " + selected,
        "r",
        "ffP",
        lambda a, b, c: int((float_of(flush(a)) < float_of(flush(b))) != (c == 0)),
    )
    yield Case("set.lt.u32.s32 %0, %1, %2;", "r", "rr", lambda a, b: M32 * (signed(a, 32) < signed(b, 32)))
    yield Case("set.ge.f32.f32 %0, %1, %2;", "f", "ff", lambda a, b: 0x3F800000 if float_of(a) >= float_of(b) else 0)
    yield Case(
        "cvt.rn.relu.f16.f32 %0, %1;",
        "h",
        "f",
        lambda x: _relu(F16, F16.rounded(F32.value(x), "rn", bool(x & F32.sign))),
        form=F16,
    )
    yield Case("cvt.f64.f16 %0, %1;", "d", "h", lambda x: F64.rounded(F16.value(x), "rn", bool(x & 0x8000)), form=F64)
    yield Case("cvt.rni.u8.f16 %0, %1;", "r", "h", lambda x: integer_of(F16, x, "rni", 8, False))
    yield Case("cvt.rmi.f16.f16 %0, %1;", "h", "h", lambda x: _integral_float(F16, x, "rm"), form=F16)
    policy = "{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy; "
    yield Case(
        policy + "ld.global.nc.L2::cache_hint.v2.u64 {%0, %1}, [%2], policy; }",
        "ll",
        "G",
        whole=lambda table: [(r[0], r[1]) for r in table],
    )
    yield Case("ldu.global.u32 %0, [%1+4];", "r", "G", whole=lambda table: [r[0] >> 32 for r in table])
    yield Case(
        policy
        + "st.global.L2::cache_hint.u64 [%0], %1, policy; st.global.L2::cache_hint.v2.u32 [%0+8], {%2, %2}, policy; }",
        "",
        "Glr",
        memory=lambda row: [row[1], row[2] << 32 | row[2], row[2], row[3]],
    )
    copied = "cp.async.wait_all; }"
    yield Case(
        f"{{ .reg .pred p; setp.ne.b32 p, %2, 0; cp.async.ca.shared.global [%0], [%1+24], 8, p; {copied}",
        "",
        "SGP",
        memory=lambda row: [0 if row[2] else row[3], *row[1:4]],
    )
    yield Case(
        policy + f"cp.async.ca.shared.global.L2::cache_hint [%0], [%1+24], 8, policy; {copied}",
        "",
        "SG",
        memory=lambda row: [row[3], *row[1:4]],
    )
    yield Case(
        policy + f"cp.async.cg.shared.global.L2::cache_hint [%0], [%1+16], 16, 8, policy; {copied}",
        "",
        "SG",
        memory=lambda row: [row[2], 0, row[2], row[3]],
    )
    yield Case("prefetch.global.L2::evict_last [%0]; prefetch.global.L1 [%0];", "", "G", memory=lambda row: row[:4])
    yield Case(
        "{ .reg .u64 a; and.b64 a, %0, -128; applypriority.global.L2::evict_normal [a], 128; }",
        "",
        "G",
        memory=lambda row: row[:4],
    )

    def low(f: Callable[[int, int], int]) -> Callable[[list[int]], list[int]]:
        return lambda row: [row[0] & ~M32 | f(row[0] & M32, row[1] & M32) & M32, *row[1:4]]

    def decreased(a: int, b: int) -> int:
        return b if a == 0 or a > b else a - 1

    yield Case(
        "atom.global.dec.u32 %0, [%1], %2;",
        "r",
        "Gr",
        memory=low(decreased),
        whole=lambda table: [r[0] & M32 for r in table],
    )
    yield Case("red.shared.dec.u32 [%0], %1;", "", "Sr", memory=low(decreased))
    yield Case("red.global.inc.u32 [%0], %1;", "", "Gr", memory=low(lambda a, b: 0 if a >= b else a + 1))
    yield Case(
        "red.global.add.noftz.v2.f16x2 [%0], {%1, %2};",
        "",
        "Grr",
        memory=lambda row: [
            _each(
                32,
                lambda x, y: _each(16, lambda a, b: arithmetic(F16, "add", "rn", a, b), x, y),
                row[0],
                row[2] << 32 | row[1],
            ),
            *row[1:4],
        ],
        arch="90",
        memory_holds="f16",
    )
    yield Case("match.all.sync.b32 %0, 7, 0xffffffff;", "r", "", lambda: M32)
    # sm_70 and later have only the forms with .sync, so nvcc refuses these
    yield Case(
        "shfl.bfly.b32 %0, %1, 3, 0x1f;",
        "r",
        "r",
        whole=lambda table: _shuffled("bfly", [[r[0], 3, 0x1F] for r in table]),
        arch="0",
    )
    yield Case(
        "{ .reg .pred p; shfl.down.b32 %0|p, %1, 3, 0x1f; @!p mov.b32 %0, 9; }",
        "r",
        "r",
        whole=lambda table: [x if p else 9 for x, p in _shuffled("down", [[r[0], 3, 0x1F] for r in table], True)],
        arch="0",
    )  # type: ignore[misc]
    yield Case(
        _PREDICATE + "vote.ballot.b32 %0, p; }",
        "r",
        "P",
        whole=lambda table: [sum(table[t // 32 * 32 + i][0] << i for i in range(32)) for t in range(ROWS)],
        arch="0",
    )
    yield Case(
        _PREDICATE + "vote.any.pred q, p; selp.u32 %0, 1, 0, q; }",
        "r",
        "P",
        whole=lambda table: [int(any(r[0] for r in table[t // 32 * 32 : t // 32 * 32 + 32])) for t in range(ROWS)],
        arch="0",
    )
    yield Case(
        _PREDICATE + "vote.uni.pred q, p; selp.u32 %0, 1, 0, q; }",
        "r",
        "P",
        whole=lambda table: [
            int(len({r[0] for r in table[t // 32 * 32 : t // 32 * 32 + 32]}) == 1) for t in range(ROWS)
        ],
        arch="0",
    )


_REGISTERS = {
    "r": ("unsigned", "(unsigned)in[{i}]"), "l": ("unsigned long long", "in[{i}]"), "h": ("unsigned short", "(unsigned short)in[{i}]"),
    "f": ("float", "__uint_as_float((unsigned)in[{i}])"), "d": ("double", "__longlong_as_double((long long)in[{i}])"),
}  # fmt: skip
_BACK = {
    "r": "{v}",
    "l": "{v}",
    "h": "{v}",
    "f": "__float_as_uint({v})",
    "d": "(unsigned long long)__double_as_longlong({v})",
}
_CONSTRAINT = {"R": "r", "P": "r", "F": "f", "S": "r", "G": "l"}


def source(chosen: Sequence[tuple[int, Case]]) -> str:
    """A CUDA program that runs `chosen` cases: `program inputs outputs`, binary files of 64-bit words."""
    functions = "\n".join(_function(number, case) for number, case in chosen)
    calls = "\n".join(
        f"        case {number}: case_{number}(in, out, global, shared + {WORDS} * threadIdx.x, address); break;"
        for number, _ in chosen
    )
    numbers = ", ".join(str(number) for number, _ in chosen)
    return (
        _PROGRAM.replace("@FUNCTIONS@", functions)
        .replace("@CALLS@", calls)
        .replace("@NUMBERS@", numbers)
        .replace("@WORDS@", str(WORDS))
        .replace("@ROWS@", str(ROWS))
    )


def _function(number: int, case: Case) -> str:
    outputs = [letter for letter in case.outputs if letter != "+"]
    reads_output = "+" in case.outputs
    lines, constraints = [], []
    for i, letter in enumerate(outputs):
        type_, read = _REGISTERS[letter]
        lines.append(f"    {type_} o{i} = {read.format(i=i) if reads_output else '0'};")
    shift = 1 if reads_output else 0
    for i, letter in enumerate(case.inputs):
        register = _CONSTRAINT.get(letter, letter)
        if letter == "G":
            constraints.append('"l"(global)')
        elif letter == "S":
            constraints.append('"r"(address)')
        else:
            type_, read = _REGISTERS[register]
            lines.append(f"    {type_} i{i} = {read.format(i=i + shift)};")
            constraints.append(f'"{register}"(i{i})')
    template = case.template
    if reads_output and case.before:
        template = f"{case.before} {template}"
    text = template.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace('"', '\\"')
    results = ", ".join(f'"{"+" if reads_output else "="}{letter}"(o{i})' for i, letter in enumerate(outputs))
    lines.append(f'    asm volatile("{text}" : {results} : {", ".join(constraints)} : "memory");')
    lines += [f"    out[{i}] = {_BACK[letter].format(v=f'o{i}')};" for i, letter in enumerate(outputs)]
    signature = "const unsigned long long* in, unsigned long long* out, unsigned long long* global, unsigned long long* shared, unsigned address"
    return f"__device__ void case_{number}({signature}) {{\n" + "\n".join(lines) + "\n}"


_PROGRAM = (PROGRAMS / "ptx_cases.cu.in").read_text(encoding="utf-8")

PAIRS = {_PAIR32: F32, _PAIR16: F16, _PAIRB16: BF16}
