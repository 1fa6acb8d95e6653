"""Port one tree: read the files that changed, translate them, and yield the results as records. Report the run."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Optional

from ...errors import PortingError, counted
from ...system.files import digest
from ..engine.edits import Finding, Severity
from ..engine.findings import findings_of
from ..engine.rules import TABLES
from ..engine.scanner import SourceText, source_text
from ..engine.translate import translate
from .output import (
    MANIFEST,
    NO_STAMP,
    FileRecord,
    Manifest,
    PortedFile,
    Stamp,
    WriteResult,
    opened,
    stamp_of,
    write_tree,
)
from .source_tree import SourceFile, SourceTree, read, read_tree

if TYPE_CHECKING:
    from ..engine.hazards import Target
    from ..engine.identifiers import IdentifierIndex
    from ..engine.scanner import Include
    from ..engine.translate import ResolveInclude, Translator

_MOST_WARNINGS = 60
_MOST_CODES = 5


class Change(NamedTuple):
    """One file before and after. `before` is the source's content; `present` is the present content of the output."""

    source: str
    target: str
    before: bytes
    after: bytes
    present: Optional[bytes]


class PortReport(NamedTuple):
    """The result of one run.

    `files` counts the files of the ported tree, `edits` the replacements in them; `written` and `removed` are the
    paths (relative to `output`) that this run changed; `unused_rules` are the user's rules that never matched.
    """

    source: Path
    output: Path
    files: int
    edits: int
    written: tuple[str, ...]
    removed: tuple[str, ...]
    findings: tuple[Finding, ...]
    unused_rules: tuple[str, ...]

    @property
    def warnings(self) -> int:
        """The number of findings that probably need a person."""
        return sum(finding.severity is Severity.WARNING for finding in self.findings)

    @property
    def summary(self) -> str:
        """The run in one line."""
        return (
            f"ported {self.source} to {self.output}: {counted(self.files, 'file')}, "
            f"{counted(self.edits, 'edit')}, {len(self.written)} written, {len(self.removed)} removed, "
            f"{counted(self.warnings, 'warning')}"
        )

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings of each code, the most frequent first."""
        return dict(Counter(finding.code for finding in self.findings).most_common())


def as_text(report: PortReport) -> str:
    """Return the text of a run: the summary, the first 60 warnings, the number of notes, and how to explain them."""
    lines = [report.summary]
    lines += [f"warning: the rule {rule!r} never matched" for rule in report.unused_rules]
    warnings = [finding for finding in report.findings if finding.severity is Severity.WARNING]
    lines += [str(finding) for finding in warnings[:_MOST_WARNINGS]]
    if len(warnings) > _MOST_WARNINGS:
        more = counted(len(warnings) - _MOST_WARNINGS, "more warning")
        lines.append(f"... and {more} (--report FILE.json has them all)")
    notes = Counter(finding.code for finding in report.findings if finding.severity is Severity.NOTE)
    if notes:
        lines.append("notes: " + ", ".join(f"{count} {code}" for code, count in notes.most_common()))
    codes = Counter(finding.code for finding in warnings) or notes
    if codes:
        lines.append("see: musa-build explain " + " ".join(code for code, _ in codes.most_common(_MOST_CODES)))
    return "\n".join(lines) + "\n"


# A file that was changed this shortly before it was read may change again without a new time stamp (a tick of the
# kernel's clock is up to 10 ms). Such a stamp is not trusted.
TICK = 20_000_000

_PACKAGE = Path(__file__).parent.parent

# So many bytes of sources are read before they are translated: enough to classify their identifiers together, few
# enough to hold in memory.
BATCH_BYTES = 1 << 16


class Session:
    """Ports the files of `tree` with `translator`; hazards are judged for `target`.

    `resolve` returns the new path of an include in the file at a path. It is asked before the table of headers; the
    default is the tree's.
    """

    def __init__(
        self,
        tree: SourceTree,
        translator: Translator,
        target: Target,
        resolve: Optional[Callable[[str, Include], Optional[str]]] = None,
    ) -> None:
        self.tree: Final = tree
        self.translator: Final = translator
        self.target: Final = target
        self._resolve: Final = resolve or tree.include_paths.resolve

    @staticmethod
    def open(
        root: Path,
        translator: Translator,
        target: Target,
        ignored: Iterable[Path] = (),
        patterns: Iterable[str] = (),
        keep_names: bool = False,
    ) -> Session:
        """Read the tree at `root`, without `ignored` and matches of `patterns`, and return the session that ports it.

        With `keep_names`, .cu and .cuh files keep their names.

        Raises:
            PortingError: The tree cannot be ported, or holds no file.
        """
        tree = read_tree(str(root), map(str, ignored), patterns, keep_names=keep_names)
        if not tree.files:
            raise PortingError("there is nothing to port", found=f"no file below {root}")
        return Session(tree, translator, target)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the other facts that decide the result for an unchanged file: rules, options, engine, file names.

        The folder's own name counts: an include may begin with it.
        """
        parts = [*self.translator.fingerprint, self.target.name, Path(self.tree.root).name]
        parts += [f"{file.path}\0{file.target}" for file in self.tree.files]
        return digest(*parts, *(f"{path} {stamp}" for path, stamp in self.engine_files.items()))

    @cached_property
    def engine_files(self) -> Mapping[str, Stamp]:
        """The stamps of porting's own files and its folder of tables: another release may port differently."""
        folders = (folder for folder, _, _ in os.walk(_PACKAGE) if Path(folder).name != "__pycache__")
        entries = (entry for folder in folders for entry in os.scandir(folder))
        stamps = {
            entry.path: stamp_of(entry.stat()) for entry in entries if entry.name.endswith((".py", ".rules", ".txt"))
        }
        return {str(TABLES): stamp_of(TABLES.stat()), **dict(sorted(stamps.items()))}

    def port_into(self, output: Path) -> WriteResult:
        """Port the tree into the folder `output`.

        Raises:
            PortingError: A source cannot be read, or a file in `output` would be lost. Nothing is written.
            OSError: `output` is not writable. It is unchanged.
        """
        with opened(output) as old:
            return write_tree(output, self.ported(output, old), old, self.fingerprint)

    def inputs_and_outputs(self, output: Path, records: Mapping[str, FileRecord]) -> dict[str, Mapping[str, Stamp]]:
        """Return all files that `port_into` read and wrote: kind -> absolute path -> stamp from before it was read."""
        outputs = {f"{output}/{target}": record.output_stamp for target, record in records.items()}
        manifest = output / MANIFEST  # builds of the output search for it
        return {
            "folders": self.tree.folders,
            "sources": {file.location: file.stamp for file in self.tree.files},
            "engine": self.engine_files,
            "outputs": {**outputs, str(manifest): stamp_of(manifest.stat())},
        }

    def unused_rules(self, records: Mapping[str, FileRecord]) -> tuple[str, ...]:
        """Return the rules that the user gave one by one and that matched nowhere in the tree."""
        return self.translator.unused_rules({rule for record in records.values() for rule in record.used_rules})

    def ported(self, output: Path, old: Manifest) -> Iterator[PortedFile]:
        """Yield every file as it should be in `output`, with its content only if an earlier run did not settle it."""
        same_rules = old.rules == self.fingerprint
        for files in _batches(self.tree.files):
            records = [self._settled(file, output, old) if same_rules else None for file in files]
            sources = iter(self._read(file for file, record in zip(files, records) if record is None))
            for file, record in zip(files, records):
                yield self._port(next(sources)) if record is None else PortedFile(file.target, None, file.mode, record)

    def port(self, file: SourceFile) -> PortedFile:
        """Read and translate one file."""
        (source,) = self._read([file])
        return self._port(source)

    def source(self, file: SourceFile) -> bytes:
        """Return the content of one file, as porting reads it."""
        content = read(file)
        return source_text(content).content if file.is_ported else content

    def _read(self, files: Iterable[SourceFile]) -> list[_Source]:
        """Read `files` and index the identifiers of those that are ported."""
        read_files = []
        for file in files:
            content = read(file)
            stamp = file.stamp if time.time_ns() - file.stamp.modified > TICK else NO_STAMP
            read_files.append((file, content, stamp, source_text(content) if file.is_ported else None))
        indexes = iter(self.translator.index([text.content for _, _, _, text in read_files if text is not None]))
        return [
            _Source(file, content, stamp, text, None if text is None else next(indexes))
            for file, content, stamp, text in read_files
        ]

    def _port(self, source: _Source) -> PortedFile:
        file, content, stamp, text, identifier_index = source
        if text is None:
            same = digest(content)
            record = _record(file, stamp, same, same, findings=self._about_copied(file.path, content))
            return PortedFile(file.target, content, file.mode, record)
        resolver: ResolveInclude = partial(self._resolve, file.path)
        translation = translate(text.content, self.translator, resolver, identifier_index)
        findings = findings_of(translation, file.path, self.translator, resolver, self.target)
        if text.remark:
            findings = (Finding("unusual-source", Severity.WARNING, file.path, 0, text.remark), *findings)
        before = digest(content)
        if not translation.edits and not text.remark:
            record = _record(file, stamp, before, before, findings=findings)
            return PortedFile(file.target, content, file.mode, record)
        new = translation.text.encode("latin-1")
        used = tuple(sorted(translation.used_rules))
        record = _record(file, stamp, before, digest(new), len(translation.edits), findings, used)
        return PortedFile(file.target, new, file.mode, record)

    def _about_copied(self, path: str, content: bytes) -> tuple[Finding, ...]:
        rules = self.translator.rules
        if not rules.has_defaults or path.endswith((".mu", ".muh")):
            return ()
        from ..engine.copied_files import Names, findings_in_copied  # some trees have ported files alone

        return findings_in_copied(content, path, Names(rules.new_name, rules.header, self.tree.new_names))

    def _settled(self, file: SourceFile, output: Path, old: Manifest) -> Optional[FileRecord]:
        """Return the record of an earlier run if source and output of `file` are as that run left them."""
        known = old.files.get(file.target)
        if known is None or known.source != file.path or known.source_stamp != file.stamp:
            return None
        status = _status(f"{output}/{file.target}")
        if status is None or stamp_of(status) != known.output_stamp or status.st_mode & 0o7777 != file.mode:
            return None
        return known


class _Source(NamedTuple):
    """A file as it was read. Only a file that is ported has a text and an index."""

    file: SourceFile
    content: bytes
    stamp: Stamp
    text: Optional[SourceText]
    identifier_index: Optional[IdentifierIndex]


def _batches(files: Iterable[SourceFile]) -> Iterator[list[SourceFile]]:
    """Yield `files` in lists of about BATCH_BYTES."""
    batch: list[SourceFile] = []
    size = 0
    for file in files:
        batch.append(file)
        size += file.stamp.size
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    yield batch


def _record(
    file: SourceFile,
    stamp: Stamp,
    before: str,
    after: str,
    edits: int = 0,
    findings: tuple[Finding, ...] = (),
    used: tuple[str, ...] = (),
) -> FileRecord:
    return FileRecord(file.path, stamp, before, NO_STAMP, after, edits, findings, used)


def _status(path: str) -> Optional[os.stat_result]:
    try:
        return os.stat(path)  # noqa: PTH116  # once per file of a tree: a Path object costs more than the call
    except OSError:
        return None
