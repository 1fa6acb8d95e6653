"""differences.toml: what a card does otherwise on purpose, and which programs or runs are not for a card."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from nvidia_card.outputs import Tolerance

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(__file__).with_name("differences.toml")
KINDS = ("not_compiled", "not_run", "differs", "refused", "tolerance")


@dataclass(frozen=True)
class Entry:
    """Patterns of the shell for a program and its arguments, and why."""

    kind: str
    program: str
    reason: str
    arguments: str = "*"
    relative: float | None = None
    absolute: float | None = None
    dtype: str = ""  # of bytes whose meaning the run does not say

    def covers(self, program: str, arguments: Sequence[str] | None) -> bool:
        """Whether it speaks of a run, or with no arguments of the whole program."""
        if not fnmatchcase(program, self.program):
            return False
        return self.arguments == "*" if arguments is None else fnmatchcase(" ".join(arguments), self.arguments)


@dataclass(frozen=True)
class Differences:
    entries: tuple[Entry, ...]

    @classmethod
    def read(cls, path: Path = FILE) -> Differences:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        assert set(tables) <= set(KINDS), sorted(set(tables) - set(KINDS))
        return cls(tuple(Entry(kind=kind, **entry) for kind in KINDS for entry in tables.get(kind, ())))

    def of(self, kind: str, program: str, arguments: Sequence[str] | None = None) -> Entry | None:
        return next((each for each in self.entries if each.kind == kind and each.covers(program, arguments)), None)

    def on_purpose(self, program: str, arguments: Sequence[str]) -> bool:
        return any(self.of(kind, program, arguments) for kind in ("not_run", "differs"))

    def tolerance(self, program: str, arguments: Sequence[str]) -> Tolerance:
        entry = self.of("tolerance", program, arguments)
        return Tolerance(entry.relative, entry.absolute, entry.dtype) if entry else Tolerance()
