"""Split a C++ text into code, comments, literals and #include, once it is in the form that compilers for MUSA read.

This is not a C++ parser. It knows what a rewriting tool needs to leave comments and data alone: comments,
string, raw-string and character literals, digit separators (`1'000`), continued lines, whatever names a header, and the
marks by which an author takes lines out of porting (musify's `MUSIFY_EXCL_START`, `MUSIFY_EXCL_STOP` and
`MUSIFY_EXCL_LINE`, in comments).

C++ allows comments and continued lines between any two words. So no pattern reads the text itself: patterns read
`Layout.code`, where comments and continuations are blanks and all offsets are those of the text.

Scanning costs more than anything else that porting does to a text, so only files in which some identifier
could change are scanned (see identifiers.py). The pattern is tried only at the four characters that can begin such a
span. A translation table maps the four to one, which a plain search finds five times as fast as the regular expression
engine searches for one of four.

Files have other forms, too: 8-bit characters, lines that end in LF and whole words are not a matter of course. Visual
Studio writes UTF-16, which nvcc takes on Windows. Old Macs ended lines in CR. And C++ lets a line be continued in the
middle of a word. `source_text` reads all of them.
"""

from __future__ import annotations

import codecs
import enum
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple, Optional


class SpanKind(enum.Enum):
    """The kind of a span of text."""

    COMMENT = "comment"
    STRING = "string"
    INCLUDE = "include"
    EXCLUDED = "excluded"


class Span(NamedTuple):
    """`text[start:end]`, which is not plain code."""

    kind: SpanKind
    start: int
    end: int


class Include(NamedTuple):
    """A text that names a header: its `path` is `text[start:end]`, without the delimiters.

    It is in `#include`, `#include_next`, `#import`, `__has_include` or `__has_include_next`, or in a macro by which the
    same text includes (`#define HALF <cuda_fp16.h>`).
    """

    path: str
    start: int
    end: int
    quoted: bool


class Layout:
    """The spans of one `text` that are not code, in order and without overlaps, and its includes.

    Span number i is a `kinds[i]` from `starts[i]` to `ends[i]`: there are many, and most are never read.
    """

    def __init__(
        self,
        text: str = "",
        kinds: Sequence[SpanKind] = (),
        starts: Sequence[int] = (),
        ends: Sequence[int] = (),
        includes: Sequence[Include] = (),
    ) -> None:
        self.text: Final = text
        self._kinds: Final = kinds
        self._starts: Final = starts
        self._ends: Final = ends
        self.includes: Final = includes

    def with_spans(self, spans: Iterable[Span], includes: Sequence[Include]) -> Layout:
        """Return the layout of the same text with these `spans`, which are in order."""
        spans = tuple(spans)
        return Layout(self.text, [s.kind for s in spans], [s.start for s in spans], [s.end for s in spans], includes)

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans that are not code."""
        return tuple(map(Span, self._kinds, self._starts, self._ends))

    def kind_at(self, offset: int) -> Optional[SpanKind]:
        """Return the kind of span that `text[offset]` is part of; None for code.

        The first character of a literal counts as code, because a rule may begin with a quotation mark.
        """
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or offset >= self._ends[index]:
            return None
        kind = self._kinds[index]
        return None if kind is SpanKind.STRING and offset == self._starts[index] else kind

    def literals_at(self, offset: int) -> tuple[tuple[int, int], ...]:
        """Return the ranges of the literal at `offset` and of those that are joined with it; none for other text."""
        first = bisect_right(self._starts, offset) - 1
        if first < 0 or offset >= self._ends[first] or self._kinds[first] is not SpanKind.STRING:
            return ()
        last = first
        while self._is_joined(first - 1):
            first -= 1
        while self._is_joined(last):
            last += 1
        return tuple(zip(self._starts[first : last + 1], self._ends[first : last + 1]))

    @cached_property
    def joined_literals(self) -> Sequence[int]:
        """Where the first of several literals begins that are joined."""
        kinds = self._kinds
        pairs = [
            index
            for index in range(len(kinds) - 1)
            if kinds[index] is kinds[index + 1] is SpanKind.STRING and self._is_joined(index)
        ]
        return [self._starts[index] for index in pairs if not self._is_joined(index - 1)]

    def _is_joined(self, index: int) -> bool:
        """Return whether the spans number `index` and the next one are literals with nothing between them."""
        if not 0 <= index < len(self._kinds) - 1:
            return False
        both = self._kinds[index] is self._kinds[index + 1] is SpanKind.STRING
        return both and self.text[self._starts[index]] == '"' and not self._between(index).strip()

    def _between(self, index: int) -> str:
        return self.text[self._ends[index] : self._starts[index + 1]].replace("\\\n", "")

    def begins_in_code(self, offset: int) -> bool:
        """Return whether `offset` is in code or in an #include."""
        return self.kind_at(offset) in (None, SpanKind.INCLUDE)

    def is_plain_code(self, start: int, end: int) -> bool:
        """Return whether `text[start:end]` is neither comment nor literal nor #include."""
        index = bisect_right(self._starts, start)
        if index and start < self._ends[index - 1]:
            return False
        return index == len(self._starts) or self._starts[index] >= end

    @cached_property
    def code(self) -> str:
        """The text with blanks for comments, excluded lines and the ends of continued lines.

        Every offset stays; a logical line is one line.
        """
        return self._blanked(SpanKind.COMMENT, SpanKind.EXCLUDED)

    @cached_property
    def code_without_literals(self) -> str:
        """`code` with blanks for literals too: its brackets match."""
        return self._blanked(SpanKind.COMMENT, SpanKind.EXCLUDED, SpanKind.STRING)

    @cached_property
    def without_comments(self) -> str:
        """The text with blanks for comments; continued lines stay."""
        return self._without(SpanKind.COMMENT)

    def _blanked(self, *blank: SpanKind) -> str:
        code = self._without(*blank)
        return code.replace("\\\n", "  ").replace("\\\r\n", "   ") if "\\" in code else code

    def _without(self, *blank: SpanKind) -> str:
        text, position = self.text, 0
        pieces: list[str] = []
        for kind, start, end in zip(self._kinds, self._starts, self._ends):
            if kind in blank:
                pieces += (text[position:start], " " * (end - start))
                position = end
        return "".join([*pieces, text[position:]])

    @cached_property
    def pastes(self) -> bool:
        """Whether there may be a macro with `##`. Many texts lack the longer word, which is found faster."""
        return "define" in self.text and "##" in self.text

    def without(self, kinds: frozenset[SpanKind]) -> Layout:
        """Return this layout with spans of `kinds` taken for code."""
        return self.with_spans((span for span in self.spans if span.kind not in kinds), self.includes)


