"""Errors as a terminal shows them, in the form of all commands: wrapped to its width, in colour where wanted.

musa_tools does not need musa_build, so this is its own copy of that one's (system/terminal.py). A test compares them.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import IO, Optional

from musa_tools.errors import ToolError

_RED, _FAINT, _END = "\033[1;31m", "\033[36m", "\033[0m"
_NARROWEST = 40


def _width(stream: IO[str]) -> Optional[int]:
    """Return the width to wrap to; None for a file or a pipe, whose lines stay whole."""
    if not stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return max(int(columns), _NARROWEST)
    try:
        return max(os.get_terminal_size(stream.fileno()).columns, _NARROWEST)
    except (OSError, ValueError):
        return None


def as_block(what: str, parts: Sequence[tuple[str, str]], *, width: Optional[int] = None, colour: bool = False) -> str:
    """Return an error as lines: what went wrong, then a line for each part. Words are never cut."""
    lines = [*_wrapped("error: ", what, width, " " * 7, _RED if colour else "")]
    for label, text in parts:
        lines += _wrapped(f"  {label + ':':8}", text, width, " " * 10, _FAINT if colour else "")
    return "\n".join(lines)


def _wrapped(label: str, text: str, width: Optional[int], indent: str, colour: str) -> Iterator[str]:
    """Yield a text as lines after its label. Its own line ends stay."""
    first = f"{colour}{label.rstrip()}{_END}{' ' * (len(label) - len(label.rstrip()))}" if colour else label
    for part in text.splitlines() or [""]:
        lines = [part] if width is None else textwrap.wrap(
            part, width - len(indent), break_long_words=False, break_on_hyphens=False
        )  # fmt: skip
        for line in lines or [""]:
            yield f"{first}{line}"
            first = indent


def show(error: ToolError) -> None:
    """Print an error on stderr."""
    stream = sys.stderr
    colour = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    print(as_block(error.what, error.parts, width=_width(stream), colour=colour), file=stream, flush=True)
