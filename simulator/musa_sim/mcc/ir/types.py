"""Types: their elements and sizes; parameters and arguments: type, attributes, value.

The text shows the size of every type but structures, whose layout only LLVM knows.

function         returns                                                     [3 x i32]  <4 x i32>  x86_fp80  { i8, i32 }
byte_size        the bytes of a value, up to its last bit                           12         16        10            0
plain_size       the distance of neighbours in an array, if surely as large         12          0         0            0
scalar_size      the bytes of one element, at any depth                              4          4        10            0
most_bytes       a multiple of 8 that a value fits into                             16         16        16           16
size_expression  the text of a constant that LLVM evaluates
size_of          byte_size() as a text; size_expression() for structures
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from .text import GLOBAL, LOCAL, enclosed, last_word, leading_type, split_list

_HUGE = 2**60
_SIMPLE_SIZES = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8, "fp128": 16, "x86_fp80": 10}

_WITHOUT_PADDING = frozenset(("i8", "i16", "i32", "i64", "half", "bfloat", "float", "double", "ptr"))


def element_type(kind: str) -> tuple[int, str] | None:
    """Return (number, type) of the elements of an array or vector; None for other types."""
    found = re.fullmatch(r"[\[<](\d+) x (.*)[\]>]", kind)
    return (int(found.group(1)), found.group(2)) if found else None


def integer_bits(kind: str) -> int:
    """Return how many bits an integer type has; 0 for other types."""
    return int(kind[1:]) if re.fullmatch(r"i\d+", kind) else 0


def byte_size(kind: str) -> int:
    """Return the bytes that a value of a type takes in memory; 0 if only LLVM knows."""
    if kind in _SIMPLE_SIZES:
        return _SIMPLE_SIZES[kind]
    bits = integer_bits(kind)
    if bits:
        return (bits + 7) // 8
    several = element_type(kind)
    return several[0] * byte_size(several[1]) if several else 0


def plain_size(kind: str) -> int:
    """Return the distance of two neighbours in an array of a type; 0 if only LLVM knows."""
    if kind in _WITHOUT_PADDING:
        return byte_size(kind)
    several = element_type(kind) if kind.startswith("[") else None
    return several[0] * plain_size(several[1]) if several else 0


def scalar_size(kind: str) -> int:
    """Return the bytes of one scalar in a type; 0 if only LLVM knows."""
    several = element_type(kind)
    return scalar_size(several[1]) if several else byte_size(kind)


def most_bytes(types: Mapping[str, str], kind: str) -> int:
    """Return a number of bytes that values of a type surely fit into; a huge one for a named type without a definition.

    `types`: the module's named types.
    """
    size = byte_size(kind)
    if size:
        return -(-size // 8) * 8
    several = element_type(kind)
    if several:
        return several[0] * most_bytes(types, several[1])
    if kind.startswith("%"):
        return most_bytes(types, types[kind]) if kind in types else _HUGE
    members = kind.strip("<>").removeprefix("{").removesuffix("}").strip() if kind.endswith(("}", "}>")) else None
    return _HUGE if members is None else sum(most_bytes(types, member) for member in split_list(members))


def size_expression(kind: str) -> str:
    """Spell the size of a type as a constant that LLVM folds."""
    return f"ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)"


def size_of(kind: str) -> str:
    """Spell the size of a type as a constant of type i64: a number, if the text shows it."""
    return str(byte_size(kind) or size_expression(kind))


_EXTENSIONS = re.compile(r"\b(signext|zeroext|inreg)\b")
_BYVAL = re.compile(r"\bbyval\(")
# a name in quotes may have parentheses: "struct.(anonymous namespace)::A"
_WITH_BYVAL = re.compile(r' byval\((?:[^()"]|"[^"]*")*\)(?: align \d+)?')
#: promises of the front end about pointers and numbers that are passed
_PROMISES = re.compile(r" (?:nonnull|dereferenceable(?:_or_null)?\(\d+\)|nofpclass\([^()]*\))(?=[ ,)])")
_ALIGN = re.compile(r"\balign (\d+)")
_READ_ONLY = re.compile(r"\breadonly\b|\breadnone\b")
_OPERAND = re.compile(rf"(?:getelementptr|inttoptr)\b.*$|(?:{GLOBAL}|{LOCAL})$|null$")


class Parameter(NamedTuple):
    """`i32 noundef signext %a`, taken apart."""

    text: str

    @property
    def type(self) -> str:
        """Its type."""
        return leading_type(self.text)

    @property
    def value(self) -> str:
        """Its name, in a definition; what is passed, in a call."""
        return last_word(self.text)

    @property
    def pointer(self) -> str:
        """The pointer that is passed, constant expressions whole; empty if it has an unknown shape."""
        found = _OPERAND.search(self.text)
        return found.group(0) if found else ""

    @property
    def align(self) -> int:
        """The alignment that it promises; 1 without one."""
        found = _ALIGN.search(self.text)
        return int(found.group(1)) if found else 1

    @property
    def byval(self) -> str:
        """The type of the object that is passed by value in memory; empty if there is none."""
        found = _BYVAL.search(self.text)
        return enclosed(self.text, found.end() - 1) if found else ""

    @property
    def is_read_only(self) -> bool:
        """Return whether the function does not write to the memory that it points to."""
        return _READ_ONLY.search(self.text) is not None

    @property
    def convention(self) -> str:
        """The attributes that decide how it is passed: a call must repeat them."""
        rest = self.text[len(self.type) :]
        kept: list[str] = _EXTENSIONS.findall(rest)
        if self.byval:
            align = _ALIGN.search(rest)
            kept.append(f"byval({self.byval})" + (f" align {align.group(1)}" if align else ""))
        return " ".join(kept)


def without_byval(parameters: str) -> str:
    """Return parameters or arguments without `byval(...)` and the alignment that belongs to it."""
    return _WITH_BYVAL.sub("", parameters)


def without_promises(text: str) -> str:
    """Return the head of a function, or the operands of a call, without promises about the arguments."""
    return _PROMISES.sub("", text) if " nonnull" in text or " dereferenceable" in text or " nofpclass" in text else text
