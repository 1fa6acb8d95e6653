"""Parameters of functions and arguments of calls: type, attributes, value."""

from __future__ import annotations

import re
from typing import NamedTuple

from .text import GLOBAL, LOCAL, enclosed, last_word, leading_type

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
        """Whether the function does not write to what it points to."""
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
    """Return the head of a function, or the operands of a call, without promises of what is passed."""
    return _PROMISES.sub("", text) if " nonnull" in text or " dereferenceable" in text or " nofpclass" in text else text
