"""A file's text as UTF-8, where its lines begin, and the way back to its own encoding."""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

_NEWLINE = re.compile(rb"\r\n?|\n")


class UnreadableError(Exception):
    """The file cannot be decoded, or decoding would not be reversible."""


class Offsets:
    """Turns a node's line and column into an offset."""

    def __init__(self, line_starts: list[int]) -> None:
        self._starts = line_starts

    @classmethod
    def of_field(cls, code: bytes, start: int, end: int) -> Offsets:
        """Return the offsets of an expression that was cut out, with a parenthesis put before it."""
        return cls([start - 1, *(start + found.end() for found in _NEWLINE.finditer(code[start:end]))])

    def start(self, node: Any) -> int:
        """Return the offset of a node's first byte."""
        return self._starts[cast(int, node.lineno) - 1] + cast(int, node.col_offset)

    def end(self, node: Any) -> int:
        """Return the offset behind a node's last byte."""
        return self._starts[cast(int, node.end_lineno) - 1] + cast(int, node.end_col_offset)

    def word(self, node: ast.Attribute) -> int:
        """Return where the last word of `a.b.c` begins."""
        return self.end(node) - len(node.attr.encode())


@dataclass(frozen=True)
class Encoding:
    """How a file's bytes become UTF-8, and back."""

    name: str
    bom: bytes

    def encode(self, code: bytes) -> bytes:
        """Return the file's bytes for UTF-8 `code`."""
        return self.bom + (code if self.name == "utf-8" else code.decode().encode(self.name))


@dataclass(frozen=True)
class Source:
    """UTF-8 text without byte order mark. Offsets are bytes in `code`."""

    code: bytes
    encoding: Encoding = field(default=Encoding("utf-8", b""))

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of each line, as Python counts lines: form feeds and other separators do not end one."""
        return [0, *(found.end() for found in _NEWLINE.finditer(self.code))]

    @cached_property
    def newline(self) -> bytes:
        """The line ending of the file's first line."""
        found = _NEWLINE.search(self.code)
        return found.group() if found else b"\n"

    def location(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1."""
        line = bisect_right(self.line_starts, offset)
        start = self.line_starts[line - 1]
        return line, len(self.code[start:offset].decode(errors="replace")) + 1

    def line_at(self, offset: int) -> str:
        """Return the line that an offset lies in, without its end."""
        line = bisect_right(self.line_starts, offset)
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.code)
        return self.code[self.line_starts[line - 1] : end].decode(errors="replace").rstrip("\r\n")


def read_source(content: bytes) -> Source:
    """Decode the bytes of a Python file: by byte order mark, by cookie, or as UTF-8.

    Raises:
        UnreadableError: The bytes are not in the encoding that the file names.
    """
    bom = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    try:
        head = b"\n".join(_NEWLINE.split(content, 2)[:2])
        name, _ = tokenize.detect_encoding(io.BytesIO(head).readline)
        name = codecs.lookup(name.replace("-sig", "")).name
        body = content[len(bom) :]
        text = body.decode(name)
        if name == "utf-8":
            return Source(body, Encoding(name, bom))
        if text.encode(name) != body:
            raise UnreadableError(f"the encoding {name} does not give the same bytes back")
        return Source(text.encode(), Encoding(name, bom))
    except SyntaxError as error:
        raise UnreadableError(f"not UTF-8, and {error.msg}") from error
    except (UnicodeError, LookupError) as error:
        raise UnreadableError(str(error)) from error
