"""The result of a run of porting, and its text for a person."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple, Optional

from ...errors import counted
from ..engine.edits import Finding, Severity

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
