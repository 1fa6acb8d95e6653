"""Carrying a request out: for good, or only to see what would happen."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Optional

from musa_build.errors import PortingError
from musa_build.porting.edits import Finding
from musa_build.porting.manifest import STAGING, FileRecord, Manifest, Stamp, stamp_of
from musa_build.porting.output import Staging, opened, reason_of, write_tree
from musa_build.porting.report import PortReport
from musa_build.porting.request import PortRequest, absolute
from musa_build.porting.rules import unused
from musa_build.porting.session import TICK, Session, read
from musa_build.porting.translate import translate
from musa_build.porting.tree import SourceTree


class Outcome(NamedTuple):
    """What was done, and everything on disk that it depended on or made: absolute path -> stamp when it was read.

    `seen` is empty when something was changed so shortly before that its stamp says nothing.
    """

    report: PortReport
    seen: Mapping[str, Stamp]


class Change(NamedTuple):
    """One file, before and after. `before` is the source's content; `present` is what stands in the output now."""

    source: str
    target: str
    before: bytes
    after: bytes
    present: Optional[bytes]


def port(request: PortRequest) -> Outcome:
    """Port the tree.

    Raises:
        PortingError: the tree cannot be ported as asked. Nothing has been written then.
    """
    began = time.time_ns()
    session = request.session()
    try:
        with opened(request.output):
            old = Manifest.read(request.output)
            result = write_tree(request.output, session.ported(request.output, old), old, session.fingerprint)
    except OSError as error:
        found = reason_of(error, request.output)
        raise PortingError("the ported tree cannot be written", found=found) from error
    report = _report(request, session.tree, result.records, result.written, result.removed, result.findings)
    return Outcome(report, _seen(request, session, result.records, began))


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


def port_in_place(request: PortRequest) -> PortReport:
    """Port the source tree itself: .cu files become .mu files, and nothing of the CUDA text stays.

    All new contents are written before the first old one goes.

    Raises:
        PortingError: the tree cannot be ported, or not be written.
    """
    session = request.session()
    staging = Staging(request.source / STAGING)
    records: dict[str, FileRecord] = {}
    written: list[str] = []
    try:
        for file in session.tree.files:
            ported = session.port(file)
            records[file.target] = ported.record
            if ported.content is not None and (ported.record.edits or file.target != file.path):
                staging.write(file.target, ported.content, file.mode)
                written.append(file.target)
        staging.place(request.source)
        renamed = [file.path for file in session.tree.files if file.target != file.path]
        for path in renamed:
            (request.source / path).unlink()
    except OSError as error:
        raise PortingError("the tree cannot be written", found=reason_of(error, request.source)) from error
    finally:
        staging.remove()
    in_place = request._replace(output=request.source)
    return _report(in_place, session.tree, records, written, renamed, [])


def not_settled(request: PortRequest, changes: tuple[Change, ...]) -> Iterator[str]:
    """The targets that porting once more would change: rules whose results other rules, or they themselves, match."""
    session: Session = request.session()
    for change in changes:
        if change.before != change.after:
            again = translate(change.after, session.translator, lambda include: None)
            if again.edits:
                yield change.target


def _seen(
    request: PortRequest, session: Session, records: Mapping[str, FileRecord], began: int
) -> Mapping[str, Stamp]:
    tree = session.tree
    sources = {**tree.folders, **{file.location: file.stamp for file in tree.files}}
    if max(stamp.modified for stamp in sources.values()) > began - TICK:
        return {}
    outputs = {f"{request.output}/{target}": record.output_stamp for target, record in records.items()}
    rule_files = {str(absolute(path)): stamp_of(path.stat()) for path in request.rule_files}
    return {**sources, **outputs, **session.engine, **rule_files}


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
