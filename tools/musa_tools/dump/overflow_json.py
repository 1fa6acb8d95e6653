"""Overflows as entries of dump.json, with whole tensors in dump_tensor_data."""

from __future__ import annotations

from typing import Any, Callable

import torch

from musa_tools.dump.config import DumpConfig
from musa_tools.dump.json_sink import Describer, nested_by_position
from musa_tools.dump.overflow import Overflow, OverflowSink
from musa_tools.dump.step_writer import StepWriter
from musa_tools.errors import PrecisionError


class OverflowJson:
    """Writes each overflow, and stops the run at the last one that the user wants to see.

    Args:
        writer: Writes the entries.
        config: Whether there is a tree of modules.
        last: Counts an overflow and says whether it is the last.
        folder: The folder's name, for the message.
    """

    def __init__(self, writer: StepWriter, config: DumpConfig, last: Callable[[], bool], folder: str) -> None:
        self.sink = OverflowSink(self._found)
        self._writer = writer
        self._describer = Describer(writer.statistics)
        self._last = last
        self._tree = config.level != "L1"
        self._folder = folder

    def _found(self, overflow: Overflow) -> None:
        direction = "backward" if overflow.backward else "forward"
        name = overflow.call.dotted_name(direction)
        names = ("input", "output") if overflow.backward else ("input_args", "output")
        entry: dict[str, Any] = {
            names[0]: self._entries(overflow.inputs, f"{name}.input"),
            names[1]: self._entries(overflow.outputs, f"{name}.output"),
        }
        parent = overflow.call.parent
        above = parent.dotted_name(direction) if parent is not None else None
        self._writer.add(name, entry, overflow.stack, above, self._tree)
        if self._last():
            self._writer.finalize()
            raise PrecisionError(f"{name} made NaN or Inf. Its tensors are in {self._folder}")

    def _entries(self, tensors: dict[str, torch.Tensor], prefix: str) -> list[Any]:
        def keep(tensor: torch.Tensor, position: str) -> Any:
            return self._writer.keep(tensor, f"{prefix}.{position}")

        return nested_by_position(
            {position: self._describer.entry(each, position, keep) for position, each in tensors.items()}
        )
