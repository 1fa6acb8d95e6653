"""The text of a source file as compilers for MUSA read it: 8-bit characters, lines that end in LF, whole words.

Visual Studio writes UTF-16, which nvcc takes on Windows. Old Macs ended lines in CR. And C++ lets a line be continued
in the middle of a word.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple, Optional

from .scanner import scan


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
