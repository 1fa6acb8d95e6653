"""Integer operations whose result the language leaves open: shifts, divisions, counts of zeros, absolute values."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from .text import LOCAL, split_list

_OPERATION = re.compile(
    rf"^  ({LOCAL}) = (shl|[al]shr|[us]div|[us]rem) ((?:(?:nuw|nsw|exact) )*)(<(\d+) x i(\d+)>|i(\d+)) ([^\n]*)$", re.M
)
#: their last argument says that the result is undefined for zero, or for the lowest number
_OPEN_INTRINSIC = re.compile(r"^(  [^\n]* @llvm\.(?:abs|ctlz|cttz)\.\w+\([^\n]*, i1 )true\)", re.M)


class Operation(NamedTuple):
    """A shift or a division of integers or of vectors of them."""

    result: str
    opcode: str  # with its flags: `ashr exact`
    type: str
    elements: int  # of a vector; 0 otherwise
    bits: int  # of an integer
    left: str
    right: str
    attachments: str

    @property
    def kind(self) -> str:
        """`shift` or `division`, the latter for remainders too."""
        return "shift" if self.opcode.startswith(("shl", "ashr", "lshr")) else "division"

    def constant(self, value: int) -> str:
        """Spell a number as an operand of the operation's type."""
        return f"<{', '.join([f'i{self.bits} {value}'] * self.elements)}>" if self.elements else str(value)

    @property
    def truth_type(self) -> str:
        """The type of a comparison of two operands."""
        return f"<{self.elements} x i1>" if self.elements else "i1"

    @property
    def right_number(self) -> int | None:
        """The right operand if it is a number that is written out."""
        return int(self.right) if self.right.removeprefix("-").isdigit() else None


def replace_integer_operations(ir: str, change: Callable[[Operation], str]) -> str:
    """Return the module with the lines `change(operation)` for each shift and division; empty keeps the line."""

    def changed(found: re.Match[str]) -> str:
        result, opcode, flags, kind, elements, of_elements, bits, rest = found.groups()
        left, right, *attachments = split_list(rest)
        return (
            change(
                Operation(
                    *(result, f"{opcode} {flags}".rstrip(), kind, int(elements or 0), int(bits or of_elements)),
                    *(left, right, "".join(f", {text}" for text in attachments)),
                )
            )
            or found[0]
        )

    return _OPERATION.sub(changed, ir)


def define_intrinsics(ir: str) -> str:
    """Return the module with counts of zeros and absolute values that have a result for every number."""
    return _OPEN_INTRINSIC.sub(r"\1false)", ir)
