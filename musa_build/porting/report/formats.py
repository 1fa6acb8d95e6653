"""The formats of a report: JSON, SARIF, a diff. Pure: records in, text out. The HTML page is in page.py."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ... import explain
from ...errors import counted
from ..engine.edits import Severity
from ..engine.finding_codes import KINDS, Effort

if TYPE_CHECKING:
    from ..engine.edits import Finding
    from ..tree.session import Change, PortReport

_SHOWN_WARNINGS = 3


def as_analysis(report: PortReport, kernels: int, lines: int, target: str) -> str:
    """Return the summary for planning a port: its size and the probable work."""
    rows = []
    for code, count in report.counts.items():
        same = [finding for finding in report.findings if finding.code == code]
        warnings = sum(finding.severity is Severity.WARNING for finding in same)
        files = len({finding.path for finding in same})
        rows.append((KINDS[code].effort, warnings, count - warnings, files, code))
    rows.sort(key=lambda row: (-list(Effort).index(row[0]), -row[1], -row[2], row[4]))
    notes = len(report.findings) - report.warnings
    out = [
        f"{report.source} for {target}",
        f"  {counted(report.files, 'file')}, {counted(lines, 'line')}, {counted(kernels, 'kernel')}",
        f"  {report.edits} names, includes and conditions are ported automatically",
        f"  {_warnings(report, rows)}, {counted(notes, 'note') if notes else 'no notes'}",
        "",
        f"  {'effort':<8}{'warnings':>9}{'notes':>7}{'files':>7}  finding",
    ]
    out += [
        f"  {effort.value:<8}{warnings:>9}{notes:>7}{files:>7}  {code}: {KINDS[code].title}"
        for effort, warnings, notes, files, code in rows
    ]
    for _, warnings, _, _, code in rows:
        out += _warning_lines(report, code) if warnings else []
    if rows:
        out += ["", f"  see: musa-build explain {rows[0][-1]}"]
    worst = Counter(f.path for f in report.findings if f.effort is Effort.HIGH).most_common(10)
    if worst:
        out += ["", "  files with work graded high:", *(f"    {path}: {count}" for path, count in worst)]
    out += ["", "  Not verified on MUSA hardware: grades come from documents and from other ports."]
    return "\n".join(out) + "\n"


def _warnings(report: PortReport, rows: Sequence[tuple[Effort, int, int, int, str]]) -> str:
    """Return the number of warnings, and the grade of the hardest kind of work there."""
    hardest = next((effort.value for effort, warnings, *_ in rows if warnings), None)
    if hardest is None:
        return "no warnings"
    need = "probably needs" if report.warnings == 1 else "probably need"
    return f"{counted(report.warnings, 'warning')}, which {need} a person; effort: {hardest} at most"


def _warning_lines(report: PortReport, code: str) -> list[str]:
    """Return the lines that name the first warnings of a code: file, line and message."""
    found = [each for each in report.findings if each.code == code and each.severity is Severity.WARNING]
    lines = [f"    {each.path}:{each.line}: {each.message}" for each in found[:_SHOWN_WARNINGS]]
    more = len(found) - _SHOWN_WARNINGS
    return [
        "",
        f"  {code}:",
        *lines,
        *([f"    ... and {more} more (--report FILE.html shows all)"] if more > 0 else []),
    ]


def as_json(report: PortReport) -> str:
    """Return the whole report as one JSON object."""
    content = {
        "source": str(report.source),
        "output": str(report.output),
        "files": report.files,
        "edits": report.edits,
        "written": report.written,
        "removed": report.removed,
        "unused_rules": report.unused_rules,
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity.value,
                "effort": finding.effort.value,
                "path": finding.path,
                "line": finding.line,
                "message": finding.message,
            }
            for finding in report.findings
        ],
    }
    return json.dumps(content, indent=1) + "\n"


def as_sarif(report: PortReport) -> str:
    """Return the findings as SARIF 2.1.0, which code hosts and editors show beside the code."""
    used = [code for code in KINDS if code in report.counts]
    rules = [
        {
            "id": code,
            "shortDescription": {"text": KINDS[code].title},
            "help": {"text": explain.as_text(explain.topics()[code])},
            "properties": {"effort": KINDS[code].effort.value},
        }
        for code in used
    ]
    driver = {"name": "musa-build port", "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_sarif_result(finding) for finding in report.findings]}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _sarif_result(finding: Finding) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": finding.path}}
    if finding.line:
        location["region"] = {"startLine": finding.line}
    return {
        "ruleId": finding.code,
        "level": finding.severity.value,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": location}],
    }


def as_diff(changes: Iterable[Change]) -> Iterator[str]:
    """Yield a unified diff, source against ported, of every file whose text or name changes."""
    for change in changes:
        if change.before != change.after:
            before = change.before.decode("utf-8", "replace").splitlines(keepends=True)
            after = change.after.decode("utf-8", "replace").splitlines(keepends=True)
            for line in difflib.unified_diff(before, after, f"a/{change.source}", f"b/{change.target}"):
                yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        elif change.source != change.target:
            yield f"rename from {change.source}\nrename to {change.target}\n"
