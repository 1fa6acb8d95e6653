"""Conversions whose result C++ leaves open, as GPUs do them: floating point to integer, and a byte to bool.

A conversion saturates at the limits of a 32- or 64-bit integer, a narrower type takes the lowest bits of the 32-bit
result, and NaN gives 0, or the lowest number where 64 bits are involved on either side. So does CUDA's cvt
instruction; clang's -fno-strict-float-cast-overflow saturates at the limits of every type and makes every NaN a 0. Any
byte but 0 is true.
"""

from __future__ import annotations

import re

_VALUE = r"[^\s,()]+"
_SATURATING = re.compile(
    rf"^  ({_VALUE}) = call (i\d+) @llvm\.fpto([su])i\.sat\.i\d+\.\w+\((\w+) (?:noundef )?({_VALUE})\)(.*)$", re.M
)
_LLVM_NAMES = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
#: clang reads a bool as a byte and takes its lowest bit
_BOOL = re.compile(rf"^(  {_VALUE}) = trunc (?:nuw )?i8 ({_VALUE}) to i1\b", re.M)
_PROMISES = re.compile(r", !(?:noundef|range) ![0-9]+")

#: float to 32 bits in operations that become vector instructions, which LLVM's own intrinsics do not; the cast itself
#: only ever sees what fits
_FROM_FLOAT = {
    "s": """  %musa.size.{n} = call float @llvm.fabs.f32(float {x})
  %musa.fits.{n} = fcmp olt float %musa.size.{n}, 0x41E0000000000000
  %musa.safe.{n} = select i1 %musa.fits.{n}, float {x}, float 0.0
  %musa.cast.{n} = fptosi float %musa.safe.{n} to i32
  %musa.over.{n} = fcmp oge float {x}, 0x41E0000000000000
  %musa.most.{n} = select i1 %musa.over.{n}, i32 2147483647, i32 %musa.cast.{n}
  %musa.under.{n} = fcmp ole float {x}, 0xC1E0000000000000
  %musa.sat.{n} = select i1 %musa.under.{n}, i32 -2147483648, i32 %musa.most.{n}
""",
    "u": """  %musa.some.{n} = fcmp ogt float {x}, 0.0
  %musa.size.{n} = select i1 %musa.some.{n}, float {x}, float 0.0
  %musa.high.{n} = fcmp oge float %musa.size.{n}, 0x41E0000000000000
  %musa.rest.{n} = fsub float %musa.size.{n}, 0x41E0000000000000
  %musa.part.{n} = select i1 %musa.high.{n}, float %musa.rest.{n}, float %musa.size.{n}
  %musa.fits.{n} = fcmp olt float %musa.part.{n}, 0x41E0000000000000
  %musa.safe.{n} = select i1 %musa.fits.{n}, float %musa.part.{n}, float 0.0
  %musa.cast.{n} = fptosi float %musa.safe.{n} to i32
  %musa.bit.{n} = select i1 %musa.high.{n}, i32 -2147483648, i32 0
  %musa.both.{n} = or i32 %musa.cast.{n}, %musa.bit.{n}
  %musa.sat.{n} = select i1 %musa.fits.{n}, i32 %musa.both.{n}, i32 -1
""",
}


def as_hardware(ir: str) -> str:
    """A module fresh from clang, its conversions as hardware does them, without promises about values in memory."""
    ir = _BOOL.sub(r"\1 = icmp ne i8 \2, 0", ir)
    ir = _PROMISES.sub("", ir)
    used: set[tuple[str, str, str]] = set()
    uses_size = False
    number = 0

    def converted(found: re.Match[str]) -> str:
        nonlocal number, uses_size
        number += 1
        name, to, sign, kind, value, rest = found.groups()
        narrow = int(to[1:]) < 32
        wide = "i32" if narrow else to
        if kind not in _LLVM_NAMES or int(wide[1:]) > 64:
            return found.group(0)
        if kind == "float" and wide == "i32":
            uses_size = uses_size or sign == "s"
            return _FROM_FLOAT[sign].format(n=number, x=value) + (
                f"  {name} = trunc i32 %musa.sat.{number} to {to}{rest}"
                if narrow
                else f"  {name} = add i32 %musa.sat.{number}, 0{rest}"
            )
        used.add((sign, wide, kind))
        call = f"call {wide} @{_function(sign, wide, kind)}({kind} {value}){rest}"
        if narrow:
            return f"  %musa.wide.{number} = {call}\n  {name} = trunc i32 %musa.wide.{number} to {to}{rest}"
        if wide != "i64" and kind != "double":
            return f"  {name} = {call}"
        return (
            f"  %musa.number.{number} = {call}\n  %musa.nan.{number} = fcmp uno {kind} {value}, {value}{rest}\n"
            f"  {name} = select i1 %musa.nan.{number}, {wide} {-(2 ** (int(wide[1:]) - 1))}, "
            f"{wide} %musa.number.{number}{rest}"
        )

    ir = _SATURATING.sub(converted, ir)
    if uses_size and not re.search(r"^declare [^\n]*@llvm\.fabs\.f32\(", ir, re.M):
        ir += "declare float @llvm.fabs.f32(float)\n"
    return ir + "".join(
        f"declare {wide} @{_function(sign, wide, kind)}({kind})\n"
        for sign, wide, kind in sorted(used)
        if not re.search(rf"^declare [^\n]*@{re.escape(_function(sign, wide, kind))}\(", ir, re.M)
    )


def _function(sign: str, to: str, kind: str) -> str:
    return f"llvm.fpto{sign}i.sat.{to}.{_LLVM_NAMES[kind]}"
