"""Errors in a file of functions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mistake:
    """One mistake.

    Attributes:
        line: Where it is, counted from 1.
        what: What is wrong, and what was found.
        hint: What is possible instead.
    """

    line: int
    what: str
    hint: str = ""

    def text(self, file: Path) -> str:
        """Return the message, with the file and the line first."""
        return f"{file}:{self.line}: {self.what}" + (f"\n  {self.hint}" if self.hint else "")


class FunctionsError(Exception):
    """A file of functions has mistakes. All of them are in the message.

    Args:
        file: The file.
        mistakes: At least one.
    """

    def __init__(self, file: Path, mistakes: list[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(mistake.text(file) for mistake in sorted(mistakes, key=lambda each: each.line)))
