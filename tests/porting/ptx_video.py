"""PTX's video instructions, as the PTX ISA document defines them, in exact arithmetic of Python."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator

from ptx_exact import clamped, signed

M32 = (1 << 32) - 1

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
    "vavrg": lambda a, b: a + b + 1 >> 1 if a + b >= 0 else a + b >> 1,
    "vshl": lambda a, b: signed(a << b & (1 << 34) - 1, 34),  # the document's .s34
    "vshr": lambda a, b: a >> b,
}
_PARTS = {"": (0, 32), **{f"b{i}": (8 * i, 8) for i in range(4)}, **{f"h{i}": (16 * i, 16) for i in range(2)}}


def number(word: int, selector: str, type_: str) -> int:
    """Return the value of an operand."""
    shift, bits = _PARTS[selector]
    value = word >> shift & (1 << bits) - 1
    return signed(value, bits) if type_ == "s32" else value


def merged(value: int, selector: str, c: int) -> int:
    shift, bits = _PARTS[selector]
    mask = (1 << bits) - 1 << shift
    return c & ~mask & M32 | value << shift & mask


def then(name: str, value: int, c: int, type_: str) -> int:
    """The secondary operation."""
    value, c = number(value & M32, "", type_), number(c, "", type_)
    return {"add": value + c, "min": min(value, c), "max": max(value, c)}[name] & M32


class Scalar:
    """vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset with one combination of modifiers."""

    def __init__(self, opcode: str, chance: random.Random, second: str) -> None:
        self.opcode, self.second = opcode, second
        types = ("u32", "s32")
        self.d, self.t, self.u = chance.choice(types), chance.choice(types), chance.choice(types)
        self.compare = chance.choice(list(_COMPARE)) if opcode == "vset" else ""
        self.mode = chance.choice(("clamp", "wrap")) if opcode in ("vshl", "vshr") else ""
        if self.mode:
            self.u = "u32"
        self.sat = chance.random() < 0.5 and opcode != "vset"
        self.a, self.b = (chance.choice([*_PARTS, ""]) for _ in range(2))
        self.into = chance.choice(list(_PARTS)[1:]) if second == "merge" else ""

    def template(self) -> str:
        types = [self.t, self.u] if self.compare else [self.d, self.t, self.u]
        name = [self.opcode, *types, *(["sat"] if self.sat else []), self.mode or self.compare]
        name += [self.second] if self.second in ("add", "min", "max") else []
        dots = [f".{selector}" if selector else "" for selector in (self.into, self.a, self.b)]
        third = ", %3" if self.second else ""
        return f"{'.'.join(filter(None, name))} %0{dots[0]}, %1{dots[1]}, %2{dots[2]}{third};"

    def __call__(self, a: int, b: int, c: int = 0) -> int:
        x, y = number(a, self.a, self.t), number(b, self.b, self.u)
        if self.mode:
            y = min(y, 32) if self.mode == "clamp" else y & 31
        value = int(_COMPARE[self.compare](x, y)) if self.compare else _OPERATIONS[self.opcode](x, y)
        if self.sat:
            value = clamped(value, _PARTS[self.into][1], self.d == "s32")
        if self.second == "merge":
            return merged(value, self.into, c)
        return then(self.second, value, c, self.t if self.compare else self.d) if self.second else value & M32


class MultiplyAdd:
    """vmad."""

    def __init__(self, chance: random.Random, is_unsigned: bool) -> None:
        self.t, self.u = (chance.choice(("u32",) if is_unsigned else ("u32", "s32")) for _ in range(2))
        self.a, self.b = (chance.choice([*_PARTS, "", ""]) for _ in range(2))
        self.sat, self.scale = chance.random() < 0.5, chance.choice((0, 7, 15))
        self.plus_one = chance.random() < 0.3
        self.minus = (False, False, False)
        if not self.plus_one and not is_unsigned and chance.random() < 0.6:
            self.minus = chance.choice([(True, False, False), (False, True, False), (False, False, True)])
        self.is_signed = "s32" in (self.t, self.u) or any(self.minus)

    def template(self) -> str:
        name = ["vmad", "s32" if self.is_signed else "u32", self.t, self.u, "po" if self.plus_one else ""]
        name += ["sat" if self.sat else "", f"shr{self.scale}" if self.scale else ""]
        signs = ["-" if minus else "" for minus in self.minus]
        parts = [f".{selector}" if selector else "" for selector in (self.a, self.b)]
        operands = f"%0, {signs[0]}%1{parts[0]}, {signs[1]}%2{parts[1]}, {signs[2]}%3"
        return f"{'.'.join(filter(None, name))} {operands};"

    def __call__(self, a: int, b: int, c: int) -> int:
        product = number(a, self.a, self.t) * number(b, self.b, self.u)
        added = number(c, "", "s32" if self.is_signed else "u32")
        product = -product if self.minus[0] or self.minus[1] else product
        value = product + (-added if self.minus[2] else added) + self.plus_one >> self.scale
        return (clamped(value, 32, self.is_signed) if self.sat else value) & M32


class Lanes:
    """The SIMD instructions: vadd2, vadd4, ... and vset2, vset4."""

    def __init__(self, opcode: str, count: int, chance: random.Random, adds: bool) -> None:
        self.opcode, self.count, self.adds = opcode, count, adds
        self.d, self.t, self.u = (chance.choice(("u32", "s32")) for _ in range(3))
        self.compare = chance.choice(list(_COMPARE)) if opcode == "vset" else ""
        self.sat = not adds and not self.compare and chance.random() < 0.5
        letter = "h" if count == 2 else "b"
        masks = [m for n in range(1, count + 1) for m in itertools.combinations(range(count - 1, -1, -1), n)]
        self.mask = chance.choice(masks)
        self.into = f".{letter}{''.join(map(str, self.mask))}"
        self.sources = [tuple(range(count)), tuple(range(count, 2 * count))]
        self.dots = ["", ""]
        for i in range(2):
            if chance.random() < 0.5:
                self.sources[i] = tuple(chance.randrange(2 * count) for _ in range(count))
                self.dots[i] = f".{letter}{''.join(map(str, reversed(self.sources[i])))}"

    def template(self) -> str:
        types = [self.t, self.u, self.compare] if self.compare else [self.d, self.t, self.u]
        name = [f"{self.opcode}{self.count}", *types, "sat" if self.sat else "", "add" if self.adds else ""]
        return f"{'.'.join(filter(None, name))} %0{self.into}, %1{self.dots[0]}, %2{self.dots[1]}, %3;"

    def __call__(self, a: int, b: int, c: int) -> int:
        bits = 32 // self.count
        both = a | b << 32
        lanes = [both >> bits * i & (1 << bits) - 1 for i in range(2 * self.count)]
        result = c
        for i in self.mask:
            x, y = lanes[self.sources[0][i]], lanes[self.sources[1][i]]
            x, y = signed(x, bits) if self.t == "s32" else x, signed(y, bits) if self.u == "s32" else y
            value = int(_COMPARE[self.compare](x, y)) if self.compare else _OPERATIONS[self.opcode](x, y)
            if self.sat:
                value = clamped(value, bits, self.d == "s32")
            if self.adds:
                result += value
            else:
                mask = (1 << bits) - 1 << bits * i
                result = result & ~mask | value << bits * i & mask
        return result & M32


def instructions() -> Iterator[tuple[str, str, Callable[..., int]]]:
    """Some of each kind: a template, the constraints of its inputs, and what it gives."""
    chance = random.Random(20)
    for opcode in ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"):
        for second in ("", "add", "min", "max", "merge", "merge"):
            for _ in range(2):
                scalar = Scalar(opcode, chance, second)
                count = "R" if scalar.mode and not scalar.b else "r"
                yield scalar.template(), f"r{count}r" if second else f"r{count}", scalar
    for i in range(20):
        multiply = MultiplyAdd(chance, is_unsigned=i % 5 == 0)
        yield multiply.template(), "rrr", multiply
    for opcode in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"):
        for count, adds in itertools.product((2, 4), (False, False, True)):
            lanes = Lanes(opcode, count, chance, adds)
            yield lanes.template(), "rrr", lanes