# Blanks between the words of a directive.
_BLANK = r"[ \t]*(?: (?: \\\r?\n | /\*[^*]*(?:\*(?!/)[^*]*)*\*/ ) [ \t]* )*"

# The first character of a match determines its kind. Runs are written as `.` or as all but one character, which the
# engine skips several times as fast as a set or a lazy `.*?`; a lookbehind detects a continued line afterwards. Other
# lookbehinds distinguish a raw string's R" from a string's ", and the ' of 1'000 from that of a character literal.
_TOKEN = re.compile(
    r"""
    / (?: / .* (?: \n (?: (?<=\\\n) | (?<=\\\r\n) ) .* )* | \* [^*]* (?: \*(?!/) [^*]* )* (?: \*/ | \Z ) )
  | " (?: (?: (?<=\bR") | (?<=\b[uUL]R") | (?<=\bu8R") )
          (?P<delimiter> [^()\\\s"]{0,16} ) \( (?s: .*? ) (?: \)(?P=delimiter)" | \Z )
        | [^"\\\n]* (?: \\(?: \r\n | [\s\S] ) [^"\\\n]* )* " )
  | ' (?: (?<![\w\x80-\xff]') | (?<=\b[uUL]') | (?<=\bu8') ) [^'\\\n]* (?: \\. [^'\\\n]* )* '
  | \# {blank} (?: (?:include(?:_next)?|import) {blank}
                   (?: <(?P<angled>[^>\r\n]*)> | "(?P<quoted>[^"\r\n]*)" | (?P<computed>[A-Za-z_]) )
                 | define\b {blank} \w+\b {blank} (?P<defined><) )
    """.replace("{blank}", _BLANK),
    re.VERBOSE | re.ASCII,
)

_KINDS = {"/": SpanKind.COMMENT, '"': SpanKind.STRING, "'": SpanKind.STRING, "#": SpanKind.INCLUDE}
_FIRST = bytes(ord("#") if chr(code) in _KINDS else ord(" ") for code in range(256))
_MARK = re.compile(r"MUSIFY_EXCL_(START|STOP|LINE)\b")


