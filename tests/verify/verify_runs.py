"""The output and the files of a run of `musa-build verify`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Verified:
    """The output and the report of a run."""

    status: int
    output: str
    folder: Path

    @property
    def report(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.folder / "verify.json").read_text(encoding="utf-8"))
        return content

    @property
    def states(self) -> dict[str, str]:
        return {row["id"]: row["state"] for row in self.report["rows"]}

    @property
    def seen(self) -> dict[str, str]:
        return {row["id"]: row["seen"] for row in self.report["rows"]}


Verify = Callable[..., Verified]
