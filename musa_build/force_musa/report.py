"""The report of a build under FORCE_MUSA=1: logged at its end, and saved for `musa-build install`."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import counted
from ..system import files

NOT_CHOSEN = "not among those to build (MUSA_BUILD_ONLY)"
VARIABLE = "MUSA_BUILD_FORCE_REPORT"  # a file's path


@dataclass(frozen=True)
class BuiltExtension:
    """An extension by its import name; `for_musa` is false if the package itself wants it for the CPU."""

    name: str
    for_musa: bool
    sources: int


@dataclass(frozen=True)
class ExcludedSource:
    """A source that did not compile or was not selected. Calling one of `symbols` raises an error that says so.

    `reason` is the compiler's first error, or NOT_CHOSEN.
    """

    extension: str
    source: str
    reason: str
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ported:
    """The result of porting. `findings` counts warnings and notes by their codes."""

    files: int
    edits: int
    warnings: int
    findings: dict[str, int]

    @property
    def summary(self) -> str:
        """The counts in one line."""
        return f"{counted(self.files, 'file')}, {counted(self.edits, 'edit')}, {counted(self.warnings, 'warning')}"


@dataclass(frozen=True)
class Report:
    """One build. `reason` is why it took `level`, "" if that was the first one or the user's.

    `compiled` is how many sources the toolkit's nvcc compiled, 0 in a build that does not call it.
    """

    package: str
    version: str
    level: int
    extensions: tuple[BuiltExtension, ...] = ()
    excluded: tuple[ExcludedSource, ...] = ()
    reason: str = ""
    ported: Ported = Ported(0, 0, 0, {})
    compiled: int = 0

    def save(self) -> None:
        """Write the report to the file that the environment names, if it names one."""
        path = os.environ.get(VARIABLE)
        if path:
            files.write_if_changed(Path(path), json.dumps(asdict(self), indent=1))

    @classmethod
    def load(cls, path: Path) -> Report:
        """Read the report that `save` wrote."""
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        extensions = tuple(BuiltExtension(**entry) for entry in content.pop("extensions"))
        excluded = tuple(
            ExcludedSource(**{**entry, "symbols": tuple(entry["symbols"])}) for entry in content.pop("excluded")
        )
        ported = Ported(**content.pop("ported"))
        return cls(**content, extensions=extensions, excluded=excluded, ported=ported)

    def lines(self) -> list[str]:
        """Return the report for a person."""
        on_device = [extension.name for extension in self.extensions if extension.for_musa]
        others = [extension.name for extension in self.extensions if not extension.for_musa]
        lines = [f"{self.package} {self.version}, built for MUSA: {', '.join(on_device)}"]
        if self.compiled:
            lines.append(f"compiled by the CUDA toolkit's nvcc: {counted(self.compiled, 'source')}")
        lines += [self.reason] if self.reason else []
        done = self.ported
        lines += [f"ported: {done.summary}"] if done.files else []
        lines += [f"for the CPU, as the package asks: {', '.join(others)}"] if others else []
        not_chosen = [source for source in self.excluded if source.reason == NOT_CHOSEN]
        lines += [f"excluded: {counted(len(not_chosen), 'source')}: {NOT_CHOSEN}"] if not_chosen else []
        lines += [f"excluded: {source.source}: {source.reason}" for source in self.excluded if source not in not_chosen]
        return lines
