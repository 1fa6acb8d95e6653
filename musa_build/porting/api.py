"""Port a tree with validated options: for good, in place, or only as a preview."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..errors import PortingError
from .engine.source_text import source_text
from .engine.translate import Translator, translate, translator_for
from .report.summary import Change, PortReport
from .tree.manifest import STAGING, Manifest
from .tree.output import Staging, reason_of
from .tree.session import TICK, Session
from .tree.source_tree import read

if TYPE_CHECKING:
    from .engine.edits import Finding
    from .options import PortOptions
    from .tree.manifest import FileRecord, Stamp


class Outcome(NamedTuple):
    """The result of `port`: the report, and the stamps of all inputs and outputs (absolute path -> stamp).

    `stamps` is empty if the same command may have another result the next time although no stamp differs.
    """

    report: PortReport
    stamps: Mapping[str, Stamp]


def port(options: PortOptions) -> Outcome:
    """Port the tree.

    Raises:
        PortingError: The tree cannot be ported with these options. Nothing has been written.
    """
    began = time.time_ns()
    session = session_for(options)
    try:
        result = session.port_into(options.output)
    except OSError as error:
        found = reason_of(error, options.output)
        raise PortingError("the ported tree cannot be written", found=found) from error
    report = _report(options, session, result.records, result.written, result.removed, result.findings)
    if result.findings:
        return Outcome(report, {})
    return Outcome(report, _trusted_stamps(inputs_and_outputs(options, session, result.records), began))


def preview(options: PortOptions) -> tuple[PortReport, tuple[Change, ...]]:
    """Return the report that `port` would give, as far as it can be known, and all changes; write nothing.

    Raises:
        PortingError: The tree cannot be ported with these options.
    """
    session = session_for(options)
    old = Manifest.read(options.output)
    records: dict[str, FileRecord] = {}
    changes: list[Change] = []
    written: list[str] = []
    for file in session.tree.files:
        ported = session.port(file)
        after = ported.content or b""
        path = options.output / file.target
        present = path.read_bytes() if path.is_file() else None
        before = source_text(read(file)).content if file.is_ported else read(file)
        changes.append(Change(file.path, file.target, before, after, present))
        records[file.target] = ported.record
        if present != after:
            written.append(file.target)
    removed = [target for target in old.files if target not in records and (options.output / target).is_file()]
    return _report(options, session, records, written, removed, []), tuple(changes)


def port_in_place(options: PortOptions) -> PortReport:
    """Port the source tree itself: .cu files become .mu files, and the CUDA text is lost.

    All new contents are written before the first old one is replaced.

    Raises:
        PortingError: The tree cannot be ported, or not be written.
    """
    session = session_for(options)
    staging = Staging(options.source / STAGING)
    records: dict[str, FileRecord] = {}
    written: list[str] = []
    try:
        for file in session.tree.files:
            ported = session.port(file)
            records[file.target] = ported.record
            if ported.content is not None and (ported.record.edits or file.target != file.path):
                staging.write(file.target, ported.content, file.mode)
                written.append(file.target)
        staging.move_to(options.source)
        renamed = [file.path for file in session.tree.files if file.target != file.path]
        for path in renamed:
            (options.source / path).unlink()
    except OSError as error:
        raise PortingError("the tree cannot be written", found=reason_of(error, options.source)) from error
    finally:
        staging.remove()
    in_place = options._replace(output=options.source)
    return _report(in_place, session, records, written, renamed, [])


def not_idempotent(options: PortOptions, changes: tuple[Change, ...]) -> Iterator[str]:
    """Yield the targets that a second porting would change, because a rule matches its own or another rule's result."""
    translator = _translator(options)
    for change in changes:
        if change.before != change.after and translate(change.after, translator, lambda include: None).edits:
            yield change.target


def session_for(options: PortOptions) -> Session:
    """Read the source tree, and return the session that ports it.

    Raises:
        PortingError: The tree cannot be ported, or holds no file.
    """
    return Session.open(
        options.source, _translator(options), options.target, options.ignored, options.patterns, options.keep_names
    )


def inputs_and_outputs(
    options: PortOptions, session: Session, records: Mapping[str, FileRecord]
) -> Mapping[str, Mapping[str, Stamp]]:
    """Return all files that decide the result: kind -> absolute path -> stamp from before it was read.

    The rest is the command: its arguments, the working directory and Python's version (noop_cache.py). Porting reads no
    environment variable, and nothing of torch except torch's own headers.
    """
    return {**session.inputs_and_outputs(options.output, records), "rules": options.rule_stamps}


def _translator(options: PortOptions) -> Translator:
    return translator_for(options.rules, options.include_comments, options.include_strings, options.emulated)


def _trusted_stamps(known: Mapping[str, Mapping[str, Stamp]], began: int) -> Mapping[str, Stamp]:
    """Return all stamps; none if an input was changed so shortly before that its stamp may not change again."""
    inputs = (stamp for kind, stamps in known.items() if kind != "outputs" for stamp in stamps.values())
    if any(stamp.modified > began - TICK for stamp in inputs):
        return {}
    return {path: stamp for stamps in known.values() for path, stamp in stamps.items()}


def _report(
    options: PortOptions,
    session: Session,
    records: dict[str, FileRecord],
    written: list[str],
    removed: list[str],
    findings: list[Finding],
) -> PortReport:
    ordered = [records[file.target] for file in session.tree.files]
    return PortReport(
        source=options.source,
        output=options.output,
        files=len(ordered),
        edits=sum(record.edits for record in ordered),
        written=tuple(written),
        removed=tuple(removed),
        findings=(
            *options.findings,
            *session.tree.findings,
            *(f for record in ordered for f in record.findings),
            *findings,
        ),
        unused_rules=session.unused_rules(records),
    )
