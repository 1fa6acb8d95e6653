"""What a run of porting tells its caller."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from ..engine.edits import Finding, Severity

_MOST_LINES = 60


class PortReport(NamedTuple):
    """What one run did.

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
        """How many findings probably need a person."""
        return sum(finding.severity is Severity.WARNING for finding in self.findings)

    @property
    def summary(self) -> str:
        """One line for a person."""
        return (
            f"ported {self.source} to {self.output}: {self.files} files, {self.edits} edits, "
            f"{len(self.written)} written, {len(self.removed)} removed, {self.warnings} warnings"
        )

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each code, the most frequent first."""
        return dict(Counter(finding.code for finding in self.findings).most_common())


def as_text(report: PortReport) -> str:
    """What a person reads after a run: the summary, the warnings (the first 60), and how many notes there are."""
    lines = [report.summary]
    lines += [f"warning: the rule {rule!r} never matched" for rule in report.unused_rules]
    warnings = [finding for finding in report.findings if finding.severity is Severity.WARNING]
    lines += [str(finding) for finding in warnings[:_MOST_LINES]]
    if len(warnings) > _MOST_LINES:
        lines.append(f"... and {len(warnings) - _MOST_LINES} more warnings (--report FILE.json has them all)")
    notes = Counter(finding.code for finding in report.findings if finding.severity is Severity.NOTE)
    if notes:
        lines.append("notes: " + ", ".join(f"{count} {code}" for code, count in notes.most_common()))
    return "\n".join(lines) + "\n"
