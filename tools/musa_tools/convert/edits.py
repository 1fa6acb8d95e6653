"""Edits of single words, and notes on words that were left; both by byte offset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

UNSUPPORTED = "unsupported"  # will not work on MUSA unchanged
UNCLEAR = "unclear"  # may need a change; nothing in the file says so
LEFT = "left"  # needs no change: a text for people, a switch without effect, another library's name


class EditError(Exception):
    """A fault of the converter: a position is wrong, or two rules change the same word."""


@dataclass(frozen=True, order=True)
class Edit:
    """Replace the bytes from `start` to `end`."""

    start: int
    end: int
    new: bytes
    rule: str


@dataclass(frozen=True, order=True)
class Note:
    """A remark on the code at `offset`; `level` is UNSUPPORTED, UNCLEAR or LEFT."""

    offset: int
    level: str
    message: str


class Findings:
    """The edits and notes of the rules for one file."""

    def __init__(self, code: bytes) -> None:
        self.code = code
        self.edits: dict[tuple[int, int], Edit] = {}
        self.notes: set[Note] = set()

    def replace(self, start: int, old: bytes, new: bytes, rule: str) -> None:
        """Replace the word `old` at `start`.

        Raises:
            EditError: The text at this offset is another one.
        """
        end = start + len(old)
        if self.code[start:end] != old:
            raise EditError(f"at byte {start}, {old!r} was expected, but {self.code[start:end]!r} was found")
        self.span(start, end, new, rule)

    def span(self, start: int, end: int, new: bytes, rule: str) -> None:
        """Replace everything from `start` to `end`."""
        if self.code[start:end] != new:
            self.edits[start, end] = Edit(start, end, new, rule)

    def note(self, offset: int, level: str, message: str) -> None:
        """Remember a remark."""
        self.notes.add(Note(offset, level, message))


def apply(code: bytes, edits: Iterable[Edit]) -> bytes:
    """Return `code` with all edits made.

    Raises:
        EditError: Two edits overlap.
    """
    parts: list[bytes] = []
    position = 0
    for edit in sorted(edits):
        if edit.start < position:
            raise EditError(f"at byte {edit.start}, the rule {edit.rule!r} changes what another rule has changed")
        parts += (code[position : edit.start], edit.new)
        position = edit.end
    parts.append(code[position:])
    return b"".join(parts)


def without_inner(edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits without those inside a larger one."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept
