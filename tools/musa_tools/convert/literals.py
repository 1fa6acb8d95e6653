"""String literals in the source: the offsets of their text, and of the expressions in an f-string."""

from __future__ import annotations

import ast
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Optional, Union

_PREFIX = re.compile(rb"([A-Za-z]{0,2})(\"\"\"|'''|\"|')")
_GAP = re.compile(rb"(?:[ \t\f\r\n]|\\\r?\n|#[^\r\n]*|[()])+")
_OPENING, _CLOSING = b"([{", b")]}"


class LiteralError(Exception):
    """This module does not recognise the text as a literal."""


@dataclass(frozen=True)
class Field:
    """The expression of a replacement field, from `start` to `end`."""

    start: int
    end: int


@dataclass(frozen=True)
class Text:
    """Literal text, from `start` to `end`."""

    start: int
    end: int


def parts(code: bytes, start: int, end: int) -> Iterator[Union[Text, Field]]:
    """Yield text and fields of the literals between two offsets, in order. Adjacent literals are one string."""
    position = start
    while position < end:
        gap = _GAP.match(code, position, end)
        if gap:
            position = gap.end()
            continue
        found = _PREFIX.match(code, position, end)
        if not found:
            raise LiteralError(f"no literal at {position}")
        scanner = _Scanner(code, end, found)
        yield from scanner.scan(found.end())
        position = scanner.position


class _Scanner:
    """Reads one literal."""

    def __init__(self, code: bytes, end: int, opening: re.Match[bytes]) -> None:
        prefix, self.quote = opening.group(1).lower(), opening.group(2)
        self.code = code
        self.end = end
        self.raw = b"r" in prefix
        self.formatted = b"f" in prefix or b"t" in prefix
        self.position = opening.end()

    def scan(self, position: int) -> Iterator[Union[Text, Field]]:
        """Yield the parts of the literal whose body begins at `position`; leave `self.position` behind its end."""
        text = position
        while not self.code.startswith(self.quote, position):
            if position >= self.end:
                raise LiteralError("no end of a literal")
            byte = self.code[position : position + 1]
            if self.formatted and byte == b"{" and self.code[position + 1 : position + 2] != b"{":
                yield Text(text, position)
                position = yield from self._field(position)
                text = position
            elif byte == b"\\":
                position = self._after_escape(position)
            else:
                position += 2 if self.formatted and byte in b"{}" else 1
        yield Text(text, position)
        self.position = position + len(self.quote)

    def _after_escape(self, position: int) -> int:
        if self.formatted and not self.raw and self.code[position + 1 : position + 3] == b"N{":
            return self.code.index(b"}", position) + 1
        return position + (1 if self.formatted and self.code[position + 1 : position + 2] in (b"{", b"}") else 2)

    def _field(self, position: int) -> Generator[Field, None, int]:
        """Yield the fields of a replacement field that begins at `position`. Returns the offset behind it."""
        start = position + 1
        end = self._end_of_expression(start)
        yield Field(start, end)
        position = end
        if self.code[position : position + 1] == b"!":
            position += 2
            while self.code[position : position + 1] not in (b":", b"}"):
                position += 1
        if self.code[position : position + 1] == b":":
            position += 1
            while self.code[position : position + 1] != b"}":
                if position >= self.end:
                    raise LiteralError("no end of a replacement field")
                if self.code[position : position + 1] == b"{":
                    position = yield from self._field(position)
                else:
                    position += 1
        return position + 1

    def _end_of_expression(self, position: int) -> int:
        depth = 0
        while position < self.end:
            byte = self.code[position : position + 1]
            if byte in (b'"', b"'"):
                position = self._after_string(position)
                continue
            if byte in _OPENING:
                depth += 1
            elif depth and byte in _CLOSING:
                depth -= 1
            elif not depth and byte in b"}:!" and self.code[position : position + 2] != b"!=":
                return position
            position += 2 if self.code[position : position + 2] == b"!=" else 1
        raise LiteralError("no end of an expression")

    def _after_string(self, quote: int) -> int:
        start = quote
        while start and self.code[start - 1 : start].isalpha() and quote - start < 2:
            start -= 1
        opening = _PREFIX.match(self.code, start, self.end) or _PREFIX.match(self.code, quote, self.end)
        if not opening:
            raise LiteralError("no literal in an expression")
        inner = _Scanner(self.code, self.end, opening)
        for _ in inner.scan(opening.end()):
            pass
        return inner.position


def parse_field(code: bytes, field: Field) -> Optional[ast.expr]:
    """Parse a field's expression, with a parenthesis before it; None if it cannot be parsed alone."""
    text = code[field.start : field.end].rstrip()
    if text.endswith(b"=") and text[-2:-1] not in (b"=", b"!", b"<", b">"):
        text = text[:-1]  # {value=}
    try:
        return ast.parse(b"(" + text + b"\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return None
