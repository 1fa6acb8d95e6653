"""The instructions that read and write memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .text import GLOBAL, LOCAL, closing, leading_type, split_list

if TYPE_CHECKING:
    from .instructions import Instruction

_MODIFIERS = re.compile(r"(?:(atomic|weak) )?(volatile )?")
_UPDATE = re.compile(r"(?:volatile )?(\w+) ")
_ALIGN = re.compile(r"align (\d+)$")
_POINTER = re.compile(f"{GLOBAL}|{LOCAL}")
_EXPRESSION = re.compile(r"getelementptr\b|inttoptr\b")
_ZERO = re.compile(r"\w+ 0\b")
#: one of them is in what the pattern finds; to look for a word is quicker by far
_SYNCHRONISING_WORDS = ("atomicrmw ", "cmpxchg ", "fence ", "load atomic", "load volatile")
_SYNCHRONISING = re.compile(r"^  (?:[^\n]*= (?:load (?:atomic|volatile)\b|atomicrmw |cmpxchg )|fence )", re.M)


class Access(NamedTuple):
    """One access to memory."""

    opcode: str  # load, store, atomicrmw or cmpxchg
    type: str  # of what is read or written
    operands: tuple[str, ...]  # with their types: the pointer first, then what the access is given
    is_atomic: bool
    is_volatile: bool
    align: int
    operation: str = ""  # of atomicrmw: add, xchg, ...

    @property
    def pointer(self) -> str:
        """The address, a constant expression whole; empty if it has an unknown shape."""
        operand = self.operands[0]
        text = operand[len("ptr ") :] if operand.startswith("ptr ") else ""
        name = _POINTER.match(text)
        if name:
            return name.group(0)
        if _EXPRESSION.match(text):
            return text[: closing(text, text.index("(")) + 1]
        return "null" if text.startswith("null") else ""

    @property
    def is_given_zero(self) -> bool:
        """Whether what it is given is a zero."""
        return len(self.operands) > 1 and _ZERO.match(self.operands[1]) is not None

    @property
    def reads(self) -> bool:
        """Whether it reads."""
        return self.opcode != "store"

    @property
    def writes(self) -> bool:
        """Whether it may write."""
        return self.opcode != "load"


def access(item: Instruction | None) -> Access | None:
    """Take an access to memory apart; None for any other instruction."""
    if item is None or item.opcode not in ("load", "store", "atomicrmw", "cmpxchg"):
        return None
    operation = ""
    is_atomic = is_volatile = False
    rest = item.operands
    if item.opcode == "atomicrmw":
        update = _UPDATE.match(rest)
        assert update, rest
        is_volatile = rest.startswith("volatile ")
        operation, rest, is_atomic = update.group(1), rest[update.end() :], True
    else:
        modifiers = _MODIFIERS.match(rest)
        assert modifiers, rest
        is_atomic = modifiers.group(1) == "atomic" or item.opcode == "cmpxchg"
        is_volatile = bool(modifiers.group(2))
        rest = rest[modifiers.end() :]
    parts = split_list(rest)
    aligns = [int(found.group(1)) for part in parts if (found := _ALIGN.match(part))]
    align = aligns[0] if aligns else 1
    if item.opcode == "load":
        return Access("load", parts[0], (parts[1],), is_atomic, is_volatile, align)
    if item.opcode == "store":
        return Access("store", leading_type(parts[0]), (parts[1], parts[0]), is_atomic, is_volatile, align)
    return Access(item.opcode, leading_type(parts[1]), tuple(parts[:2]), is_atomic, is_volatile, align, operation)


def may_synchronise(code: str) -> bool:
    """Return whether anything in a module or a function is volatile, atomic or a fence."""
    return any(word in code for word in _SYNCHRONISING_WORDS) and _SYNCHRONISING.search(code) is not None
