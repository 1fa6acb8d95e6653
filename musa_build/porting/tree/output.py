"""Write the ported tree: only changed files, and either all of them or none.

New contents are first written into a staging folder inside the output. Only when all files are there, they are moved to
their targets. So a full disk, an error in the last file or Ctrl-C leave the old output as it was.

The manifest in the output folder records the files that porting made, their sources, and the rules. Only files that
it lists are ever overwritten or removed, and only while they are still as porting left them. A file whose source and
output still have the stamps in the manifest is not even opened.
"""

# ruff: noqa: PTH103, PTH105, PTH106, PTH108, PTH112, PTH116, PTH120, PTH208
# (Paths are plain text here: there are thousands, and a Path object costs more than the calls made with it.)

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Optional

from ...errors import PortingError
from ...system.files import PORTING_MANIFEST, digest
from ..engine.edits import Finding, Severity

MANIFEST = PORTING_MANIFEST
NOOP_CACHE = ".musa_build_porting.last"  # __main__.NAME, which this package must not import
STAGING = ".musa_build_porting.new"

_VERSION = 2


class Stamp(NamedTuple):
    """The time stamps of a file in nanoseconds, and its size in bytes. Equal stamps mean the same content.

    The change time is part of it because a copy or an archive may restore an old modification time.
    """

    modified: int
    changed: int
    size: int


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp in the result of `os.stat`."""
    return Stamp(status.st_mtime_ns, status.st_ctime_ns, status.st_size)


NO_STAMP = Stamp(-1, -1, -1)


class FileRecord(NamedTuple):
    """How one file of the output was made. Digests cover the full content; `used_rules` are the user's."""

    source: str
    source_stamp: Stamp
    source_digest: str
    output_stamp: Stamp
    output_digest: str
    edits: int
    findings: tuple[Finding, ...]
    used_rules: tuple[str, ...]


class PortedFile(NamedTuple):
    """A file as it should be at `target`: `content` with the permission bits `mode`.

    `content` is None if source and output are both as the last run left them. `record` has no output stamp yet.
    """

    target: str
    content: Optional[bytes]
    mode: int
    record: FileRecord


class Manifest(NamedTuple):
    """Target -> record, and `rules`: the fingerprint of everything, except the files, that determines the output."""

    rules: str = ""
    files: Mapping[str, FileRecord] = MappingProxyType({})

    @staticmethod
    def read(output: Path) -> Manifest:
        """Read the manifest in `output`; if there is none, return an empty one.

        Raises:
            PortingError: The manifest is damaged, or is no file.
        """
        path = output / MANIFEST
        if path.exists() and not path.is_file():  # to read a pipe would wait for a writer
            raise PortingError(
                "the manifest of the ported tree is no file", found=str(path), hint="remove it and the ported tree"
            )
        try:
            content = json.loads(path.read_bytes())
            files = {str(target): _record(target, values) for target, values in content["files"].items()}
            if any(target.startswith("/") or ".." in target.split("/") for target in files):
                raise ValueError("a path leads out of the tree")  # files that the manifest lists may be removed
            # Files of an older version of the manifest are still ours; they are only ported again.
            return Manifest(content["rules"] if content["version"] == _VERSION else "", files)
        except (FileNotFoundError, NotADirectoryError):
            return Manifest()
        except (ValueError, KeyError, AttributeError, TypeError, IndexError) as error:
            raise PortingError(
                "the manifest of the ported tree is damaged",
                found=str(path),
                hint="remove the ported tree; it is made again",
            ) from error

    def to_bytes(self) -> bytes:
        """Return the content of the manifest's file."""
        files = {target: _values(record) for target, record in sorted(self.files.items())}
        content = {"made_by": "musa_build.porting", "version": _VERSION, "rules": self.rules, "files": files}
        return (json.dumps(content, separators=(",", ":")).replace('],"', '],\n"') + "\n").encode()


def _values(record: FileRecord) -> list[Any]:
    findings = [[f.code, f.severity.value, f.line, f.message] for f in record.findings]
    return [*record[:6], findings, record.used_rules]


