"""The file and the folder of a dump of ptdbg_ascend."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from musa_tools.dump.line_forms import PtdbgForm
from musa_tools.dump.line_sink import Target
from musa_tools.dump.line_store import LineStore, unique_name
from musa_tools.dump.writing import TensorFiles, WriteFailure, save_npy


class PtdbgFiles:
    """A file of lines, and a folder beside it with the time in its name.

    Args:
        file: The file of lines.
    """

    def __init__(self, file: Path) -> None:
        self._failure = WriteFailure(f"the dump {file}")
        self._store = LineStore(file, self._failure, {"form": "ptdbg_ascend"})
        self._tensors = TensorFiles(unique_name(file.with_suffix(""), ""), save_npy, self._failure.report)
        self._targets: dict[int, Target] = {}

    def target(self, step: int) -> Optional[Target]:
        """Return the target of a sampling step, or None after a failure."""
        if self._failure.happened:
            return None
        found = self._targets.get(step)
        if found is None:
            found = self._targets[step] = Target(PtdbgForm(self._tensors, step), self._store)
        return found

    def close(self) -> None:
        """Close the file; a later line replaces its content."""
        self._store.close()