def scan(text: str) -> Layout:
    """Find everything in `text` that is not plain code.

    An unclosed literal ends with its line and counts as code; an unclosed comment runs to the end, as in a compiler.
    """
    kinds: list[SpanKind] = []
    starts: list[int] = []
    ends: list[int] = []
    includes: list[Include] = []
    computes = False  # whether there is an #include of a macro, or a macro that may be included
    token, find_next = _TOKEN.match, text.encode("latin-1").translate(_FIRST).find
    start = find_next(b"#")
    while start >= 0:
        match = token(text, start)
        if match is None:
            start = find_next(b"#", start + 1)
            continue
        kind, end = _KINDS[text[start]], match.end()
        if kind is SpanKind.INCLUDE:
            if match.lastgroup in ("computed", "defined"):
                computes = True
                start = find_next(b"#", start + 1)
                continue
            if not _is_first_on_its_line(text, start, kinds, starts, ends):
                start = find_next(b"#", end)
                continue
            includes.append(_include(match))
        kinds.append(kind)
        starts.append(start)
        ends.append(end)
        start = find_next(b"#", end)
    layout = Layout(text, kinds, starts, ends, includes)
    layout = _without_excluded(text, layout) if "MUSIFY_EXCL_" in text else layout
    asks = "__has_include" in text
    return _with_indirect_includes(layout, asks, computes) if asks or computes else layout


# The header in `__has_include`, and a header that a macro names for #include.
_HAS_INCLUDE = r"__has_include(?:_next)?"
_ASKED = r'\s*\(\s*(?:<(?P<angled>[^>\n]*)>|"(?P<quoted>[^"\n]*)")'
_ASKING_MACRO = rf"#[ \t]*define[ \t]+(\w+)\([^()\n]*\).*\b{_HAS_INCLUDE}\s*\("
_COMPUTED = r"#[ \t]*(?:include(?:_next)?|import)[ \t]+(?P<macro>[A-Za-z_]\w*)[ \t]*(?P<arguments>\(.*)?"
_HEADER_MACRO = (
    r'(?m)#[ \t]*define[ \t]+(?P<macro>\w+)[ \t]+(?:<(?P<angled>[^<>\n]+\.\w+)>|"(?P<quoted>[^"\n]+)")[ \t]*\r?$'
)
_PATH = r"[\w/+-]+(?:\.[\w+-]+)+"


def _with_indirect_includes(layout: Layout, asks: bool, computes: bool) -> Layout:
    """Return `layout` with the other includes too: those that are no directive with a path."""
    code = layout.code
    extra = []
    if asks:
        names = "|".join((_HAS_INCLUDE, *re.findall(_ASKING_MACRO, code)))
        extra = [_include(match) for match in re.finditer(rf"\b(?:{names}){_ASKED}", code)]
    if computes:
        extra += _computed_includes(code)
    extra = [include for include in extra if layout.begins_in_code(include.start - 1)]
    spans = [Span(SpanKind.INCLUDE, include.start - 1, include.end + 1) for include in extra]
    kept = (s for s in layout.spans if not any(new.start < s.end and s.start < new.end for new in spans))
    includes = sorted((*layout.includes, *extra), key=lambda include: include.start)
    return layout.with_spans(sorted((*kept, *spans), key=lambda span: span.start), includes)


def _include(match: re.Match[str]) -> Include:
    delimiters = match.lastgroup or ""
    return Include(match[delimiters], *match.span(delimiters), delimiters == "quoted")


def _computed_includes(code: str) -> Iterator[Include]:
    """Yield the headers that `#include MACRO` and `#include MACRO(header)` name within the same text."""
    macros = set()
    for directive in re.compile(_COMPUTED).finditer(code):
        macros.add(directive["macro"])
        if directive["arguments"] is not None:
            paths = re.compile(_PATH).finditer(code, directive.start("arguments"), directive.end())
            yield from (Include(path[0], *path.span(), quoted=False) for path in paths)
    for define in re.compile(_HEADER_MACRO).finditer(code):
        if define["angled"] is not None or define["macro"] in macros:
            yield _include(define)


def _is_first_on_its_line(
    text: str, start: int, kinds: Sequence[SpanKind], starts: Sequence[int], ends: Sequence[int]
) -> bool:
    """Return whether nothing but blanks and comments, the last of the spans so far, precedes `start` on its line."""
    if start == 0 or text[start - 1] == "\n":
        return True
    last = len(kinds) - 1
    while last >= 0 and kinds[last] is SpanKind.COMMENT and not text[ends[last] : start].strip(" \t"):
        start = starts[last]
        last -= 1
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return not before.removeprefix("\xef\xbb\xbf").strip(" \t")


def _without_excluded(text: str, layout: Layout) -> Layout:
    """Return the layout in which each marked region is one span; spans inside it are dropped."""
    spans = layout.spans
    excluded = list(_excluded(text, spans))
    outside = [s for s in spans if not any(e.start < s.end and s.start < e.end for e in excluded)]
    kept = [i for i in layout.includes if not any(e.start <= i.start < e.end for e in excluded)]
    return layout.with_spans(sorted((*outside, *excluded), key=lambda span: span.start), kept)


