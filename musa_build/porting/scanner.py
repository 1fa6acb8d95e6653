"""Where in a C++ text code ends and comments, literals and #include begin.

This is not a C++ parser. It knows exactly what a rewriting tool must know to leave prose and data alone: comments,
string, raw-string and character literals, digit separators (`1'000`), continued lines, `#include` directives, and the
marks by which an author takes lines out of porting (musify's `MUSIFY_EXCL_START`, `MUSIFY_EXCL_STOP` and
`MUSIFY_EXCL_LINE`, in comments).

Scanning costs more than anything else that porting does to a text, so it is done only for files in which some word
could change (see vocabulary.py), and its one pattern begins with one of four characters: the regular expression engine
skips everything else without trying.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Optional


class Kind(enum.Enum):
    """What a span of text is."""

    COMMENT = "comment"
    STRING = "string"
    INCLUDE = "include"
    EXCLUDED = "excluded"


class Span(NamedTuple):
    """`text[start:end]`, which is not plain code. (A tuple, as there are many: a dataclass costs three times that.)"""

    kind: Kind
    start: int
    end: int


class Include(NamedTuple):
    """One `#include` directive: its `path` stands at `text[start:end]`, without the delimiters."""

    path: str
    start: int
    end: int
    quoted: bool


@dataclass(frozen=True)
class Layout:
    """The spans of one text that are not code, in order and without overlaps, and its include directives."""

    length: int
    spans: tuple[Span, ...]
    includes: tuple[Include, ...]

    def kind_at(self, offset: int) -> Optional[Kind]:
        """What `text[offset]` is part of; None for code. The first character of a literal counts as code.

        (A rule may begin with a quotation mark.)
        """
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or offset >= self.spans[index].end:
            return None
        span = self.spans[index]
        return None if span.kind is Kind.STRING and offset == span.start else span.kind

    def begins_in_code(self, offset: int) -> bool:
        """Whether something that starts at `offset` starts in code or an #include."""
        return self.kind_at(offset) in (None, Kind.INCLUDE)

    def is_plain_code(self, start: int, end: int) -> bool:
        """Whether `text[start:end]` is neither comment nor literal nor #include."""
        index = bisect_right(self._starts, start) - 1
        if index >= 0 and start < self.spans[index].end:
            return False
        return index + 1 == len(self.spans) or self.spans[index + 1].start >= end

    def without(self, kinds: frozenset[Kind]) -> Layout:
        """This layout with spans of `kinds` taken for code."""
        return Layout(self.length, tuple(span for span in self.spans if span.kind not in kinds), self.includes)

    @cached_property
    def _starts(self) -> list[int]:
        return [span.start for span in self.spans]


# Every alternative begins with a plain character, not with a group: only so does the engine know where to look. What
# was found is told by that character. Lookbehinds tell a raw string's R" from a string's ", and the ' of 1'000 from
# the ' of a character literal.
_TOKEN = re.compile(
    r"""
    / (?: / [^\n\\]* (?: \\\r?\n [^\n\\]* | \\ [^\n\\]* )* | \* (?s: .*? ) (?: \*/ | \Z ) )
  | " (?: (?: (?<=\bR") | (?<=\b[uUL]R") | (?<=\bu8R") )
          (?P<delimiter> [^()\\\s"]{0,16} ) \( (?s: .*? ) (?: \)(?P=delimiter)" | \Z )
        | [^"\\\n]* (?: \\(?: \r\n | [\s\S] ) [^"\\\n]* )* " )
  | ' (?: (?<![\w\x80-\xff]') | (?<=\b[uUL]') | (?<=\bu8') ) [^'\\\n]* (?: \\. [^'\\\n]* )* '
  | \# [ \t]* include (?:_next)? [ \t]* (?: <(?P<angled>[^>\r\n]*)> | "(?P<quoted>[^"\r\n]*)" )
    """,
    re.VERBOSE | re.ASCII,
)

_KINDS = {"/": Kind.COMMENT, '"': Kind.STRING, "'": Kind.STRING}
_MARK = re.compile(r"MUSIFY_EXCL_(START|STOP|LINE)\b")


def scan(text: str) -> Layout:
    """Find everything in `text` that is not plain code.

    An unclosed literal ends with its line and counts as code; an unclosed comment runs to the end, as in a compiler.
    """
    spans: list[Span] = []
    includes: list[Include] = []
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        kind = _KINDS.get(text[start])
        if kind is not None:
            spans.append(Span(kind, start, end))
        elif _is_first_on_its_line(text, start):
            name = "quoted" if match["quoted"] is not None else "angled"
            spans.append(Span(Kind.INCLUDE, start, end))
            includes.append(Include(match[name], match.start(name), match.end(name), name == "quoted"))
    if "MUSIFY_EXCL_" in text:
        return _without_excluded(text, spans, includes)
    return Layout(len(text), tuple(spans), tuple(includes))


def _is_first_on_its_line(text: str, start: int) -> bool:
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return not before.strip(" \t") or before.removeprefix("\xef\xbb\xbf").strip(" \t") == ""


def _without_excluded(text: str, spans: list[Span], includes: list[Include]) -> Layout:
    """The layout in which marked regions are one span each; what was found inside them is dropped."""
    excluded = list(_excluded(text, spans))
    outside = [s for s in spans if not any(e.start < s.end and s.start < e.end for e in excluded)]
    kept = [i for i in includes if not any(e.start <= i.start < e.end for e in excluded)]
    return Layout(len(text), tuple(sorted((*outside, *excluded), key=lambda span: span.start)), tuple(kept))


def _excluded(text: str, spans: list[Span]) -> Iterator[Span]:
    """The lines from a START mark to the line of the next STOP mark (or to the end), and the lines of LINE marks."""
    begin: Optional[int] = None
    done = 0
    for span in spans:
        if span.kind is not Kind.COMMENT:
            continue
        for mark in _MARK.finditer(text, span.start, span.end):
            line_start = max(done, text.rfind("\n", 0, mark.start()) + 1)
            line_end = text.find("\n", span.end)
            line_end = len(text) if line_end < 0 else line_end
            if mark[1] == "START" and begin is None:
                begin = line_start
            elif mark[1] == "STOP" and begin is not None:
                yield Span(Kind.EXCLUDED, begin, line_end)
                begin, done = None, line_end
            elif mark[1] == "LINE" and begin is None and line_end > line_start:
                yield Span(Kind.EXCLUDED, line_start, line_end)
                done = line_end
    if begin is not None:
        yield Span(Kind.EXCLUDED, begin, len(text))
