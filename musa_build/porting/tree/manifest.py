"""The manifest: what porting made, from what, and by which rules. It lies in the output folder.

Only files that it names are ever overwritten or removed, and only while they are still as porting left them. A file
whose source and whose output have the stamps that it remembers is not even opened.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ...errors import PortingError
from ...system.files import PORTING_MANIFEST
from ..engine.edits import Finding, Severity

MANIFEST = PORTING_MANIFEST
REPLAY = ".musa_build_porting.last"
STAGING = ".musa_build_porting.new"

_VERSION = 2


class Stamp(NamedTuple):
    """What a file system tells of a file's age and size, in nanoseconds and bytes. Equal stamps: the same content.

    The change time is part of it because a copy or an archive may bring an old modification time back.
    """

    modified: int
    changed: int
    size: int


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp in what `os.stat` said."""
    return Stamp(status.st_mtime_ns, status.st_ctime_ns, status.st_size)


NO_STAMP = Stamp(-1, -1, -1)


class FileRecord(NamedTuple):
    """How one file of the output came about. Digests are of the whole content; `used_rules` are the user's."""

    source: str
    source_stamp: Stamp
    source_digest: str
    output_stamp: Stamp
    output_digest: str
    edits: int
    findings: tuple[Finding, ...]
    used_rules: tuple[str, ...]


class Manifest(NamedTuple):
    """Target -> record, and `rules`: the fingerprint of everything but the files that decides what is written."""

    rules: str = ""
    files: Mapping[str, FileRecord] = MappingProxyType({})

    @staticmethod
    def read(output: Path) -> Manifest:
        """The manifest in `output`; an empty one if there is none.

        Raises:
            PortingError: it is damaged.
        """
        path = output / MANIFEST
        try:
            content = json.loads(path.read_bytes())
            files = {str(target): _record(target, values) for target, values in content["files"].items()}
            if any(target.startswith("/") or ".." in target.split("/") for target in files):
                raise ValueError("a path leads out of the tree")  # what the manifest names may be removed
            # Files of an older version of the manifest are ours all the same; they are only ported again.
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
        """The manifest as it is written."""
        files = {target: _values(record) for target, record in sorted(self.files.items())}
        content = {"made_by": "musa_build.porting", "version": _VERSION, "rules": self.rules, "files": files}
        return (json.dumps(content, separators=(",", ":")).replace('],"', '],\n"') + "\n").encode()


def _values(record: FileRecord) -> list[Any]:
    findings = [[f.code, f.severity.value, f.line, f.message] for f in record.findings]
    return [*record[:6], findings, record.used_rules]


def _record(target: str, values: Any) -> FileRecord:
    if isinstance(values, str):  # version 1 kept the digest of the output alone
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
