"""PTX's types in C++, and conversions between them that keep the bits."""

from __future__ import annotations

import math
import re
import struct
from typing import NamedTuple, Optional


class Unportable(Exception):
    """A person has to rewrite this asm statement, because of `reason`: an instruction, or unreadable text."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class PtxType(NamedTuple):
    """A type of PTX: its type in C++, its size in bytes, and its kind (s, u, f, or p for a predicate)."""

    cxx: str
    size: int
    kind: str


_U8, _U16, _U32 = PtxType("unsigned char", 1, "u"), PtxType("unsigned short", 2, "u"), PtxType("unsigned", 4, "u")
_U64 = PtxType("unsigned long long", 8, "u")
F32, F64, PREDICATE = PtxType("float", 4, "f"), PtxType("double", 8, "f"), PtxType("bool", 1, "p")
U32, U64 = _U32, _U64
TYPES = {
    "u8": _U8,
    "b8": _U8,
    "u16": _U16,
    "b16": _U16,
    "u32": _U32,
    "b32": _U32,
    "u64": _U64,
    "b64": _U64,
    "s8": PtxType("signed char", 1, "s"),
    "s16": PtxType("short", 2, "s"),
    "s32": PtxType("int", 4, "s"),
    "s64": PtxType("long long", 8, "s"),
    "f32": F32,
    "f64": F64,
    "pred": PREDICATE,
    # half precision is kept in the register's bits: the functions of musa_ptx_half.h take and give those
    "f16": _U16,
    "bf16": _U16,
    "f16x2": _U32,
    "bf16x2": _U32,
}
UNSIGNED = {1: _U8, 2: _U16, 4: _U32, 8: _U64}
# The constraint of an operand of asm -> the register that holds it.
CONSTRAINTS = {"h": _U16, "r": _U32, "l": _U64, "f": F32, "d": F64}
# Names of types in the names of CUDA's functions: __float2int_rn.
FUNCTION_NAMES = {"s32": "int", "u32": "uint", "s64": "ll", "u64": "ull", "f32": "float", "f64": "double"}


def selected(selector: str, type_: PtxType) -> PtxType:
    """Return the type of a part of a `type_`: of a byte (b0) or of a half (h1)."""
    return TYPES[f"{type_.kind}{8 if selector.startswith('b') else 16}"]


def lane_mask(selector: str, lanes: int) -> int:
    """Return a bit for each lane that `selector` names (h10, b320); all without one."""
    return sum(1 << int(digit) for digit in selector[1:]) if selector else (1 << lanes) - 1


def lane_bytes(selector: str, lanes: int) -> int:
    """Return the argument of __byte_perm for `selector`: the lanes of two registers from the highest on."""
    size = 4 // lanes
    numbers = [size * int(lane) + byte for lane in reversed(selector[1:]) for byte in range(size)]
    return sum(number << (4 * index) for index, number in enumerate(numbers))


def converted(cxx: str, source: PtxType, target: PtxType, what: str) -> str:
    """Return C++ for the bits of `cxx`, a `source`, as a `target`: extended by its sign or by zeros, or cut off.

    Raises:
        Unportable: The instruction `what` would not be valid PTX.
    """
    if source.cxx == target.cxx:
        return cxx
    kinds = source.kind + target.kind
    if "p" in kinds or ("f" in kinds and source.size != target.size) or kinds == "ff":
        raise Unportable(f"{what} with an operand of another type")
    if target.kind == "f":
        function = "__uint_as_float" if target.size == 4 else "__longlong_as_double"
        return f"{function}({cxx})"
    if source.kind == "f":
        function = "__float_as_uint" if source.size == 4 else "__double_as_longlong"
        return f"({target.cxx}){function}({cxx})" if target.kind == "s" or source.size == 8 else f"{function}({cxx})"
    return f"({target.cxx}){_atom(cxx)}"


def literal(text: str, target: PtxType) -> Optional[str]:
    """Return a number of PTX in C++; None if `text` is no number."""
    number = text.rstrip("U") if not text.lower().startswith(("0f", "0d")) else text
    match = re.fullmatch(r"0([fFdD])([0-9A-Fa-f]+)", number)
    if match:
        return _float_of_bits(match[1].lower(), int(match[2], 16), target)
    try:
        value = int(number, 8) if re.fullmatch(r"-?0[0-7]+", number) else int(number, 0)
    except ValueError:
        return _decimal(number, target)
    if target.kind == "p":
        return "true" if value else "false"
    if target.kind == "f":
        return f"{value}.0f" if target.size == 4 else f"{value}.0"
    return _integer(value, target)


def _integer(value: int, target: PtxType) -> str:
    bits = 8 * target.size
    value &= (1 << bits) - 1
    if target.kind == "s" and value >> (bits - 1):
        value -= 1 << bits
    if target.size < 4 or value == -(1 << (bits - 1)):
        return f"({target.cxx}){value & ((1 << bits) - 1)}{'ull' if bits == 64 else 'u' if bits == 32 else ''}"
    suffix = {4: "", 8: "ll"}[target.size] if target.kind == "s" else {4: "u", 8: "ull"}[target.size]
    return f"({value}{suffix})" if value < 0 else f"{hex(value) if value > 0xFFFF else value}{suffix}"


def _decimal(text: str, target: PtxType) -> Optional[str]:
    if target.kind != "f" or re.fullmatch(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?", text) is None:
        return None
    return f"{float(text)!r}{'f' if target.size == 4 else ''}"


def _float_of_bits(kind: str, bits: int, target: PtxType) -> Optional[str]:
    if target.kind != "f":
        return None
    if kind == "f":
        (value,) = struct.unpack("<f", bits.to_bytes(4, "little"))
        if not math.isfinite(value):
            return f"__uint_as_float({bits:#x}u)"
    else:
        (value,) = struct.unpack("<d", bits.to_bytes(8, "little"))
        if not math.isfinite(value):
            return f"__longlong_as_double((long long){bits:#x}ull)"
    text = f"{value!r}{'f' if target.size == 4 else ''}"
    return f"({text})" if text.startswith("-") else text


def _atom(cxx: str) -> str:
    """Return `cxx` as an operand of a cast."""
    head = re.match(r"[\w.:]*", cxx)
    rest = cxx[head.end() :] if head else cxx
    return cxx if not rest or _is_one_group(rest) else f"({cxx})"


def _is_one_group(text: str) -> bool:
    """Return whether one pair of parentheses encloses all of `text`."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[0] == "(" and position == len(text) - 1
    return False
