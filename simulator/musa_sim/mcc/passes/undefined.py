"""Define, as cards do, the operations that C++ leaves undefined and kernels use.

docs/simulator-undefined.md has the list. Flags of clang's front end do a part of it (clang/arguments.py). This pass is
the first to read the bodies of functions. It reads each line once.

*Promises* of the front end are dropped: that a value is set, lies in a range or can be read, that a variable's memory
has an end, that floating-point operations may be computed otherwise.

*Conversions*: floating point to integer saturates at the limits of a 32- or 64-bit integer. A narrower type takes the
lowest bits of the 32-bit result. NaN becomes 0, or the lowest number if either side has 64 bits. CUDA's cvt instruction
does the same. clang's -fno-strict-float-cast-overflow does not: it saturates at the limits of every type and makes
every NaN a 0. Every byte except 0 is true.

*Integers*: A shift by as many bits as there are, or more, shifts all of them out, as PTX's shl and shr do. A CPU takes
the amount modulo the width in one instruction and not in another, so the form of a kernel would decide. A division by
zero, or of the lowest number by -1, does not fault: the quotient and the remainder by zero have all bits set, as
Direct3D demands of GPUs, and the other quotient is the lowest number again. clz(0) and ctz(0) return the width, and
the absolute value of the lowest number is itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..ir.function import Declaration, Function
from ..ir.pieces import AttributeGroup, Piece, attribute_group
from ..ir.text import leading_type, split_list
from ..ir.types import element_type, integer_bits, without_promises

if TYPE_CHECKING:
    from ..ir.function import Change
    from ..ir.instructions import Instruction
    from ..ir.module import Module

_ATTACHED = ("noundef", "range", "nonnull", "align", "dereferenceable", "dereferenceable_or_null")
#: attributes of functions that allow less exact floating point
_INEXACT = (
    *("no-infs-fp-math", "no-nans-fp-math", "no-signed-zeros-fp-math", "unsafe-fp-math", "approx-func-fp-math"),
    *("denormal-fp-math", "denormal-fp-math-f32", "reciprocal-estimates"),
)
_FAST = frozenset(("fast", "reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"))
_FLOATING = ("fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "fcmp", "fptrunc", "fpext", "select", "phi")
_SHIFTS, _DIVISIONS = ("shl", "ashr", "lshr"), ("udiv", "sdiv", "urem", "srem")
#: their last argument says that the result is undefined for zero, or for the lowest number
_OPEN_INTRINSICS = ("llvm.abs.", "llvm.ctlz.", "llvm.cttz.")
_SATURATING = ("llvm.fptosi.sat.", "llvm.fptoui.sat.")
_TYPES_IN_NAMES = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}


#: Conversions of a float to 32 bits. LLVM makes vector instructions of these operations, but not of its own intrinsics.
#: The cast itself only gets values that fit.
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


def as_on_cards(module: Module) -> Module:
    """Drop the promises of a module fresh from clang, and define its conversions and integer operations."""
    lowering = _Lowering()
    return module.change_all(lambda piece: _changed(piece, lowering)).declare(*lowering.declarations())


def _changed(piece: Piece, lowering: _Lowering) -> Piece:
    if isinstance(piece, Function):
        function = piece.with_head(without_promises(piece.head))
        return function.without_attachments(*_ATTACHED).rewrite(lowering.changes)
    if isinstance(piece, Declaration):
        return Declaration(without_promises(piece.head))
    if isinstance(piece, AttributeGroup) and "-" in piece.attributes:
        words = piece.attributes.split(" ")
        kept = [word for word in words if word.partition("=")[0].strip('"') not in _INEXACT]
        return attribute_group(piece.name, " ".join(kept)) if kept != words else piece
    return piece


class _Lowering:
    """Rewrites the instructions of one module; notes which intrinsics the new ones need."""

    def __init__(self) -> None:
        self._used: set[tuple[bool, int, str]] = set()
        self._uses_fabs = False
        self._casts = self._operations = 0
        self.changes: dict[str, Change] = {
            **dict.fromkeys(_FLOATING, _exact),
            **dict.fromkeys((*_SHIFTS, *_DIVISIONS), self._operation),
            "call": self._call,
            "invoke": self._call,
            "trunc": _truth,
            "getelementptr": _address,
        }

    def declarations(self) -> list[str]:
        """Return the declarations of the functions that the new instructions call."""
        fabs = ["declare float @llvm.fabs.f32(float)"] if self._uses_fabs else []
        return fabs + [
            f"declare i{bits} @{_saturating(bits, is_signed, kind)}({kind})"
            for is_signed, bits, kind in sorted(self._used)
        ]

    def _call(self, item: Instruction) -> str:
        text = item.text
        if "@llvm." not in text:
            return _exact(item)
        if text.startswith("  call void @llvm.lifetime.end."):
            return ""
        if item.callee.startswith(_OPEN_INTRINSICS):
            return text.replace(", i1 true)", ", i1 false)")
        return self._cast(item) if item.callee.startswith(_SATURATING) else _exact(item)

    def _operation(self, item: Instruction) -> str:
        self._operations += 1
        operation = _Operation.of(item)
        if operation is None or operation.is_defined:
            return item.text
        kind, lower = ("shift", _shift) if item.opcode in _SHIFTS else ("division", _division)
        return lower(operation, f"%musa.{kind}.{{}}.{self._operations}", item.metadata)

    def _cast(self, item: Instruction) -> str:
        """Lower a call of llvm.fptosi.sat or llvm.fptoui.sat."""
        self._casts += 1
        number, name, rest = self._casts, item.result, item.text[item.end_of_arguments + 1 :]
        argument = item.arguments[0].split(" ")
        kind, value = argument[0], argument[-1]
        of_result, is_signed = int(item.operands.split(" ")[0][1:]), item.callee.startswith(_SATURATING[0])
        bits = max(of_result, 32)
        intrinsic = _saturating(bits, is_signed, kind)
        if not intrinsic or bits > 64:
            return item.text
        if kind == "float" and bits == 32:
            self._uses_fabs = self._uses_fabs or is_signed
            code = _FROM_FLOAT["s" if is_signed else "u"].format(n=number, x=value)
            if of_result < 32:
                return f"{code}  {name} = trunc i32 %musa.sat.{number} to i{of_result}{rest}"
            return f"{code}  {name} = add i32 %musa.sat.{number}, 0{rest}"
        self._used.add((is_signed, bits, kind))
        call = f"call i{bits} @{intrinsic}({kind} {value}){rest}"
        if of_result < bits:
            return f"  %musa.wide.{number} = {call}\n  {name} = trunc i{bits} %musa.wide.{number} to i{of_result}{rest}"
        if bits != 64 and kind != "double":
            return f"  {name} = {call}"
        return (
            f"  %musa.number.{number} = {call}\n"
            f"  %musa.nan.{number} = fcmp uno {kind} {value}, {value}{rest}\n"
            f"  {name} = select i1 %musa.nan.{number}, i{bits} {-(2 ** (bits - 1))}, "
            f"i{bits} %musa.number.{number}{rest}"
        )


def _exact(item: Instruction) -> str:
    """Drop the flags by which an instruction may have another result, and promises about arguments."""
    operands = item.operands
    words = operands.split(" ")
    if words[0] in _FAST:
        while words[0] in _FAST:
            del words[0]
        operands = " ".join(words)
    if item.opcode in ("call", "invoke"):
        operands = without_promises(f" {operands}")[1:]
    return item.text_with(operands) if operands != item.operands else item.text


def _truth(item: Instruction) -> str:
    """Lower a read of a bool: clang reads a byte and takes its lowest bit."""
    cast = item.cast
    if cast is None or (cast.type, cast.target) != ("i8", "i1"):
        return item.text
    return f"  {item.result} = icmp ne i8 {cast.value}, 0{item.metadata}"


def _address(item: Instruction) -> str:
    """Let an unsigned offset go backwards: clang 20 and newer."""
    return item.text.replace(" = getelementptr inbounds nuw ", " = getelementptr inbounds ", 1)


def _saturating(bits: int, is_signed: bool, kind: str) -> str:
    """Name the intrinsic that casts to an integer; empty for a type that it does not exist for."""
    if kind not in _TYPES_IN_NAMES:
        return ""
    return f"llvm.fpto{'s' if is_signed else 'u'}i.sat.i{bits}.{_TYPES_IN_NAMES[kind]}"


class _Operation(NamedTuple):
    """A shift or a division of integers or of vectors of them."""

    result: str
    opcode: str  # with its flags: `ashr exact`
    type: str
    elements: int  # of a vector; 0 otherwise
    bits: int  # of an integer
    left: str
    right: str

    @classmethod
    def of(cls, item: Instruction) -> _Operation | None:
        """Take an instruction apart; None if its operands are not integers."""
        first, right = split_list(item.operands)
        opcode = item.opcode
        while first.startswith(("nuw ", "nsw ", "exact ")):
            flag, _, first = first.partition(" ")
            opcode = f"{opcode} {flag}"
        kind = leading_type(first)
        elements, element = element_type(kind) or (0, kind)
        left, bits = first[len(kind) + 1 :], integer_bits(element)
        return cls(item.result, opcode, kind, elements, bits, left, right) if bits else None

    def constant(self, value: int) -> str:
        """Spell a number as an operand of the operation's type."""
        return f"<{', '.join([f'i{self.bits} {value}'] * self.elements)}>" if self.elements else str(value)

    @property
    def truth_type(self) -> str:
        """The type of a comparison of two operands."""
        return f"<{self.elements} x i1>" if self.elements else "i1"

    @property
    def is_defined(self) -> bool:
        """Whether the right operand is a number for which the language has a result."""
        if not self.right.removeprefix("-").isdigit():
            return False
        right = int(self.right)
        return 0 <= right < self.bits if self.opcode.split(" ")[0] in _SHIFTS else right not in (0, -1)


