"""One line of a function at a time."""

from __future__ import annotations

import re
from typing import NamedTuple

from .text import LOCAL, bare, local_names, split_list, unescape, without_quoted

_ASSIGNMENT = re.compile(rf"^  ({LOCAL}) = (.*)$")
_OPCODE = re.compile(r"(?:(?:tail|musttail|notail) )?([\w.]+) ?")
_BINARY = re.compile(r"((?:(?:nuw|nsw|exact|disjoint) )*)(\S+) ([^,\s]+), ([^,\s]+)$")
_CAST = re.compile(r"((?:nneg |nuw |nsw )*)(\S+) ([^,\s]+) to (\S+)$")
_COMPARE = re.compile(r"(?:samesign )?(\w+) (\S+) ([^,\s]+), ([^,\s]+)$")
_FENCE = re.compile(r"^  (?:fence |[^\n]*\bcall [^\n]* asm sideeffect [^\n]*~\{memory\})")
_PURE = frozenset(
    (
        *("add", "sub", "mul", "shl", "or", "and", "xor", "lshr", "ashr", "zext", "sext", "trunc"),
        *("icmp", "select", "load", "getelementptr"),
    )
)
_POINTER_FLAGS = re.compile(r"(?:(?:inbounds|nuw|nusw|inrange\([^)]*\)) )*")
_COUNT = re.compile(r"i\d+ ")
_MEMORY_INTRINSIC = re.compile(r"^  (?:tail |musttail |notail )?call void @llvm\.(memcpy|memmove|memset)\.[\w.]*\(")


class Instruction(NamedTuple):
    """`%result = opcode operands`, or without a result; metadata is left out."""

    result: str
    opcode: str  # of a call that is marked `tail`: call
    operands: str
    text: str  # all that follows the result

    @property
    def uses(self) -> list[str]:
        """The local values that it reads, and the blocks that it names."""
        return local_names(self.text)


class Binary(NamedTuple):
    """The operands of an arithmetic instruction: `nsw i32 %a, %b`."""

    flags: str
    type: str
    left: str
    right: str


class Cast(NamedTuple):
    """The operands of a conversion: `nneg i32 %a to i64`."""

    type: str
    value: str
    target: str


class Compare(NamedTuple):
    """The operands of a comparison: `slt i32 %a, %b`."""

    predicate: str
    type: str
    left: str
    right: str

    def with_index_left(self) -> Compare:
        """Return `n > i` as `i < n`."""
        swapped = {"sgt": "slt", "ugt": "ult"}.get(self.predicate)
        return Compare(swapped, self.type, self.right, self.left) if swapped else self


class ElementAddress(NamedTuple):
    """The operands of getelementptr: `inbounds { i64, i64 }, ptr %a, i32 0, i32 1`."""

    type: str
    base: str  # a value; a constant expression whole
    indices: tuple[str, ...]  # without their types


class Variable(NamedTuple):
    """A variable of a function: `%a = alloca [4 x i32], align 4`."""

    address: str
    type: str
    elements: str  # how many there are, a value or a number; empty for one


def instruction(line: str) -> Instruction | None:
    """Take a line apart; None for a label, a blank line or a line that continues another."""
    assignment = _ASSIGNMENT.match(line)
    if assignment:
        result, text = assignment.groups()
    elif line.startswith("  ") and not line.startswith("   "):
        result, text = "", line[2:]
    else:
        return None
    if ", !" in text:
        end = without_quoted(text).find(", !")
        text = text if end < 0 else text[:end]
    opcode = _OPCODE.match(text)
    return Instruction(result, opcode.group(1), text[opcode.end() :], text) if opcode else None


def assignments(code: str) -> list[Instruction]:
    """Return the instructions of a function that have a result."""
    found = (instruction(line) for line in code.split("\n"))
    return [item for item in found if item is not None and item.result]


def binary(item: Instruction) -> Binary | None:
    """Take the operands of an arithmetic instruction apart; None for any other."""
    found = _BINARY.match(item.operands)
    return Binary(found[1].strip(), found[2], found[3], found[4]) if found else None


def cast(item: Instruction) -> Cast | None:
    """Take the operands of a conversion apart; None for any other instruction."""
    found = _CAST.match(item.operands)
    return Cast(found[2], found[3], found[4]) if found else None


def compare(item: Instruction) -> Compare | None:
    """Take the operands of an integer comparison apart; None for any other instruction."""
    found = _COMPARE.match(item.operands) if item.opcode == "icmp" else None
    return Compare(*found.groups()) if found else None


def element_address(item: Instruction | None) -> ElementAddress | None:
    """Take the operands of getelementptr apart; None for any other instruction."""
    if item is None or item.opcode != "getelementptr":
        return None
    flags = _POINTER_FLAGS.match(item.operands)
    kind, base, *indices = split_list(item.operands[flags.end() if flags else 0 :])
    return ElementAddress(kind, base.partition(" ")[2], tuple(index.rpartition(" ")[2] for index in indices))


def variable(item: Instruction | None) -> Variable | None:
    """Take an alloca apart; None for any other instruction."""
    if item is None or item.opcode != "alloca":
        return None
    kind, *rest = split_list(item.operands)
    counts = [part.rpartition(" ")[2] for part in rest if _COUNT.match(part)]
    return Variable(item.result, kind, counts[0] if counts else "")


def memory_intrinsic(line: str) -> str:
    """Return `memcpy`, `memmove` or `memset` if a line calls it; otherwise nothing."""
    found = _MEMORY_INTRINSIC.match(line)
    return found.group(1) if found else ""


def is_pure(item: Instruction, functions: str) -> bool:
    """Return whether an instruction only computes its result; calls do if the function's name begins so."""
    return item.opcode in _PURE or (item.opcode == "call" and f" @{functions}" in item.text)


def is_constant(value: str) -> bool:
    """Return whether a value is a number or a truth value that is written out."""
    return value in ("true", "false") or value.removeprefix("-").isdigit()


def is_fence(line: str) -> bool:
    """Return whether a line keeps the optimiser from moving memory accesses over it."""
    return _FENCE.match(line) is not None


def is_return(line: str) -> bool:
    """Return whether a line returns from a function that has no result."""
    return line.startswith("  ret void")


def is_unreachable(line: str) -> bool:
    """Return whether a line says that control never comes there."""
    return line.startswith("  unreachable")


def source_name(address: str) -> str:
    """Return what the source calls the variable behind a local value; empty for one that clang made."""
    if re.match(r'%"?(?:ref\.tmp|agg\.tmp|tmp|retval|coerce|byval-temp|saved_stack|cleanup)', address):
        return ""
    found = re.match(r"[^\d.][^.]*", bare(address))
    return unescape(found[0]) if found else ""