def _record(target: str, values: Any) -> FileRecord:
    if isinstance(values, str):  # version 1 held only the digest of the output
        return FileRecord(target, NO_STAMP, "", NO_STAMP, values, 0, (), ())
    source, source_stamp, source_digest, output_stamp, output_digest, edits, findings, used = values
    return FileRecord(
        source,
        Stamp(*source_stamp),
        source_digest,
        Stamp(*output_stamp),
        output_digest,
        edits,
        tuple(Finding(code, Severity(severity), source, line, message) for code, severity, line, message in findings),
        tuple(used),
    )


def reason_of(error: OSError, output: Path) -> str:
    """Return which file failed and why. For a write to an open file, the error holds no name."""
    return f"{error.filename or output}: {error.strerror}"


class WriteResult:
    """The result of `write_tree`. `written` and `removed` are targets; `records` holds one record for each file."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.removed: list[str] = []
        self.records: dict[str, FileRecord] = {}
        self.findings: list[Finding] = []


@contextmanager
def opened(output: Path) -> Iterator[Manifest]:
    """Create the folder `output`, lock it for the length of the block, and return its manifest.

    A second porting into the folder waits. A folder that was created here and is still empty at the end, because of an
    error, is removed again.

    Raises:
        PortingError: The manifest is damaged.
        OSError: The folder cannot be created.
    """
    made = not output.exists()
    output.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(output, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield Manifest.read(output)
    finally:
        os.close(descriptor)
        if made:
            with suppress(OSError):
                output.rmdir()


def write_tree(output: Path, files: Iterable[PortedFile], old: Manifest, rules: str) -> WriteResult:
    """Make `output` hold `files`: write only changed files, remove files of an earlier run that have no source now.

    A file that was edited by hand since is kept as long as porting would still write the same text as before.

    Raises:
        PortingError: A file that porting did not make, or that was edited by hand, would be lost. Nothing is written.
        OSError: The disk is full or the folder is not writable. The old output is unchanged.
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
        stale = _stale_outputs(output, old, result)
        gone = () if is_empty else _make_way(output, result.written, stale)
        staged = staging.move_to(output)
        for target, stamp in staged.items():
            result.records[target] = result.records[target]._replace(output_stamp=stamp)
        for target in stale:
            if target not in gone:
                (output / target).unlink()
        result.removed = stale
        if staged or stale or _differs(old, result, rules):
            staging.write(MANIFEST, Manifest(rules, result.records).to_bytes(), 0o644)
            staging.move_to(output)
    finally:
        staging.remove()
    return result


def _differs(old: Manifest, result: WriteResult, rules: str) -> bool:
    """Return whether a new manifest differs in more than stamps of the same contents."""
    if old.rules != rules or old.files.keys() != result.records.keys():
        return True

    def content_key(record: FileRecord) -> tuple[object, ...]:
        return (record.source_digest, record.output_digest, record.findings, record.used_rules)

    return any(content_key(record) != content_key(old.files[target]) for target, record in result.records.items())


class Staging:
    """A folder of files to be moved, with the layout of the output. It is created with the first file."""

    def __init__(self, folder: Path) -> None:
        self._root = str(folder)
        self._folders: set[str] = set()
        self._stamps: dict[str, Stamp] = {}

    def write(self, target: str, content: bytes, mode: int) -> None:
        """Write the future content of `target` (a relative path)."""
        path = f"{self._root}/{target}"
        folder = os.path.dirname(path)
        if folder not in self._folders:
            if not self._folders:
                self.remove()  # the rest of a killed run
            os.makedirs(folder, exist_ok=True)
            self._folders.add(folder)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            if mode & ~0o644:
                os.fchmod(descriptor, mode)  # the umask may have cleared bits
            self._stamps[target] = stamp_of(os.fstat(descriptor))
        finally:
            os.close(descriptor)

    def move_to(self, output: Path) -> Mapping[str, Stamp]:
        """Move everything to its target below `output`. Return target -> stamp.

        A folder that `output` lacks is moved as a whole, in one step, and the stamps of its files stay.
        """
        stamps, self._stamps, self._folders = self._stamps, {}, set()
        if stamps:
            self._move("", str(output), stamps)
        return stamps

    def _move(self, folder: str, output: str, stamps: dict[str, Stamp]) -> None:
        """Move the files in `folder` (a relative path that ends in /, or nothing); `stamps` gets the new stamps."""
        with os.scandir(f"{self._root}/{folder}") as entries:
            found = list(entries)
        for entry in found:
            target = folder + entry.name
            path = f"{output}/{target}"
            if not entry.is_dir():
                os.replace(entry.path, path)
                stamps[target] = stamp_of(os.stat(path))
            elif os.path.isdir(path):
                self._move(f"{target}/", output, stamps)
            else:
                os.replace(entry.path, path)

    def remove(self) -> None:
        """Remove the folder and its remaining files."""
        for folder, folders, names in os.walk(self._root, topdown=False):
            for name in names:
                os.unlink(f"{folder}/{name}")
            for name in folders:
                os.rmdir(f"{folder}/{name}")
        with suppress(FileNotFoundError):
            os.rmdir(self._root)


