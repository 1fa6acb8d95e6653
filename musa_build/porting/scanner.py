"""Where in a C++ text code ends and comments, literals and #include begin.

This is not a C++ parser. It knows exactly what a rewriting tool must know to leave prose and data alone: comments,
string, raw-string and character literals, digit separators (`1'000`), continued lines, and `#include` directives.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import cached_property

# A byte of a UTF-8 identifier counts as part of a word, so that a rule never cuts one in two.
WORD_CHARS = r"0-9A-Za-z_\x80-\xff"
WORD = re.compile(f"[{WORD_CHARS}]+")


class Kind(enum.Enum):
    """What a span of text is."""

    COMMENT = "comment"
    STRING = "string"
    INCLUDE = "include"


@dataclass(frozen=True)
class Span:
    """`text[start:end]`, which is not plain code."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True)
class Include:
    """One `#include` directive: its `path` stands at `text[start:end]`, without the delimiters."""

    path: str
    start: int
    end: int
    quoted: bool


class OffsetSet:
    """A set of offsets of one text, made for asking whether a range touches it."""

    def __init__(self, length: int) -> None:
        self._marks = bytearray(length)

    def add(self, start: int, end: int) -> None:
        self._marks[start:end] = b"\1" * (end - start)

    def touches(self, start: int, end: int) -> bool:
        return self._marks.find(1, start, end) >= 0


@dataclass(frozen=True)
class Layout:
    """The spans of one text that are not code, in order, and its include directives."""

    length: int
    spans: tuple[Span, ...]
    includes: tuple[Include, ...]

    def begins_in_code(self, offset: int) -> bool:
        """Whether something that starts at `offset` starts in code or an #include.

        The first character of a literal counts as code: a rule may begin with a quotation mark.
        """
        return not self._prose.touches(offset, offset + 1)

    def is_plain_code(self, start: int, end: int) -> bool:
        """Whether `text[start:end]` is neither comment nor literal nor #include."""
        return not (self._prose.touches(start, end) or self._directives.touches(start, end))

    @cached_property
    def _prose(self) -> OffsetSet:
        offsets = OffsetSet(self.length)
        for span in self.spans:
            if span.kind is not Kind.INCLUDE:
                offsets.add(span.start + (span.kind is Kind.STRING), span.end)
        return offsets

    @cached_property
    def _directives(self) -> OffsetSet:
        offsets = OffsetSet(self.length)
        for span in self.spans:
            if span.kind is Kind.INCLUDE:
                offsets.add(span.start, span.end)
        return offsets


_TOKEN = re.compile(
    rf"""
    (?P<comment> //(?:\\\r?\n|[^\n])* | /\*.*?(?:\*/|\Z) )
  | (?P<include> ^(?:\xef\xbb\xbf)?[ \t]*\#[ \t]*include(?:_next)?[ \t]*
        (?: <(?P<angled>[^>\r\n]*)> | "(?P<quoted>[^"\r\n]*)" ) )
  | (?P<raw> (?<![{WORD_CHARS}]) (?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{{0,16}})\( .*? (?:\)(?P=delimiter)"|\Z) )
  | (?P<string> "(?:\\.|[^"\\\n])*" )
  | (?P<number> (?<![{WORD_CHARS}]) \.?[0-9](?:'?[{WORD_CHARS}.])* )
  | (?P<char> '(?:\\.|[^'\\\n])+' )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

_KIND_OF_GROUP = {
    "comment": Kind.COMMENT,
    "include": Kind.INCLUDE,
    "raw": Kind.STRING,
    "string": Kind.STRING,
    "char": Kind.STRING,
}


def scan(text: str) -> Layout:
    """Find everything in `text` that is not plain code.

    An unclosed literal ends with its line and counts as code; an unclosed comment runs to the end, as in a compiler.
    """
    spans: list[Span] = []
    includes: list[Include] = []
    for match in _TOKEN.finditer(text):
        # `delimiter`, `angled` and `quoted` are inner groups, so the outermost name is looked up, not lastgroup.
        name = next(group for group in (*_KIND_OF_GROUP, "number") if match[group] is not None)
        if name == "number":  # consumed only because of its ' separators
            continue
        spans.append(Span(_KIND_OF_GROUP[name], match.start(), match.end()))
        if name == "include":
            group = "quoted" if match["quoted"] is not None else "angled"
            includes.append(Include(match[group], match.start(group), match.end(group), group == "quoted"))
    return Layout(len(text), tuple(spans), tuple(includes))
