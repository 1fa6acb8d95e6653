"""Overflows in files of their own: lines without numbers, and whole tensors as .npy files."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

from musa_tools.dump.line_forms import Item, PtdbgForm
from musa_tools.dump.line_store import LineStore, unique_name
from musa_tools.dump.overflow import Overflow
from musa_tools.dump.writing import TensorFiles, WriteFailure, save_npy
from musa_tools.errors import PrecisionError
from musa_tools.observe.process import written


class OverflowLines:
    """Writes each overflow to the current folder, and stops the run at the last one that the user wants to see.

    Args:
        last: Counts an overflow and says whether it is the last.
        show: Prints a line.
    """

    def __init__(self, last: Callable[[], bool], show: Callable[[str], None]) -> None:
        self._last = last
        self._show = show

    def found(self, overflow: Overflow) -> None:
        """Write an overflow."""
        name = overflow.call.indexed_name("backward" if overflow.backward else "forward")
        path = unique_name(Path.cwd() / "Overflow_info", ".pkl")
        failure = WriteFailure(f"the overflow in {path}")
        files = TensorFiles(path.with_suffix(""), save_npy, failure.report)
        parts = (("input", overflow.inputs), ("output", overflow.outputs))
        items = [
            Item(name, part, position, tensor, "") for part, tensors in parts for position, tensor in tensors.items()
        ]
        store = LineStore(path, failure, {"form": "overflow"})
        store.add(PtdbgForm(files, 1, numbers=False).lines(items))
        if overflow.stack:
            store.add([[f"{name}_stack_info", written(overflow.stack)]])
        store.close()
        layer = overflow.call.parent.name if overflow.call.parent is not None else ""
        message = f"[overflow] {name}{f' in {layer}' if layer else ''} made NaN or Inf: {path}"
        self._show(message)
        if self._last():
            raise PrecisionError(message)
