"""The scalar types of random programs: how C++ names them, and how NumPy computes with them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Scalar(NamedTuple):
    """One type; a bfloat16 is a float32 in NumPy, rounded after each operation."""

    cxx: str
    dtype: str
    kind: str  # b, i, u or f, as NumPy has it
    bits: int

    @property
    def is_integer(self) -> bool:
        return self.kind in "iu"

    @property
    def unsigned(self) -> str:
        """The C++ type in which sums of this integer type wrap around."""
        return "unsigned long long" if self.bits == 64 else "unsigned"


BOOL = Scalar("bool", "?", "b", 8)
I8 = Scalar("signed char", "i1", "i", 8)
U8 = Scalar("unsigned char", "u1", "u", 8)
I16 = Scalar("short", "i2", "i", 16)
U16 = Scalar("unsigned short", "u2", "u", 16)
I32 = Scalar("int", "i4", "i", 32)
U32 = Scalar("unsigned", "u4", "u", 32)
I64 = Scalar("long long", "i8", "i", 64)
U64 = Scalar("unsigned long long", "u8", "u", 64)
F16 = Scalar("__half", "f2", "f", 16)
BF16 = Scalar("__mt_bfloat16", "f4", "f", 16)
F32 = Scalar("float", "f4", "f", 32)
F64 = Scalar("double", "f8", "f", 64)

INTEGERS = (I8, U8, I16, U16, I32, U32, I64, U64)
FLOATS = (F16, BF16, F32, F64)
SCALARS = (BOOL, *INTEGERS, *FLOATS)


def rounded(kind: Scalar, values: Array) -> Array:
    """Round what an operation on `kind` computed to its precision."""
    if kind is not BF16:
        return values.astype(kind.dtype, copy=False)
    bits = values.astype("f4").view("u4").astype("u8")
    even = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype("u4").view("f4")
    return np.where(np.isnan(values), np.float32("nan"), even).astype("f4")


def converted(to: Scalar, source: Scalar, values: Array) -> Array:
    """Convert as CUDA does: integers wrap, and floating point saturates on its way to an integer."""
    if to.kind == "b":
        return values != 0
    if to.kind == "f":
        # both sides convert these by way of float
        if to is BF16 or (to is F16 and source is not F64):
            values = values.astype("f4")
        return rounded(to, values.astype(to.dtype))
    if source.kind != "f":
        return values.astype(to.dtype)
    bits = max(to.bits, 32)
    wide = values.astype("f8")
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if to.kind == "i" else (0, 2**bits - 1)
    name = f"{to.kind}{bits // 8}"
    fits = (wide > float(least)) & (wide < float(most))
    found = np.where(fits, wide, 0.0).astype(name)
    found[wide >= float(most)] = most
    found[wide <= float(least)] = least
    no_number = 0 if bits == 32 and source.bits <= 32 else 2 ** (bits - 1)
    found[np.isnan(wide)] = np.array(no_number, f"u{bits // 8}").astype(name)
    return found.astype(to.dtype)


def as_bits(kind: Scalar, values: Array) -> Array:
    """Widen to the 64 bits that a kernel writes out: all NaNs are one."""
    if kind.kind != "f":
        return values.astype("u8")
    wide = values.astype("f8")
    return np.where(np.isnan(wide), np.uint64(0x7FF8000000000000), wide.view("u8")).astype("u8")


def as_stored(kind: Scalar, values: Array) -> Array:
    """Return values as they are in the device's memory."""
    return (values.view("u4") >> 16).astype("u2") if kind is BF16 else values


def from_stored(kind: Scalar, memory: bytes) -> Array:
    """Return the values that memory of the device contains."""
    if kind is BF16:
        return (np.frombuffer(memory, "u2").astype("u4") << 16).view("f4")
    return np.frombuffer(memory, kind.dtype)
