"""The outcome for each kernel file, as a table for the terminal and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Optional

from ..system import files

FILE = "report.json"
LINKED, FAILED, LEFT_OUT, UNUSED = "linked", "not compiled", "not linked", "not used"


@dataclass(frozen=True)
class FileReport:
    """The outcome for one kernel file. `reason` says why it is not linked."""

    file: str
    state: str
    stubs: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Report:
    """The outcomes for all files. `compiled` are those that this run compiled; the others were up to date."""

    torch: str
    checkout: Path
    files: tuple[FileReport, ...]
    compiled: tuple[str, ...]
    library: Optional[Path]

    def as_json(self) -> dict[str, Any]:
        """Return the report in the types of JSON."""
        found = [{**asdict(file), "stubs": list(file.stubs), "replaces": list(file.replaces)} for file in self.files]
        return {
            "torch": self.torch,
            "checkout": str(self.checkout),
            "library": str(self.library) if self.library else None,
            "compiled": list(self.compiled),
            "files": found,
        }

    def write(self, folder: Path) -> None:
        """Write the report into the folder of the build, as JSON."""
        files.write_if_changed(folder / FILE, json.dumps(self.as_json(), indent=1) + "\n")

    def as_table(self, *, every_file: bool = False) -> str:
        """Return the report for a terminal. Files that are not used are counted only, unless every file is wanted."""
        shown = [file for file in self.files if every_file or file.state != UNUSED]
        width = max((len(file.file) for file in shown), default=0)
        lines = [f"{file.file:{width}}  {file.state:12}  {_what(file)}".rstrip() for file in shown]
        counts = Counter(file.state for file in self.files)
        states = [state for state in (LINKED, FAILED, LEFT_OUT, UNUSED) if counts[state]]
        total = ", ".join(f"{counts[state]} {state}" for state in states) or "no files"
        lines.append(f"{total}; {len(self.compiled)} compiled in this run")
        return "\n".join(lines)


def _what(file: FileReport) -> str:
    if file.reason:
        return file.reason
    stubs = ", ".join(file.stubs)
    return f"{stubs} in place of {', '.join(file.replaces)}" if file.replaces else stubs
