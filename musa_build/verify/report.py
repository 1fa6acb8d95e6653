"""The report of a verification: a JSON file, and one HTML page that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .. import html_pages
from ..system.files import replace_atomically
from .run import ProbeResult, counts

FILES = Path(__file__).with_name("report_files")
GROUPS = {
    "assumption": "What we assume about MUSA",
    "conformance": "The simulator's suite on this card",
    "example": "The example",
    "porting": "What porting assumes",
}
SENDING = (
    "Attach verify.json to a new issue of musa_build's repository, and verify.html if you like. They name the card, "
    "the driver and the versions of SDK, torch and Python, and quote messages of compilers. Your home directory is "
    "shortened to ~. Nothing has been sent. Please read them before you send them."
)


def content(found: Sequence[ProbeResult], about: Mapping[str, str], version: str, complete: bool) -> dict[str, Any]:
    """Return the report for programs. The keys are stable."""
    return {
        "musa_build": version,
        "made": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "complete": complete,
        "machine": dict(about),
        "summary": counts(found),
        "rows": [each.as_json for each in found],
    }


def write(folder: Path, report: Mapping[str, Any]) -> tuple[Path, Path]:
    """Write verify.json and verify.html into `folder`, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    as_json, as_page = folder / "verify.json", folder / "verify.html"
    replace_atomically(as_json, (json.dumps(report, indent=1) + "\n").encode())
    replace_atomically(as_page, page(report).encode())
    return as_json, as_page


def page(report: Mapping[str, Any]) -> str:
    """Return the report as one HTML page."""
    groups = [
        (title, [row for row in report["rows"] if row["group"] == name])
        for name, title in GROUPS.items()
        if any(row["group"] == name for row in report["rows"])
    ]
    return html_pages.render(
        FILES, "page", report=report, groups=groups, sending=SENDING, headline=headline(report["summary"])
    )


def headline(summary: Mapping[str, int]) -> str:
    """Return the result in one sentence."""
    wrong, open_ones = summary["refuted"], summary["not decided"]
    rest = f" {open_ones} could not be decided here." if open_ones else ""
    if wrong:
        verb = "thing that we assume is" if wrong == 1 else "things that we assume are"
        return f"{wrong} {verb} otherwise on this machine.{rest}"
    return f"All that was decided is as we assume.{rest}"
