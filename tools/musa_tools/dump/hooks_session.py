"""The hooks of torch_npu.hooks: their files, and the steps in which they are active."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional, Union

import torch

from musa_tools.dump.calls import Calls, Numbering, Sink
from musa_tools.dump.line_forms import FilesForm, HooksForm
from musa_tools.dump.line_sink import LineSink, Target
from musa_tools.dump.line_store import LineStore
from musa_tools.dump.overflow import OverflowSink
from musa_tools.dump.overflow_lines import OverflowLines
from musa_tools.dump.switch import NOTHING, DumpSelection
from musa_tools.dump.writing import TensorFiles, WriteFailure, save_npy
from musa_tools.observe.model_runs import ModelRuns, Registration

_DEFAULT = "dump.pkl"


@dataclass(frozen=True)
class Schedule:
    """The steps in which a hook is active: from ``begin`` to ``end``, both included, every ``stride``-th."""

    begin: int = 0
    end: int = sys.maxsize
    stride: int = 1

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name, lowest in (("begin", 0), ("end", self.begin), ("stride", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
                raise ValueError(f"schedule: {name}: found {value!r}, wanted a number from {lowest} on")

    def includes(self, step: int) -> bool:
        """Return whether a step is one of them."""
        return self.begin <= step <= self.end and (step - self.begin) % self.stride == 0


class StepCounter:
    """Counts the steps of a run: `step_num` is the number of the current one, from 0 on."""

    def __init__(self) -> None:
        self.step_num = 0

    def step(self) -> None:
        """Count a step."""
        self.step_num += 1

    def reset_step(self) -> None:
        """Start again at step 0."""
        self.step_num = 0


class HooksSession:
    """The state that the functions of torch_npu.hooks share.

    Args:
        runs: Watches the models.
        steps: Counts steps.
    """

    def __init__(self, runs: ModelRuns, steps: StepCounter) -> None:
        self._runs = runs
        self._steps = steps
        self._numbering = Numbering()
        self._failure = WriteFailure("the dump")
        self._store: Optional[LineStore] = None

    def set_path(self, path: Optional[Union[str, os.PathLike[str]]]) -> None:
        """Write to another file from now on, and number calls from zero; an existing file is replaced."""
        if path is None:
            return
        file = Path(path)
        if self._store is not None:
            self._store.close()
        self._failure = WriteFailure(f"the dump {file}")
        self._failure.guarded(lambda: file.unlink(missing_ok=True))
        self._store = LineStore(file, self._failure, {"form": "torch_npu.hooks"})
        self._numbering.reset()

    def compare_values(self, model: torch.nn.Module, schedule: Schedule, sample: bool) -> None:
        """Write the values of a model's calls as lines."""
        form = HooksForm(sample)
        sink = LineSink(lambda: self._line_target(form), self._everything(schedule))
        self._register(model, sink, schedule)

    def dump_files(self, model: torch.nn.Module, schedule: Schedule, path: Union[str, os.PathLike[str]]) -> None:
        """Write the tensors of a model's calls as files."""
        folder = Path(path)
        failure = WriteFailure(f"the dump in {folder}")
        target = Target(FilesForm(TensorFiles(folder, save_npy, failure.report)), None)
        sink = LineSink(lambda: None if failure.happened else target, self._everything(schedule))
        self._register(model, sink, schedule)

    def check_overflow(self, model: torch.nn.Module, schedule: Schedule) -> None:
        """Raise an exception at the first call of a model that makes NaN or Inf, and write its tensors."""
        lines = OverflowLines(lambda: True, print)
        self._register(model, OverflowSink(lines.found), schedule)

    def _register(self, model: torch.nn.Module, sink: Sink, schedule: Schedule) -> None:
        calls = Calls(sink, self._numbering)

        def begins() -> bool:
            calls.finish()
            return schedule.includes(self._steps.step_num)

        self._runs.register(Registration(model, calls.around_api, calls, begins))

    def _everything(self, schedule: Schedule) -> Callable[[str, int, bool], DumpSelection]:
        def select(name: str, number: int, backward: bool) -> DumpSelection:
            return DumpSelection(True, False) if schedule.includes(self._steps.step_num) else NOTHING

        return select

    def _line_target(self, form: HooksForm) -> Optional[Target]:
        if self._store is None:
            print(f"no set_dump_path: the dump goes to {Path(_DEFAULT).absolute()}")
            self.set_path(_DEFAULT)
        return None if self._failure.happened else Target(form, self._store)
