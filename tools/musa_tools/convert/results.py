"""The result of converting a file, in words: changes, remarks, or the reason why it was left."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .edits import Edit, Note
from .source import Source


@dataclass(frozen=True)
class Options:
    """The options of a conversion: parts beside code."""

    messages: bool = False
    textual: bool = False
    shell: bool = False
    all_scripts: bool = False


@dataclass(frozen=True)
class Change:
    """An edit, for people: its position, the rule, the words, and the line of the source around them."""

    line: int
    column: int
    rule: str
    old: str
    new: str
    source: str


@dataclass(frozen=True)
class Remark:
    """A note, for people."""

    line: int
    column: int
    level: str
    message: str


@dataclass(frozen=True)
class Converted:
    """The result for one file. `content` is None if nothing changes; `error` says why it could not be read."""

    content: Optional[bytes] = None
    changes: tuple[Change, ...] = ()
    remarks: tuple[Remark, ...] = ()
    error: Optional[str] = None


UNCHANGED = Converted()


@dataclass(frozen=True)
class Stamp:
    """A stamp that shows whether a file has changed since it was read."""

    modified: int
    size: int

    @classmethod
    def of(cls, path: str) -> Stamp:
        """Return a file's stamp now."""
        status = Path(path).stat()
        return cls(status.st_mtime_ns, status.st_size)


@dataclass(frozen=True)
class FileResult:
    """A file, its result, and its stamp when it was read."""

    path: str
    converted: Converted
    stamp: Stamp


def described(source: Source, edits: list[Edit], notes: list[Note], content: Optional[bytes]) -> Converted:
    """Put edits and notes in words."""
    changes = tuple(
        Change(
            *source.location(edit.start),
            edit.rule,
            source.code[edit.start : edit.end].decode(),
            edit.new.decode(),
            source.line_at(edit.start),
        )
        for edit in edits
    )
    remarks = tuple(Remark(*source.location(note.offset), note.level, note.message) for note in notes)
    return Converted(content, changes, remarks)
