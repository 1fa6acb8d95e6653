"""Conversions that C++ leaves undefined, done as GPUs do them: floating point to integer, and a byte to bool.

A conversion saturates at the limits of a 32- or 64-bit integer. A narrower type takes the lowest bits of the 32-bit
result. NaN becomes 0, or the lowest number if either side has 64 bits. CUDA's cvt instruction does the same. clang's
-fno-strict-float-cast-overflow does not: it saturates at the limits of every type and makes every NaN a 0. Every byte
except 0 is true.
"""

from __future__ import annotations

from ..ir.casts import (
    SaturatingCast,
    replace_reads_of_bools,
    replace_saturating_casts,
    saturating_intrinsic,
)
from ..ir.functions import declare

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
    """Make the conversions of a module fresh from clang those of hardware."""
    ir = replace_reads_of_bools(ir, lambda result, byte: f"  {result} = icmp ne i8 {byte}, 0")
    conversions = _Conversions()
    ir = replace_saturating_casts(ir, conversions.lines)
    return declare(ir, *conversions.declarations())


class _Conversions:
    """Writes the casts of one module; notes which intrinsics they need."""

    def __init__(self) -> None:
        self._used: set[tuple[bool, int, str]] = set()
        self._uses_fabs = False
        self._number = 0

    def lines(self, cast: SaturatingCast) -> str:
        """Return the lines that replace a cast."""
        self._number += 1
        bits = max(cast.bits, 32)
        intrinsic = saturating_intrinsic(bits, cast.is_signed, cast.type)
        if not intrinsic or bits > 64:
            return cast.text
        if cast.type == "float" and bits == 32:
            return self._from_float(cast)
        self._used.add((cast.is_signed, bits, cast.type))
        number, name, rest = self._number, cast.result, cast.attachments
        call = f"call i{bits} @{intrinsic}({cast.type} {cast.value}){rest}"
        if cast.bits < bits:
            return f"  %musa.wide.{number} = {call}\n  {name} = trunc i{bits} %musa.wide.{number} to i{cast.bits}{rest}"
        if bits != 64 and cast.type != "double":
            return f"  {name} = {call}"
        return (
            f"  %musa.number.{number} = {call}\n"
            f"  %musa.nan.{number} = fcmp uno {cast.type} {cast.value}, {cast.value}{rest}\n"
            f"  {name} = select i1 %musa.nan.{number}, i{bits} {-(2 ** (bits - 1))}, "
            f"i{bits} %musa.number.{number}{rest}"
        )

    def declarations(self) -> list[str]:
        """Return the declarations of what the lines call."""
        fabs = ["declare float @llvm.fabs.f32(float)"] if self._uses_fabs else []
        return fabs + [
            f"declare i{bits} @{saturating_intrinsic(bits, is_signed, kind)}({kind})"
            for is_signed, bits, kind in sorted(self._used)
        ]

    def _from_float(self, cast: SaturatingCast) -> str:
        self._uses_fabs = self._uses_fabs or cast.is_signed
        code = _FROM_FLOAT["s" if cast.is_signed else "u"].format(n=self._number, x=cast.value)
        result = f"  {cast.result} = "
        if cast.bits < 32:
            return f"{code}{result}trunc i32 %musa.sat.{self._number} to i{cast.bits}{cast.attachments}"
        return f"{code}{result}add i32 %musa.sat.{self._number}, 0{cast.attachments}"
