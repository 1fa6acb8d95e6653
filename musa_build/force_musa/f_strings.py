"""Find the expressions in an f-string's text. Pure.

By the grammar of Python 3.12, which takes what earlier versions take.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

_START = re.compile(r"""(?P<prefix>(?i:[ft]r?|r[ft]|b|u|r|br|rb)?)(?P<quote>'''|\"\"\"|'|")""")
_OPENING, _CLOSING = "([{", ")]}"
_COMPARED = "=!<>"


def expressions(literal: str) -> Iterator[tuple[int, int]]:
    """Yield where each expression in a string begins and ends; none for a string that is no f-string.

    An expression in an expression's own f-string is a part of it.
    """
    start = _START.match(literal)
    if start is not None and _has_fields(start):
        end = len(literal) - len(start["quote"])
        yield from _fields(literal, start.end(), end, is_raw="r" in start["prefix"].lower())


def _has_fields(start: re.Match[str]) -> bool:
    return not {"f", "t"}.isdisjoint(start["prefix"].lower())


def _fields(text: str, at: int, end: int, is_raw: bool) -> Iterator[tuple[int, int]]:
    while at < end:
        if text[at] == "\\":
            at = _end_of_escape(text, at, is_raw)
        elif text.startswith(("{{", "}}"), at):
            at += 2
        elif text[at] == "{":
            close = _end_of_expression(text, at + 1, end)
            yield at + 1, close
            at = yield from _rest_of_field(text, close, end)
        else:
            at += 1


def _end_of_escape(text: str, at: int, is_raw: bool) -> int:
    """Return where the backslash at `at` and what it escapes end: a brace is not escaped."""
    if not is_raw and text.startswith("\\N{", at):
        return text.find("}", at) + 1
    return at + (1 if text[at + 1] in "{}" else 2)


def _rest_of_field(text: str, at: int, end: int) -> Generator[tuple[int, int], None, int]:
    """Yield the expressions in the format of a field; return where the field ends."""
    while at < end and text[at] not in ":}":
        at += 1
    while at < end and text[at] != "}":
        if text[at] == "{":
            close = _end_of_expression(text, at + 1, end)
            yield at + 1, close
            at = yield from _rest_of_field(text, close, end)
        else:
            at += 1
    return at + 1


def _end_of_expression(text: str, at: int, end: int) -> int:
    """Return where the expression ends: at the end of its field, a conversion, a format or a `=` that prints it."""
    depth, begin = 0, at
    while at < end:
        letter = text[at]
        if letter in "\"'":
            at = _end_of_string(text, at, begin, end)
            continue
        if letter == "#":
            at = text.find("\n", at) % (end + 1)
        elif letter in _OPENING:
            depth += 1
        elif letter in _CLOSING and depth:
            depth -= 1
        elif not depth and (letter in ":}" or _ends_before(text, at)):
            return at
        at += 1
    return end


def _ends_before(text: str, at: int) -> bool:
    """Return whether a conversion begins at `at`, or a `=` that prints the expression, rather than a comparison."""
    is_mark = text[at] == "!" or (text[at] == "=" and text[at - 1] not in _COMPARED)
    return is_mark and text[at + 1] != "="


def _end_of_string(text: str, quote: int, begin: int, end: int) -> int:
    """Return where the string in an expression ends whose first quote is there."""
    first = quote
    while first > begin and (text[first - 1].isalnum() or text[first - 1] == "_"):
        first -= 1
    start = _START.match(text, first) or _START.match(text, quote)  # `if"a"` is a keyword and a string
    assert start is not None
    at, mark, is_raw = start.end(), start["quote"], "r" in start["prefix"].lower()
    while at < end and not text.startswith(mark, at):
        if text[at] == "\\":
            at = _end_of_escape(text, at, is_raw) if _has_fields(start) else at + 2
        elif text[at] == "{" and _has_fields(start) and not text.startswith("{{", at):
            at = _end_of_field(text, at, end)
        else:
            at += 2 if _has_fields(start) and text.startswith("{{", at) else 1
    return at + len(mark)


def _end_of_field(text: str, at: int, end: int) -> int:
    rest = _rest_of_field(text, _end_of_expression(text, at + 1, end), end)
    while True:
        try:
            next(rest)
        except StopIteration as finished:
            return int(finished.value)
