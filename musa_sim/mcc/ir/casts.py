"""Conversions whose result the language leaves open: floating point to integer, a byte to bool."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_VALUE = r"[^\s,()]+"
_SATURATING = re.compile(
    rf"^  ({_VALUE}) = call (i\d+) @llvm\.fpto([su])i\.sat\.i\d+\.\w+\((\w+) (?:noundef )?({_VALUE})\)(.*)$", re.M
)
#: clang reads a bool as a byte and takes its lowest bit
_BOOL = re.compile(rf"^  ({_VALUE}) = trunc (?:nuw )?i8 ({_VALUE}) to i1\b", re.M)
_INTRINSIC_NAMES = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}


class SaturatingCast(NamedTuple):
    """A call of llvm.fptosi.sat or llvm.fptoui.sat."""

    result: str
    bits: int  # of the integer
    is_signed: bool
    type: str  # of the value
    value: str
    attachments: str
    text: str  # the whole line


def replace_saturating_casts(ir: str, change: Callable[[SaturatingCast], str]) -> str:
    """Return the module with the lines `change(cast)` for each saturating cast."""

    def changed(found: re.Match[str]) -> str:
        result, to, sign, kind, value, rest = found.groups()
        return change(SaturatingCast(result, int(to[1:]), sign == "s", kind, value, rest, found.group(0)))

    return _SATURATING.sub(changed, ir)


def replace_reads_of_bools(ir: str, change: Callable[[str, str], str]) -> str:
    """Return the module with the line `change(result, byte)` where the lowest bit of a byte is taken for a bool."""
    return _BOOL.sub(lambda found: change(found.group(1), found.group(2)), ir)


def saturating_intrinsic(bits: int, is_signed: bool, kind: str) -> str:
    """Name the intrinsic that casts to an integer; empty for a type that it does not exist for."""
    if kind not in _INTRINSIC_NAMES:
        return ""
    return f"llvm.fpto{'s' if is_signed else 'u'}i.sat.i{bits}.{_INTRINSIC_NAMES[kind]}"


def calls_to_casts(ir: str, prefix: str) -> str:
    """Return the module with a cast to its own type in place of each call of a function whose name begins so.

    Such a function takes one value and returns it.
    """
    return re.sub(
        rf"= (?:tail |notail )?call (?:\w+ )*?(\w+) @{prefix}\w+\(\1 (?:noundef )?([^)]*)\)[^\n]*",
        r"= bitcast \1 \2 to \1",
        ir,
    )
