"""The report of a run under the simulator's checks: JSON for programs, an HTML page with sources for people."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Optional

from .. import explain, html_pages
from ..system.files import replace_atomically
from .log import Finding, SourceLocation

FORMATS = (".html", ".json")
_FILES = Path(__file__).with_name("page_files")
_LINES_AROUND = 4
_LARGEST_SOURCE = 4 << 20


@dataclass(frozen=True)
class Run:
    """A command that ran, and the findings of the checks. `status` is its exit status."""

    command: tuple[str, ...]
    checks: str
    seed: Optional[int]
    status: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Excerpt:
    """Lines of a source, with their numbers, around those that a finding names. No lines: it cannot be read here."""

    path: str
    named: tuple[int, ...]
    lines: tuple[tuple[int, str], ...]


def write(run: Run, path: Path) -> None:
    """Write the report to `path`: .html or .json.

    Raises:
        OSError: `path` cannot be written.
    """
    text = as_json(run) if path.suffix == ".json" else as_html(run)
    replace_atomically(path, text.encode())


def as_json(run: Run) -> str:
    """Return the report for programs. The keys are stable."""
    return json.dumps(asdict(run), indent=1) + "\n"


def as_html(run: Run) -> str:
    """Return one page with a row per finding and the source lines around it. Reads the sources."""
    rows = [(finding, excerpts(finding.places)) for finding in run.findings]
    return html_pages.render(
        _FILES,
        "findings",
        run=run,
        command=shlex.join(run.command),
        kinds=Counter(finding.kind for finding in run.findings),
        headline=headline(run),
        topics=[topic for kind in dict.fromkeys(each.kind for each in run.findings) if (topic := explain.find(kind))],
        paragraphs=explain.paragraphs,
        rows=rows,
    )


def headline(run: Run) -> str:
    """Return the result in one sentence."""
    if not run.findings:
        return "No check was on." if run.checks == "none" else "The checks found nothing."
    kinds = Counter(finding.kind for finding in run.findings)
    named = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    return f"The checks found {len(run.findings)} defect{'s' if len(run.findings) > 1 else ''}: {named}."


def excerpts(locations: Sequence[SourceLocation]) -> list[Excerpt]:
    """Return excerpts of the sources around `locations`. Locations near one another share an excerpt.

    Relative paths start at the working directory.
    """
    found: list[Excerpt] = []
    for path in dict.fromkeys(location.path for location in locations):
        lines = _source(Path(path))
        named = sorted({location.line for location in locations if location.path == path})
        shown = {number for line in named for number in range(line - _LINES_AROUND, line + _LINES_AROUND + 1)}
        pieces: list[list[int]] = []
        for number in sorted(shown & {*range(1, len(lines) + 1)}):
            if not pieces or pieces[-1][-1] != number - 1:
                pieces.append([])
            pieces[-1].append(number)
        for piece in pieces or [[]]:
            here = tuple(line for line in named if line in piece or not piece)
            found.append(Excerpt(path, here, tuple((number, lines[number - 1]) for number in piece)))
    return found


def _source(path: Path) -> list[str]:
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_SOURCE:
            return []
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
