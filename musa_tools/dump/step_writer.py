"""The folder of one step and rank: its JSON files, its tensors, and the numbers that are still on the device."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import Any, Optional

import torch

from musa_tools.dump.config import DumpConfig
from musa_tools.dump.json_store import JsonStore
from musa_tools.dump.stacks import Stack
from musa_tools.dump.tensor_files import TensorFiles, save_pt
from musa_tools.dump.trouble import Trouble
from musa_tools.observe.capture import is_capturing
from musa_tools.observe.hidden import unobserved
from musa_tools.tensors.statistics import Statistics

_MOST_WAITING = 256  # tensors whose numbers are on a device
_TENSORS = "dump_tensor_data"


class StepWriter:
    """Writes calls in the order in which they come.

    Args:
        folder: The step's and rank's. Files of an earlier run in it are removed.
        config: What the header of dump.json says, and whether tensors are written by a thread.
        trouble: Is told when something cannot be written.
    """

    def __init__(self, folder: Path, config: DumpConfig, trouble: Trouble) -> None:
        self.statistics = Statistics()
        self._trouble = trouble
        header = {
            "task": config.task,
            "level": config.level,
            "framework": "pytorch",
            "dump_data_dir": str((folder / _TENSORS).absolute()),
        }
        self._store = JsonStore(folder, header)
        self._tensors = TensorFiles(folder / _TENSORS, save_pt, trouble.report, config.async_dump)
        trouble.guarded(self._clear)
        self._waiting: list[tuple[Any, ...]] = []
        self._lock = threading.RLock()

    def add(self, name: str, entry: Optional[dict[str, Any]], stack: Stack, parent: Optional[str], tree: bool) -> None:
        """Add a call; see JsonStore."""
        with self._lock:
            self._waiting.append((name, entry, stack, parent, tree))
            if self._due():
                self._flush()

    def keep(self, tensor: torch.Tensor, name: str) -> Optional[str]:
        """Write a tensor; return the name of its file."""
        if self._trouble.happened:
            return None
        return self._tensors.keep(tensor, f"{name}.pt")

    def fold(self) -> None:
        """Finish everything that was begun."""
        with self._lock:
            self._flush()
            self._tensors.finish()
            self._trouble.guarded(self._store.fold)
            self._store.close()

    def _due(self) -> bool:
        """Return whether nothing is to be fetched, or so much that it is time to."""
        waiting = len(self.statistics)
        return not waiting or (waiting >= _MOST_WAITING and not any(map(is_capturing, self.statistics.kinds())))

    def _clear(self) -> None:
        """Remove what an earlier run has left."""
        self._store.clear()
        if self._tensors.folder.is_dir():
            for path in self._tensors.folder.glob("*.pt"):
                path.unlink()
            with contextlib.suppress(OSError):  # it holds other files
                self._tensors.folder.rmdir()

    def _flush(self) -> None:
        if len(self.statistics):
            with unobserved():
                self.statistics.resolve()
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            self._trouble.guarded(self._store.add, *call)
