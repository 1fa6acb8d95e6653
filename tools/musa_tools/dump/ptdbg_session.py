"""ptdbg_ascend's dump: one path, one switch and one numbering for all registered models."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional, Union

import torch

from musa_tools.dump.calls import Calls, Numbering, Sink
from musa_tools.dump.line_sink import LineSink
from musa_tools.dump.line_target import PtdbgFiles
from musa_tools.dump.overflow import OverflowSink
from musa_tools.dump.overflow_lines import OverflowLines
from musa_tools.dump.switch import Switch
from musa_tools.errors import ToolError
from musa_tools.observe.model_runs import ModelRuns, Registration


class PtdbgSession:
    """The state that ptdbg_ascend's functions share.

    Args:
        runs: Watches the models.
    """

    def __init__(self, runs: ModelRuns) -> None:
        self._runs = runs
        self._numbering = Numbering()
        self._switch = Switch()
        self._files: Optional[PtdbgFiles] = None
        self._calls: list[Calls] = []

    def set_path(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write to another file from now on; its folder of tensors has the time in its name."""
        if not isinstance(path, (str, os.PathLike)) or not Path(path).name:
            raise ToolError(
                "set_dump_path: this is no path", found=repr(path), wanted="a path with a file name, as ./npu_dump.pkl"
            )
        file = Path(path)
        if file.is_dir():
            raise ToolError(f"set_dump_path: {file} is a folder", wanted=f"a file in it, as {file / 'npu_dump.pkl'}")
        self._finish()
        self._files = PtdbgFiles(file)
        self._numbering.reset()

    def set_switch(self, state: str, mode: Any, scope: Optional[Sequence[str]]) -> None:
        """Start or stop dumping."""
        switch = Switch(state, mode, scope)
        if switch.on and self._files is None:
            raise ToolError(
                'set_dump_switch("ON"): there is no file to write to yet', hint='call set_dump_path("./dump.pkl")'
            )
        if self._switch.on and not switch.on:
            self._finish()
            for name in self._switch.never_matched():
                warnings.warn(f"set_dump_switch: no call was named {name}", UserWarning, stacklevel=3)
        self._switch = switch

    def dump(self, model: torch.nn.Module, step: int) -> None:
        """Dump the forward passes of a model, and their gradients, while the switch is on."""
        if isinstance(step, bool) or not isinstance(step, int) or not 1 <= step <= 100:
            raise ValueError(f"dump_step: found {step!r}, wanted a number from 1 to 100")
        sink = LineSink(
            lambda: self._files.target(step) if self._files else None, lambda *call: self._switch.selection(*call)
        )
        calls = self._register(model, sink, lambda: self._switch.on)
        self._calls.append(calls)

    def check_overflow(self, model: torch.nn.Module, count: int) -> None:
        """Write the calls of a model that overflow, and stop at the ``count``-th."""
        if isinstance(count, bool) or not isinstance(count, int) or (count < 1 and count != -1):
            raise ValueError(f"overflow_nums: found {count!r}, wanted a number from 1 on, or -1 for no end")
        numbers = itertools.count(1)
        lines = OverflowLines(lambda: next(numbers) == count, print)
        self._register(model, OverflowSink(lines.found), lambda: True)

    def _register(self, model: torch.nn.Module, sink: Sink, wanted: Any) -> Calls:
        calls = Calls(sink, self._numbering)

        def begins() -> bool:
            calls.finish()
            return bool(wanted())

        self._runs.register(Registration(model, calls.around_api, None, begins))
        return calls

    def _finish(self) -> None:
        for calls in self._calls:
            calls.finish()
        if self._files is not None:
            self._files.close()
