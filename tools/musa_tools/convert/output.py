"""Write all converted files, or none.

Each new content is written beside its file first. Only when all are there, the files are replaced one by one, and the
old ones are kept until the last. So a full disk, a file that may not be written, or Ctrl-C leave the tree as it was.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from ..errors import ToolError
from .results import FileResult, Stamp

_NEW, _OLD = ".musa-converter-new", ".musa-converter-old"


class WriteError(ToolError):
    """The tree could not be written; it is as it was."""


@dataclass(frozen=True)
class Backup:
    """The backups of old files: beside the new ones under `suffix`, or below `folder`."""

    root: Path
    suffix: str = ""
    folder: Optional[Path] = None

    def target(self, path: Path) -> Path:
        """Return the path of an old file's copy."""
        if self.folder is None:
            return path.with_name(path.name + self.suffix)
        inside = path.is_relative_to(self.root) and path != self.root
        return self.folder / (path.relative_to(self.root) if inside else path.name)

    def keep(self, path: Path) -> None:
        """Copy a file. A copy that is there already stays: it is the older one."""
        target = self.target(path)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)


@dataclass
class _Transaction:
    """The files that were staged, and those that were replaced."""

    staged: list[Path] = field(default_factory=list)
    replaced: list[Path] = field(default_factory=list)

    def stage(self, path: Path, content: bytes) -> None:
        status = path.stat()
        if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(13, "the file is read-only", str(path))
        new = _beside(path, _NEW)
        self.staged.append(path)
        with new.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        shutil.copystat(path, new)
        os.utime(new)
        with suppress(OSError):
            os.chown(new, status.st_uid, status.st_gid)

    def replace(self, path: Path) -> None:
        old = _beside(path, _OLD)
        old.unlink(missing_ok=True)
        try:
            os.link(path, old)
        except OSError:  # a file system without hard links
            shutil.copy2(path, old)
        self.replaced.append(path)
        _beside(path, _NEW).replace(path)

    def roll_back(self) -> None:
        for path in reversed(self.replaced):
            old = _beside(path, _OLD)
            if old.exists():
                old.replace(path)
        self.clean_up()

    def clean_up(self) -> None:
        for path in self.staged:
            for suffix in (_NEW, _OLD):
                with suppress(OSError):
                    _beside(path, suffix).unlink(missing_ok=True)


def _file(result: FileResult) -> Path:
    """Return the file itself: a link keeps pointing to it."""
    return Path(os.path.realpath(result.path))


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f".{path.name}{suffix}")


def write_all(results: Sequence[FileResult], backup: Optional[Backup]) -> int:
    """Replace the files that changed. Return how many.

    Raises:
        WriteError: A file could not be written, or was changed meanwhile. Every file is as it was.
        KeyboardInterrupt: Every file is as it was.
    """
    transaction = _Transaction()
    changed = [result for result in results if result.converted.content is not None]
    try:
        for result in changed:
            content = result.converted.content
            assert content is not None
            transaction.stage(_file(result), content)
        for result in changed:
            if Stamp.of(result.path) != result.stamp:
                raise WriteError(
                    f"{result.path} was changed by another program meanwhile; nothing was converted",
                    hint="run it again",
                )
            if backup is not None:
                backup.keep(_file(result))
        for result in changed:
            transaction.replace(_file(result))
    except OSError as error:
        _in_spite_of_interrupts(transaction.roll_back)
        raise WriteError(
            f"{error.filename or 'a file'} cannot be written; nothing was converted", found=str(error.strerror or error)
        ) from error
    except BaseException:
        _in_spite_of_interrupts(transaction.roll_back)
        raise
    _in_spite_of_interrupts(transaction.clean_up)
    return len(changed)


def _in_spite_of_interrupts(action: Callable[[], None]) -> None:
    """Do something that must be done to its end. Doing a part of it twice does no harm."""
    while True:
        try:
            action()
            return
        except KeyboardInterrupt:
            continue
