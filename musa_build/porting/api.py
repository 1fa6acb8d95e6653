"""Carrying a request out: for good, or only to see what would happen."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Optional

from ..errors import PortingError
from .engine.edits import Finding
from .engine.rules import unused
from .engine.translate import translate
from .options import PortRequest
from .report.summary import PortReport
from .tree.manifest import MANIFEST, STAGING, FileRecord, Manifest, Stamp, stamp_of
from .tree.output import Staging, opened, reason_of, write_tree
from .tree.session import TICK, Session, read
from .tree.source_tree import SourceTree


class Outcome(NamedTuple):
    """What was done, and everything on disk that it depended on or made: absolute path -> stamp when it was read.

    `seen` is empty when the same command may say something else the next time, although no stamp differs.
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
    return Outcome(report, {} if result.findings else _seen(facts(request, session, result.records), began))


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


def facts(
    request: PortRequest, session: Session, records: Mapping[str, FileRecord]
) -> Mapping[str, Mapping[str, Stamp]]:
    """Return all on disk that decides what porting does: kind -> absolute path -> stamp from before it was read.

    What does not lie on disk is the command: its arguments, the working directory and Python's version (replay.py).
    porting reads no environment variable, and, but for torch's own headers, nothing of torch.
    """
    outputs = {f"{request.output}/{target}": record.output_stamp for target, record in records.items()}
    manifest = request.output / MANIFEST  # who compiles the output looks for it
    return {
        "folders": session.tree.folders,
        "sources": {file.location: file.stamp for file in session.tree.files},
        "rules": request.rule_stamps,
        "engine": session.engine,
        "outputs": {**outputs, str(manifest): stamp_of(manifest.stat())},
    }


def _seen(known: Mapping[str, Mapping[str, Stamp]], began: int) -> Mapping[str, Stamp]:
    """Return the stamps of all facts; none if one was changed so shortly before that its stamp says nothing."""
    read = (stamp for kind, stamps in known.items() if kind != "outputs" for stamp in stamps.values())
    if any(stamp.modified > began - TICK for stamp in read):
        return {}
    return {path: stamp for stamps in known.values() for path, stamp in stamps.items()}


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
