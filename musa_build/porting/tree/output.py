"""The ported tree on disk: only what changed is written, all of it or nothing.

New contents are first written into a folder of their own inside the output; only when every file is there, all are
moved to their places. So a full disk, an error in the last file or Ctrl-C leave the old output as it was.
"""

# ruff: noqa: PTH103, PTH105, PTH106, PTH108, PTH112, PTH116, PTH120, PTH208
# (Paths are plain text here: there are thousands, and a Path object costs more than what is asked of it.)

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Optional

from ...errors import PortingError
from ...system.files import digest
from ..engine.edits import Finding, Severity
from .manifest import MANIFEST, STAGING, FileRecord, Manifest, Stamp, stamp_of


def reason_of(error: OSError, output: Path) -> str:
    """Which file and why. (Of a write to an open file the system does not tell the name.)"""
    return f"{error.filename or output}: {error.strerror}"


class Ported(NamedTuple):
    """A file as it should stand at `target`: `content` with the permission bits `mode`.

    `content` is None when source and output are both as the last run left them. `record` has no output stamp yet.
    """

    target: str
    content: Optional[bytes]
    mode: int
    record: FileRecord


class WriteResult:
    """What `write_tree` did. `written` and `removed` are targets; `records` holds one record for each file."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.removed: list[str] = []
        self.records: dict[str, FileRecord] = {}
        self.findings: list[Finding] = []


@contextmanager
def opened(output: Path) -> Iterator[None]:
    """Make the folder `output` and hold it for the length of the block: a second porting into it waits.

    A folder that was made here and is still empty at the end (an error came first) is removed again.
    """
    made = not output.exists()
    output.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(output, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
        if made:
            with suppress(OSError):
                output.rmdir()


def write_tree(output: Path, files: Iterable[Ported], old: Manifest, rules: str) -> WriteResult:
    """Make `output` hold `files`, touching only what changed; remove what an earlier run made and nobody wants now.

    A file that was edited by hand since is kept as long as porting would still write what it wrote before.

    Raises:
        PortingError: a file that porting did not make, or that was edited by hand, would be lost; nothing is written.
        OSError: the disk is full or the folder cannot be written; the old output stands.
    """
    result = WriteResult()
    staging = Staging(output / STAGING)
    is_empty = not os.listdir(output)
    try:
        for file in files:
            status = None if is_empty else _status(f"{output}/{file.target}")
            _stage(output, file, status, old, staging, result)
        if not old.files:
            _refuse_foreign(output, result)
        doomed = _doomed(output, old, result)
        staged = staging.place(output)
        for target, stamp in staged.items():
            result.records[target] = result.records[target]._replace(output_stamp=stamp)
        for target in doomed:
            (output / target).unlink()
        result.removed = doomed
        if staged or doomed or _differs(old, result, rules):
            staging.write(MANIFEST, Manifest(rules, result.records).to_bytes(), 0o644)
            staging.place(output)
    finally:
        staging.remove()
    return result


def _differs(old: Manifest, result: WriteResult, rules: str) -> bool:
    """Whether a new manifest says more than other stamps for the same contents."""
    if old.rules != rules or old.files.keys() != result.records.keys():
        return True

    def essence(record: FileRecord) -> tuple[object, ...]:
        return (record.source_digest, record.output_digest, record.findings, record.used_rules)

    return any(essence(record) != essence(old.files[target]) for target, record in result.records.items())


class Staging:
    """A folder of files that wait for their move, laid out as the output is. It is made when the first one comes."""

    def __init__(self, folder: Path) -> None:
        self._root = str(folder)
        self._folders: set[str] = set()
        self._stamps: dict[str, Stamp] = {}

    def write(self, target: str, content: bytes, mode: int) -> None:
        """Write what will stand at `target` (a relative path)."""
        place = f"{self._root}/{target}"
        folder = os.path.dirname(place)
        if folder not in self._folders:
            if not self._folders:
                self.remove()  # what a killed run left
            os.makedirs(folder, exist_ok=True)
            self._folders.add(folder)
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            if mode & ~0o644:
                os.fchmod(descriptor, mode)  # the umask may have taken bits away
            self._stamps[target] = stamp_of(os.fstat(descriptor))
        finally:
            os.close(descriptor)

    def place(self, output: Path) -> Mapping[str, Stamp]:
        """Move everything to its place below `output`. Returns target -> stamp.

        A folder that `output` lacks is moved as a whole, in one step, and the stamps of its files stay.
        """
        stamps, self._stamps, self._folders = self._stamps, {}, set()
        if stamps:
            self._move("", str(output), stamps)
        return stamps

    def _move(self, folder: str, output: str, stamps: dict[str, Stamp]) -> None:
        """Move what waits in `folder` (a relative path that ends in /, or nothing); `stamps` gets the new stamps."""
        with os.scandir(f"{self._root}/{folder}") as entries:
            found = list(entries)
        for entry in found:
            target = folder + entry.name
            place = f"{output}/{target}"
            if not entry.is_dir():
                os.replace(entry.path, place)
                stamps[target] = stamp_of(os.stat(place))
            elif os.path.isdir(place):
                self._move(f"{target}/", output, stamps)
            else:
                os.replace(entry.path, place)

    def remove(self) -> None:
        """Remove the folder and what still waits in it."""
        for folder, folders, names in os.walk(self._root, topdown=False):
            for name in names:
                os.unlink(f"{folder}/{name}")
            for name in folders:
                os.rmdir(f"{folder}/{name}")
        with suppress(FileNotFoundError):
            os.rmdir(self._root)


def _refuse_foreign(output: Path, result: WriteResult) -> None:
    """Without a manifest nothing tells that `output` is ours, so no other file may be in it. Hidden ones may (.git)."""
    for folder, folders, names in os.walk(output):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in sorted(names):
            target = os.path.relpath(f"{folder}/{name}", output)
            if not name.startswith(".") and target not in result.records:
                raise PortingError(
                    "the output folder holds a file that porting did not make",
                    found=f"{output}/{target}",
                    hint="port into a new folder, or move the file away",
                )


def _stage(
    output: Path,
    file: Ported,
    status: Optional[os.stat_result],
    old: Manifest,
    staging: Staging,
    result: WriteResult,
) -> None:
    """Stage `file` unless it stands in `output` already. `status` is that of what stands there now."""
    record = file.record
    result.records[file.target] = record
    if file.content is None:
        return
    known = old.files.get(file.target)
    if status is not None:
        path = output / file.target
        trusted = known is not None and known.output_stamp == stamp_of(status)
        now = known.output_digest if known is not None and trusted else digest(path.read_bytes())
        if now == record.output_digest:
            result.records[file.target] = record._replace(output_stamp=stamp_of(status))
            if status.st_mode & 0o7777 != file.mode:
                path.chmod(file.mode)
            return
        if known is None or now != known.output_digest:
            _refuse_or_keep(path, file, known, result)
            return
    staging.write(file.target, file.content, file.mode)
    result.written.append(file.target)


def _status(path: str) -> Optional[os.stat_result]:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _refuse_or_keep(path: Path, file: Ported, known: Optional[FileRecord], result: WriteResult) -> None:
    """A file that porting did not make, or that somebody edited: keep it if nothing new is lost, else refuse."""
    if known is None:
        raise PortingError(
            "porting would overwrite a file that it did not make",
            found=str(path),
            hint="move the file away, or port into another folder",
        )
    if known.output_digest != file.record.output_digest:
        raise PortingError(
            "a ported file was edited by hand, and its source has changed too",
            found=str(path),
            hint="make the edit in the CUDA source (or as a rule), then remove this file",
        )
    message = "edited by hand since it was ported; the edit was kept"
    result.findings.append(Finding("edited-by-hand", Severity.WARNING, file.target, 0, message))


def _doomed(output: Path, old: Manifest, result: WriteResult) -> list[str]:
    """The files that an earlier run made, that nobody wants now and that nobody edited."""
    doomed: list[str] = []
    for target in sorted(old.files.keys() - result.records.keys()):
        path = output / target
        if not path.is_file() or path.is_symlink():
            continue
        if digest(path.read_bytes()) == old.files[target].output_digest:
            doomed.append(target)
        else:
            message = "its source is gone, but it was edited by hand; it was kept"
            result.findings.append(Finding("edited-by-hand", Severity.WARNING, target, 0, message))
    return doomed
