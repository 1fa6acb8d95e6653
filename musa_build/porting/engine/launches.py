"""Launches that are written with blanks: `kernel << <grid, block>> >(x)`, as some formatters leave them.

nvcc takes `<<` and `<` for the beginning of a launch; clang, and so mcc, wants `<<<`. In C++, a `<` follows `<<` only
in a call by name, `operator<< <T>`. The end is searched from there, because `>> >` also closes templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .scanner import Layout

_OPENING = re.compile(r"<<\s*<(?!<)")
_MARK = re.compile(r"[()\[\]{};]|>>\s*>|<<\s*<")
_OPERATOR = re.compile(r"\boperator\s*\Z")
_ARGUMENTS = re.compile(r"\s*(?:\(|$)", re.MULTILINE)
_BLANKS = r"(?:[\s\\]|/\*[^*]*\*/|//.*\n)+"
_MAY_OPEN, _MAY_CLOSE = re.compile(f"<<{_BLANKS}<"), re.compile(f">>{_BLANKS}>")


def may_have_blanks(text: str) -> bool:
    """Return whether `text` may hold a launch with blanks: a quick look before it is scanned."""
    return "<<" in text and (
        _MAY_OPEN.search(text) is not None or ("<<<" in text and _MAY_CLOSE.search(text) is not None)
    )


def launches_with_blanks(layout: Layout) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, replacement) for the beginnings and the ends of launches that hold blanks."""
    code = layout.code_without_literals
    for opening in _OPENING.finditer(code):
        if _OPERATOR.search(code, max(0, opening.start() - 40), opening.start()):
            continue
        closing = _end_of_configuration(code, opening.end())
        if closing is not None:
            for (start, end), mark in ((opening.span(), "<<<"), (closing, ">>>")):
                if end - start > len(mark):
                    yield start, end, mark


def _end_of_configuration(code: str, start: int) -> Optional[tuple[int, int]]:
    """Return where the `>>>` of the configuration that begins at `start` is; None if it is no configuration."""
    depth = 0
    for mark in _MARK.finditer(code, start):
        if mark[0] in ("(", "[", "{"):
            depth += 1
        elif mark[0] in (")", "]", "}"):
            depth -= 1
            if depth < 0:
                return None
        elif mark[0] == ";" and depth == 0:
            return None
        elif mark[0][0] == ">" and depth == 0 and _ARGUMENTS.match(code, mark.end()):
            return mark.span()
        elif mark[0][0] == "<" and depth == 0:
            return None
    return None
