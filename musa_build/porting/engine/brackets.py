"""Brackets in code: what is around a range, and the part of an expression that it is in.

The code has blanks for comments and literals, so its brackets match.
"""

from __future__ import annotations

import re
from typing import Optional

Range = tuple[int, int]

_SEPARATOR = r"[;{},?]|&&|\|\||(?<!:):(?!:)|\breturn\b|\n[ \t]*#[ \t]*\w+"
_LINES = r"|(?:\A|\n)[ \t]*#[^\n]*"  # of the preprocessor
_OPENING, _CLOSING = "([{", ")]}"
_BRACKETS = r"[()\[\]{}]"
_STATEMENT, _CONDITION = 2000, 300  # characters that are searched, comments included


def part_around(code: str, start: int, stop: int) -> Range:
    """Return the part of an expression around `code[start:stop]`, between brackets and separators."""
    begin, depth = start, 0
    line, line_end = code.rfind("\n", 0, start) + 1, code.find("\n", stop)
    is_directive = code[line:start].lstrip().startswith("#")
    separator = re.compile(_SEPARATOR if is_directive else _SEPARATOR.rpartition("|")[0] + _LINES)
    first = max(line if is_directive else 0, start - _CONDITION)
    text = code[first:start]
    ends = {match.end(): match.start() for match in separator.finditer(text)}
    for at in range(len(text), 0, -1):
        if depth == 0 and at in ends:
            break
        depth += (text[at - 1] in _CLOSING) - (text[at - 1] in _OPENING)
        if depth < 0:
            break
        begin = first + at - 1
    depth, end = 0, stop
    text = code[stop : line_end if is_directive and line_end >= 0 else stop + _CONDITION][:_CONDITION]
    starts = {match.start() for match in separator.finditer(text)}
    for at, mark in enumerate(text):
        if depth == 0 and at in starts:
            break
        depth += (mark in _OPENING) - (mark in _CLOSING)
        if depth < 0:
            break
        end = stop + at + 1
    return begin, end


def bracket_around(code: str, start: int) -> Optional[Range]:
    """Return the brackets around the expression that begins at `start`."""
    depth = 0
    for at in range(start - 1, max(-1, start - _STATEMENT), -1):
        mark = code[at]
        if mark == ";" and depth == 0:
            return None
        depth += (mark in _CLOSING) - (mark in _OPENING)
        if depth < 0:
            return at, closing(code, at) + 1
    return None


def statement_begin(code: str, start: int) -> int:
    """Return where the statement with `code[start]` begins, or the brackets around it.

    A directive ends with its line.
    """
    depth = 0
    for at in range(start - 1, max(-1, start - _STATEMENT), -1):
        mark = code[at]
        if depth == 0 and (mark in ";}" or (mark == "\n" and _is_directive(code, at))):
            return at + 1
        depth += (mark in _CLOSING) - (mark in _OPENING)
        if depth < 0:
            return at + 1
    return max(0, start - _STATEMENT)


def _is_directive(code: str, end: int) -> bool:
    """Return whether the line that ends at `end` is one of the preprocessor's."""
    return code[code.rfind("\n", 0, end) + 1 : end].lstrip().startswith("#")


def closing(code: str, opening: int) -> int:
    """Return where the bracket at `opening` closes; the end of the code if it does not."""
    depth = 0
    for mark in re.compile(_BRACKETS).finditer(code, opening):
        depth += 1 if mark[0] in _OPENING else -1
        if depth == 0:
            return mark.start()
    return len(code) - 1


def is_nested(code: str, begin: int, at: int) -> bool:
    """Return whether `code[at]` is in other brackets than `code[begin]`."""
    return sum((mark in _OPENING) - (mark in _CLOSING) for mark in code[begin:at]) != 0


def depth_zero(text: str) -> str:
    """Return the text outside of brackets."""
    depth, kept = 0, []
    for mark in text:
        depth += mark in _OPENING
        kept.append(mark if depth == 0 else " ")
        depth -= mark in _CLOSING
    return "".join(kept)


def without_template_arguments(code: str) -> str:
    """Return the code with blanks for `<int>` and its like, which are no comparisons."""
    for _ in range(2):  # of the inner one, then of the outer one
        code = re.sub(r"(?<=\w)<[\w:,*\s]*>(?=\s*[\w({:&*>.,)])", lambda found: " " * len(found[0]), code)
    return code


_FUNCTION = (
    r"(\w+)\s*\([^(){};]*\)(?:[\w\s:]|->)*\{"
    r"|(\w+)\s*=\s*\[[^\[\]]*\]\s*(?:\([^(){};]*\))?(?:[\w\s:]|->)*\{"
)
STATEMENTS = frozenset({"if", "for", "while", "switch", "catch"})


def function_around(code: str, at: int) -> Optional[re.Match[str]]:
    """Return the head of the function (group 1) or the named lambda (group 2) around `code[at]`."""
    found = None
    for function in re.compile(_FUNCTION).finditer(code, max(0, at - _STATEMENT), at):
        if function[1] not in STATEMENTS and closing(code, function.end() - 1) > at:
            found = function
    return found
