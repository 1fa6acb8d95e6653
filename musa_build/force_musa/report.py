"""What a build under FORCE_MUSA=1 did: told at its end, and written down for `musa-build install`."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..system import files

NOT_CHOSEN = "not among those to build (MUSA_BUILD_ONLY)"
VARIABLE = "MUSA_BUILD_FORCE_REPORT"  # a file's path


@dataclass(frozen=True)
class BuiltExtension:
    """An extension by its import name; `for_musa` is false for one that is for the CPU by the package's own choice."""

    name: str
    for_musa: bool
    sources: int


@dataclass(frozen=True)
class LeftOut:
    """A source that did not compile, or was not to; calling one of `symbols` raises an error that says so. `reason` is
    the compiler's first error, or NOT_CHOSEN."""

    extension: str
    source: str
    reason: str
    symbols: tuple[str, ...] = ()


@dataclass
class Report:
    """One build. `reason` is why `level` was taken, "" where it was the first or the user's."""

    package: str
    version: str
    level: int
    extensions: list[BuiltExtension] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    reason: str = ""

    def save(self) -> None:
        """Write to the file that the environment names, if it names one."""
        place = os.environ.get(VARIABLE)
        if place:
            files.write_if_changed(Path(place), json.dumps(asdict(self), indent=1))

    @classmethod
    def load(cls, path: Path) -> Report:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        extensions = [BuiltExtension(**entry) for entry in content.pop("extensions")]
        left_out = [LeftOut(**{**entry, "symbols": tuple(entry["symbols"])}) for entry in content.pop("left_out")]
        return cls(**content, extensions=extensions, left_out=left_out)

    def lines(self) -> list[str]:
        """For a person."""
        on_device = [extension.name for extension in self.extensions if extension.for_musa]
        others = [extension.name for extension in self.extensions if not extension.for_musa]
        lines = [f"{self.package} {self.version}, built for MUSA: {', '.join(on_device)}"]
        lines += [self.reason] if self.reason else []
        lines += [f"for the CPU, as the package asks: {', '.join(others)}"] if others else []
        chosen = [entry for entry in self.left_out if entry.reason == NOT_CHOSEN]
        lines += [f"left out: {len(chosen)} sources: {NOT_CHOSEN}"] if chosen else []
        lines += [f"left out: {entry.source}: {entry.reason}" for entry in self.left_out if entry not in chosen]
        return lines