def _excluded(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the lines from a START mark to the next STOP mark (or to the end), and the lines of LINE marks."""
    begin: Optional[int] = None
    done = 0
    for span in spans:
        if span.kind is not SpanKind.COMMENT:
            continue
        for mark in _MARK.finditer(text, span.start, span.end):
            line_start = max(done, text.rfind("\n", 0, mark.start()) + 1)
            line_end = text.find("\n", span.end)
            line_end = len(text) if line_end < 0 else line_end
            if mark[1] == "START" and begin is None:
                begin = line_start
            elif mark[1] == "STOP" and begin is not None:
                yield Span(SpanKind.EXCLUDED, begin, line_end)
                begin, done = None, line_end
            elif mark[1] == "LINE" and begin is None and line_end > line_start:
                yield Span(SpanKind.EXCLUDED, line_start, line_end)
                done = line_end
    if begin is not None:
        yield Span(SpanKind.EXCLUDED, begin, len(text))


class SourceText(NamedTuple):
    """The `content` to be ported. `remark` says how its form differs from the file's, if that is worth a word."""

    content: bytes
    remark: str = ""


_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
)


def source_text(content: bytes) -> SourceText:
    """Return the text of a file with this `content`."""
    encoding = _wide_encoding(content[:4])
    if encoding is not None:
        try:
            text = content.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError:
            return SourceText(content, f"it looks like {encoding}, but cannot be read so; it was not ported")
        inside = source_text(text.encode("utf-8", "surrogatepass"))
        return SourceText(inside.content, f"it is {encoding[:6].upper()}, which mcc does not read; the port is UTF-8")
    if b"\0" in content:
        return SourceText(content, "it has zero bytes, as a binary file has: look at what was ported")
    if b"\r" in content and _LONE_CR.search(content):
        content = _LONE_CR.sub(b"\n", content)
        remark = "it has lines that end in CR, which not all compilers read; the port has LF"
        return SourceText(_with_plain_directives(_with_whole_words(content)), remark)
    return SourceText(_with_plain_directives(_with_whole_words(content)))


def _wide_encoding(begin: bytes) -> Optional[str]:
    """Return the encoding of a text of wide characters, by its mark or by the zero in its first character."""
    if begin.isascii() and b"\0" not in begin:
        return None  # nearly every file
    for mark, encoding in _MARKS:
        if begin.startswith(mark):
            return encoding
    if begin[1:2] == b"\0" and begin[:1] != b"\0":
        return "utf-16-le"
    return "utf-16-be" if begin[:1] == b"\0" and begin[1:2] not in (b"", b"\0") else None


_RARE_MARKS = (b"%:", b"\f", b"\v")
_DIRECTIVE = r"(?m)^[ \t\f\v]*(%:|#)[^\"<\n]*"


def _with_plain_directives(content: bytes) -> bytes:
    """Write directives with # for %: and with blanks for form feeds and vertical tabs; every offset stays."""
    if not any(mark in content for mark in _RARE_MARKS):
        return content
    text = content.decode("latin-1")
    layout = scan(text)

    def plain(directive: re.Match[str]) -> str:
        if not layout.begins_in_code(directive.start(1)):
            return directive[0]
        blanked = directive[0].replace("\f", " ").replace("\v", " ")
        return blanked.replace("%:%:", "##  ").replace("%:", "# ")

    return re.sub(_DIRECTIVE, plain, text).encode("latin-1")


_LONE_CR = re.compile(rb"\r(?!\r*\n)")
_SPLIT = re.compile(rb"\\\r?\n(?:(?<=\w\\\n)|(?<=\w\\\r\n))\w")
# (Text, not compiled patterns: few files need them.)
_CONTINUATION = r"\\\r?\n"
_LOGICAL_LINE = r"(?:[^\\\n]|\\(?!\r?\n)|\\\r?\n)*"


def _with_whole_words(content: bytes) -> bytes:
    """Join lines that are continued inside a word. Empty lines after them keep the line numbers."""
    if b"\\" not in content or _SPLIT.search(content) is None:
        return content
    continuation_end, logical_line = re.compile(_CONTINUATION), re.compile(_LOGICAL_LINE)
    text = content.decode("latin-1")
    layout = scan(text)
    pieces, position = [], 0
    for split in _SPLIT.finditer(content):
        if split.start() < position or not layout.is_plain_code(split.start(), split.start() + 1):
            continue
        start = text.rfind("\n", 0, split.start()) + 1
        line = logical_line.match(text, start)
        end = start if line is None else line.end()
        end -= text[end - 1] == "\r"  # of the line's own end
        joined = [
            m for m in continuation_end.finditer(text, start, end) if layout.is_plain_code(m.start(), m.start() + 1)
        ]
        for continuation in joined:
            pieces.append(text[position : continuation.start()])
            position = continuation.end()
        pieces += (text[position:end], *(continuation[0] for continuation in joined))
        position = end
    pieces.append(text[position:])
    return "".join(pieces).encode("latin-1")