def _refuse_foreign(output: Path, result: WriteResult) -> None:
    """Refuse an output without a manifest that holds other files than ours, except hidden ones such as .git."""
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
    file: PortedFile,
    status: Optional[os.stat_result],
    old: Manifest,
    staging: Staging,
    result: WriteResult,
) -> None:
    """Stage `file` unless `output` has it already. `status` is that of the present file at its target."""
    record = file.record
    result.records[file.target] = record
    if file.content is None:
        return
    known = old.files.get(file.target)
    if status is not None:
        path = output / file.target
        if not stat.S_ISREG(status.st_mode):  # to read a pipe would wait for a writer
            raise PortingError(
                "a ported file cannot be written",
                found=f"{path} is a pipe, a socket or a device",
                wanted="a regular file, or none",
                hint="port into a new folder, or move it away",
            )
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
    """Return the status of the file at `path`; None if there is no file."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return None if stat.S_ISDIR(status.st_mode) else status


def _make_way(output: Path, written: Iterable[str], stale: Iterable[str]) -> Collection[str]:
    """Remove files of an earlier run that block a new folder, and folders that block a new file.

    Return the files.

    Raises:
        PortingError: Something else than `stale` files of an earlier run would be lost. Nothing is removed.
    """
    removable = frozenset(stale)
    files: list[str] = []
    folders: list[str] = []
    checked: set[str] = set()
    for target in written:
        if os.path.isdir(f"{output}/{target}"):
            folders.append(target)
            for folder, _, names in os.walk(f"{output}/{target}"):
                files += (os.path.relpath(f"{folder}/{name}", output) for name in names)
        parent = target.rpartition("/")[0]
        while parent and parent not in checked:
            checked.add(parent)
            if os.path.lexists(f"{output}/{parent}") and not os.path.isdir(f"{output}/{parent}"):
                files.append(parent)
            parent = parent.rpartition("/")[0]
    foreign = next((target for target in files if target not in removable), None)
    if foreign is not None:
        raise PortingError(
            "a file that porting did not make, or that was edited by hand, is in the way of another",
            found=f"{output}/{foreign}",
            hint="move it away, or port into another folder",
        )
    for target in files:
        (output / target).unlink()
    for target in folders:
        for folder, _, _ in os.walk(f"{output}/{target}", topdown=False):
            os.rmdir(folder)
    return files


def _refuse_or_keep(path: Path, file: PortedFile, known: Optional[FileRecord], result: WriteResult) -> None:
    """Keep a file that was edited by hand if nothing new is lost; otherwise refuse to overwrite it.

    Raises:
        PortingError: Porting did not make the file, or its source has changed too.
    """
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


def _stale_outputs(output: Path, old: Manifest, result: WriteResult) -> list[str]:
    """Return the files of an earlier run that have no source now and were not edited."""
    stale: list[str] = []
    for target in sorted(old.files.keys() - result.records.keys()):
        path = output / target
        if not path.is_file() or path.is_symlink():
            continue
        if digest(path.read_bytes()) == old.files[target].output_digest:
            stale.append(target)
        else:
            message = "its source is gone, but it was edited by hand; it was kept"
            result.findings.append(Finding("edited-by-hand", Severity.WARNING, target, 0, message))
    return stale
