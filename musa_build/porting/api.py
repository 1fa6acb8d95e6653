"""Port a tree: validate the options, then port for good, in place, or only as a preview.

Bad options are refused before anything is read or written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Optional, Union, cast

from ..errors import PortingError
from .engine.announced_cuda import DEFAULT_EMULATED_CUDA
from .engine.edits import Finding, Severity
from .engine.hazards import DEFAULT_TARGET, TARGETS, Target
from .engine.translate import Translator, translate, translator_for
from .tree.output import STAGING, Manifest, Staging, reason_of
from .tree.session import TICK, Change, PortReport, Session

if TYPE_CHECKING:
    from .engine.rules import RuleSet
    from .tree.output import FileRecord, Stamp

StrPath = Union[str, "os.PathLike[str]"]


class PortOptions(NamedTuple):
    """Port the files below `source` into `output`; both are absolute. `validate_options()` makes one.

    Attributes:
        source: The folder of CUDA sources.
        output: The folder of MUSA sources.
        rules: The texts to replace, and their replacements.
        ignored: Absolute paths to leave out.
        patterns: A shell's patterns of paths to leave out.
        include_comments: Whether comments are ported like code.
        include_strings: Whether string literals are ported like code.
        keep_names: Whether .cu and .cuh files keep their names.
        emulated: The CUDA version that ported code sees; None leaves version macros alone.
        target: The architecture whose limits hazards are judged by.
        findings: The findings of validation.
        rule_stamps: The stamps of the files and folders that `rules` were read from, from before they were read.
    """

    source: Path
    output: Path
    rules: RuleSet
    ignored: tuple[Path, ...] = ()
    patterns: tuple[str, ...] = ()
    include_comments: bool = False
    include_strings: bool = False
    keep_names: bool = False
    emulated: Optional[str] = DEFAULT_EMULATED_CUDA
    target: Target = TARGETS[DEFAULT_TARGET]
    findings: tuple[Finding, ...] = ()
    rule_stamps: Mapping[str, Stamp] = MappingProxyType({})


def validate_options(
    source: StrPath,
    rules: RuleSet,
    *,
    output: Optional[StrPath] = None,
    ignored: Union[Iterable[StrPath], None] = None,
    patterns: Iterable[str] = (),
    include_comments: bool = False,
    include_strings: bool = False,
    keep_names: bool = False,
    emulated: Optional[str] = DEFAULT_EMULATED_CUDA,
    target: str = DEFAULT_TARGET,
    rule_stamps: Mapping[str, Stamp] = MappingProxyType({}),
) -> PortOptions:
    """Check the options of one porting. `output` is by default `<source>_musa`, beside the source.

    Raises:
        PortingError: A folder is unusable, the output is inside or around the source, or the architecture is unknown.
    """
    source = source_folder(source)
    output = source.with_name(source.name + "_musa") if output is None else absolute(output)
    if output.exists() and not output.is_dir():
        raise PortingError("the output is not a folder", found=str(output), wanted="a folder, or a name that is free")
    real_source, real_output = Path(os.path.realpath(source)), Path(os.path.realpath(output))
    if real_source == real_output or real_source in real_output.parents or real_output in real_source.parents:
        raise PortingError(
            "source and output must lie beside each other",
            found=f"{source} and {output}",
            wanted="an output that is neither inside the source nor around it",
        )
    if target not in TARGETS:
        raise PortingError("this architecture is not known", found=target, wanted=", ".join(TARGETS))
    paths, findings = ignored_paths(source, ignored)
    return PortOptions(
        source=source,
        output=output,
        rules=rules,
        ignored=paths,
        patterns=tuple(patterns),
        include_comments=include_comments,
        include_strings=include_strings,
        keep_names=keep_names,
        emulated=emulated,
        target=TARGETS[target],
        findings=findings,
        rule_stamps=rule_stamps,
    )


def source_folder(path: StrPath) -> Path:
    """Return the absolute path of the folder of CUDA sources.

    Raises:
        PortingError: It is not a folder, or has no name.
    """
    folder = absolute(path)
    if not os.fspath(path) or not folder.is_dir():
        raise PortingError(
            "the folder of CUDA sources cannot be used",
            found=f"{os.fspath(path)!r} {'is not a folder' if folder.exists() else 'does not exist'}",
            wanted="an existing folder",
            hint="a relative path counts from the working directory",
        )
    if not folder.name:
        raise PortingError("the root of the file system cannot be ported", wanted="a folder with a name")
    return folder


def absolute(path: StrPath) -> Path:
    """Return `path` without . and .. but with its links: the output belongs beside the name that the user gave."""
    return Path(os.path.abspath(path))  # noqa: PTH100  # Path.resolve() would follow the links


def ignored_paths(source: Path, paths: Union[Iterable[StrPath], None]) -> tuple[tuple[Path, ...], tuple[Finding, ...]]:
    """Return the absolute form of `paths`, and a finding for each that does not exist below `source`.

    A path may count from the working directory, from `source`, or from the folder that holds it.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [cast(StrPath, paths)]
    ignored: list[Path] = []
    findings: list[Finding] = []
    for path in paths or ():
        candidates = [absolute(base / path) for base in (Path.cwd(), source, source.parent)]
        found = next(
            (candidate for candidate in candidates if candidate.exists() and source in candidate.parents), None
        )
        if found is None:
            message = "this path to ignore is not in the tree"
            findings.append(Finding("ignored-nothing", Severity.WARNING, os.fspath(path), 0, message))
        else:
            ignored.append(found)
    return tuple(ignored), tuple(findings)


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
        before = session.source(file)
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

    The rest is the command: its arguments, the working directory and Python's version (__main__.py). Porting reads no
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