def _shift(shift: _Operation, name: str, last: str) -> str:
    fits, amount, shifted = (name.format(word) for word in ("fits", "amount", "shifted"))
    kind, truth = shift.type, shift.truth_type
    code = f"  {fits} = icmp ult {kind} {shift.right}, {shift.constant(shift.bits)}\n"
    if shift.opcode.startswith("ashr"):
        return code + (
            f"  {amount} = select {truth} {fits}, {kind} {shift.right}, {kind} {shift.constant(shift.bits - 1)}\n"
            f"  {shift.result} = {shift.opcode} {kind} {shift.left}, {amount}{last}"
        )
    return code + (
        f"  {shifted} = {shift.opcode} {kind} {shift.left}, {shift.right}\n"
        f"  {shift.result} = select {truth} {fits}, {kind} {shifted}, {kind} {shift.constant(0)}{last}"
    )


def _division(division: _Operation, name: str, last: str) -> str:
    zero, minus, special, divisor, divided, negated, value = (
        name.format(word) for word in ("zero", "minus", "special", "divisor", "divided", "negated", "value")
    )
    kind, truth = division.type, division.truth_type
    code = f"  {zero} = icmp eq {kind} {division.right}, {division.constant(0)}\n"
    if division.opcode.startswith("s"):
        code += (
            f"  {minus} = icmp eq {kind} {division.right}, {division.constant(-1)}\n"
            f"  {special} = or {truth} {zero}, {minus}\n"
        )
    else:
        special = zero
    code += (
        f"  {divisor} = select {truth} {special}, {kind} {division.constant(1)}, {kind} {division.right}\n"
        f"  {divided} = {division.opcode} {kind} {division.left}, {divisor}\n"
    )
    if division.opcode.startswith("sdiv"):
        code += (
            f"  {negated} = sub {kind} {division.constant(0)}, {division.left}\n"
            f"  {value} = select {truth} {minus}, {kind} {negated}, {kind} {divided}\n"
        )
    else:
        value = divided
    return code + (f"  {division.result} = select {truth} {zero}, {kind} {division.constant(-1)}, {kind} {value}{last}")
