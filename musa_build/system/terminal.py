"""Errors as a terminal shows them: wrapped to its width, and in colour where that is wanted."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Mapping
from typing import IO, Optional

from ..errors import MusaBuildError

_RED, _FAINT, _END = "\033[1;31m", "\033[36m", "\033[0m"
_NARROWEST = 40


def wants_colour(stream: IO[str], environment: Mapping[str, str]) -> bool:
    """Return whether to colour what is written to `stream`: to a terminal, unless NO_COLOR or TERM say otherwise."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def width_of(stream: IO[str], environment: Mapping[str, str]) -> Optional[int]:
    """Return the width to wrap to: COLUMNS, or the terminal's; None for a file or a pipe, whose lines stay whole."""
    if not stream.isatty():
        return None
    columns = environment.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return max(int(columns), _NARROWEST)
    try:
        return max(os.get_terminal_size(stream.fileno()).columns, _NARROWEST)
    except (OSError, ValueError):
        return None


def as_block(error: MusaBuildError, *, width: Optional[int] = None, colour: bool = False) -> str:
    """Return an error as the lines that a user sees. Words are never cut: commands and paths can be copied."""
    lines = _wrapped("error: ", f"{error.what} [{error.code}]", width, " " * 7, _RED if colour else "")
    for label, text in error.parts:
        lines += _wrapped(f"  {label + ':':8}", text, width, " " * 10, _FAINT if colour else "")
    return "\n".join([*lines, *(["", error.log] if error.log else [])])


def _wrapped(label: str, text: str, width: Optional[int], indent: str, colour: str) -> list[str]:
    """Return a text as lines after its label. Its own line ends stay."""
    lines: list[str] = []
    for part in text.splitlines() or [""]:
        found = [part] if width is None else textwrap.wrap(
            part, width - len(indent), break_long_words=False, break_on_hyphens=False
        )  # fmt: skip
        lines += found or [""]
    first = f"{colour}{label.rstrip()}{_END}{' ' * (len(label) - len(label.rstrip()))}" if colour else label
    return [f"{first}{lines[0]}", *(f"{indent}{line}" for line in lines[1:])]


def show(error: MusaBuildError, stream: Optional[IO[str]] = None) -> None:
    """Print an error, by default on stderr."""
    stream = sys.stderr if stream is None else stream
    block = as_block(error, width=width_of(stream, os.environ), colour=wants_colour(stream, os.environ))
    print(block, file=stream, flush=True)
