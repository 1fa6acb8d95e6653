"""The manifest in the output folder: the files that porting made, their sources, and the rules.

Only files that it lists are ever overwritten or removed, and only while they are still as porting left them. A file
whose source and output still have the stamps in the manifest is not even opened.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Optional

from ...errors import PortingError
from ...system.files import PORTING_MANIFEST
from ..engine.edits import Finding, Severity

MANIFEST = PORTING_MANIFEST
NOOP_CACHE = ".musa_build_porting.last"  # noop_cache.NAME, which this package must not import
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
