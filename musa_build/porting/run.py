"""Carrying a request out: for good, or only to see what would happen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional

from musa_build.errors import PortingError
from musa_build.porting.edits import Finding
from musa_build.porting.manifest import FileRecord, Manifest
from musa_build.porting.output import opened, write_tree
from musa_build.porting.report import PortReport
from musa_build.porting.request import PortRequest
from musa_build.porting.rules import unused
from musa_build.porting.session import Session, read
from musa_build.porting.translate import translate
from musa_build.porting.tree import SourceTree


@dataclass(frozen=True)
class Change:
    """One file, before and after. `before` is the source's content; `present` is what stands in the output now."""

    source: str
    target: str
    before: bytes
    after: bytes
    present: Optional[bytes]


def port(request: PortRequest) -> PortReport:
    """Port the tree.

    Raises:
        PortingError: the tree cannot be ported as asked. Nothing has been written then.
    """
    session = request.session()
    try:
        with opened(request.output):
            old = Manifest.read(request.output)
            result = write_tree(request.output, session.ported(request.output, old), old, session.fingerprint)
    except OSError as error:
        found = f"{error.filename}: {error.strerror}"
        raise PortingError("the ported tree cannot be written", found=found) from error
    return _report(request, session.tree, result.records, result.written, result.removed, result.findings)


def preview(request: PortRequest) -> tuple[PortReport, tuple[Change, ...]]:
    """What `port` would do, without doing it: the report it would give (as far as it can be known), and all changes."""
    session = request.session()
    old = Manifest.read(request.output)
    records: dict[str, FileRecord] = {}
    changes: list[Change] = []
    written: list[str] = []
    for file in session.tree.files:
        ported = session.port(file)
        after = ported.content or b""
        path = request.output / file.target
        present = path.read_bytes() if path.is_file() else None
        changes.append(Change(file.path, file.target, read(file), after, present))
        records[file.target] = ported.record
        if present != after:
            written.append(file.target)
    removed = [target for target in old.files if target not in records and (request.output / target).is_file()]
    return _report(request, session.tree, records, written, removed, []), tuple(changes)


def not_settled(request: PortRequest, changes: tuple[Change, ...]) -> Iterator[str]:
    """The targets that porting once more would change: rules whose results other rules, or they themselves, match."""
    session: Session = request.session()
    for change in changes:
        if change.before != change.after:
            again = translate(change.after, session.translator, lambda include: None)
            if again.edits:
                yield change.target


def _report(
    request: PortRequest,
    tree: SourceTree,
    records: dict[str, FileRecord],
    written: list[str],
    removed: list[str],
    findings: list[Finding],
) -> PortReport:
    ordered = [records[file.target] for file in tree.files]
    used = {rule for record in ordered for rule in record.used_rules}
    return PortReport(
        source=request.source,
        output=request.output,
        files=len(ordered),
        edits=sum(record.edits for record in ordered),
        written=tuple(written),
        removed=tuple(removed),
        findings=(*request.remarks, *tree.findings, *(f for record in ordered for f in record.findings), *findings),
        unused_rules=unused(request.rules.user_rules, used),
    )
