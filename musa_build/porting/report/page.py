"""The report of a port as an HTML page: first the findings that need a person, then every file with its differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ... import explain, html_pages
from ...errors import counted
from ..engine.edits import Finding, Severity
from ..engine.finding_codes import KINDS, Effort
from ..tree.session import Change, PortReport
from .side_by_side import LinePair, side_by_side

_FILES = Path(__file__).with_name("page_files")
#: Longer lists are grouped by folder, if there are several.
_MOST_IN_ONE_LIST = 40


class CodeSummary(NamedTuple):
    """All findings of one code: the page about it, how many are warnings and notes, and in how many files they are."""

    code: str
    topic: explain.Topic
    effort: Effort
    warnings: int
    notes: int
    files: int


class FileSummary(NamedTuple):
    """One file: its names before and after, its findings, and its lines side by side."""

    path: str
    target: str
    warnings: tuple[Finding, ...]
    notes: tuple[Finding, ...]
    rows: tuple[LinePair, ...]

    @property
    def state(self) -> str:
        """The state by which the page filters."""
        if self.warnings:
            return "unsure"
        return "good" if self.rows or self.target != self.path else "plain"


class FolderSummary(NamedTuple):
    """The files of one folder. `path` is relative to the source; "." is the source itself."""

    path: str
    files: tuple[FileSummary, ...]

    @property
    def warnings(self) -> int:
        """The number of warnings in the folder's files."""
        return sum(len(file.warnings) for file in self.files)


def as_html(report: PortReport, changes: Sequence[Change], wrote: bool) -> str:
    """Return the page. `wrote` is false if this run was a preview, which writes nothing."""
    files = _file_summaries(report, changes)
    folders = _folders(files)
    counts = Counter(row.state for row in files)
    return html_pages.render(
        _FILES,
        "port",
        report=report,
        wrote=wrote,
        codes=_code_summaries(report.findings),
        paragraphs=explain.paragraphs,
        files=files,
        folders=folders if len(files) > _MOST_IN_ONE_LIST and len(folders) > 1 else [],
        counts=[
            ("unsure", "with warnings", counts["unsure"]),
            ("good", "changed", counts["good"]),
            ("plain", "with notes only", counts["plain"]),
        ],
        headline=headline(report),
    )


def headline(report: PortReport) -> str:
    """Return the result in one sentence."""
    if not report.warnings:
        notes = f": {counted(len(report.findings), 'note')}" if report.findings else ""
        return f"The port found nothing that surely needs a person{notes}."
    files = len({finding.path for finding in report.findings if finding.severity is Severity.WARNING})
    needs = counted(report.warnings, "place probably needs", "places probably need")
    return f"{needs} a person, in {counted(files, 'file')}."


def _code_summaries(findings: Sequence[Finding]) -> list[CodeSummary]:
    rows = []
    for code in {finding.code for finding in findings}:
        same = [finding for finding in findings if finding.code == code]
        warnings = sum(finding.severity is Severity.WARNING for finding in same)
        files = len({finding.path for finding in same})
        rows.append(
            CodeSummary(code, explain.topics()[code], KINDS[code].effort, warnings, len(same) - warnings, files)
        )
    order = list(Effort)
    rows.sort(key=lambda row: (not row.warnings, -order.index(row.effort), -row.warnings, -row.notes, row.code))
    return rows


def _file_summaries(report: PortReport, changes: Sequence[Change]) -> list[FileSummary]:
    findings: dict[str, list[Finding]] = {}
    for finding in report.findings:
        findings.setdefault(finding.path, []).append(finding)
    by_source = {change.source: change for change in changes}
    rows = []
    for path in {*findings, *(change.source for change in changes if change.before != change.after)}:
        change = by_source.get(path)
        own = findings.get(path, [])
        rows.append(
            FileSummary(
                path=path,
                target=change.target if change else path,
                warnings=tuple(finding for finding in own if finding.severity is Severity.WARNING),
                notes=tuple(finding for finding in own if finding.severity is Severity.NOTE),
                rows=tuple(side_by_side(_lines(change.before), _lines(change.after))) if change else (),
            )
        )
    return sorted(rows, key=lambda row: (-len(row.warnings), row.path))


def _folders(files: Sequence[FileSummary]) -> list[FolderSummary]:
    """Group files by folder; folders with the most warnings come first."""
    by_folder: dict[str, list[FileSummary]] = {}
    for file in files:
        by_folder.setdefault(str(PurePosixPath(file.path).parent), []).append(file)
    folders = [FolderSummary(path, tuple(inside)) for path, inside in by_folder.items()]
    return sorted(folders, key=lambda folder: (-folder.warnings, folder.path))


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "replace").splitlines()
