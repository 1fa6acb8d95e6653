"""The base of CompareWithCPU and NanInfTracker: the block, the steps, the ranks, the log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Optional, TypeVar

from musa_tools.observe.activity import Activity, Schedule
from musa_tools.observe.modules import OpContext
from musa_tools.observe.op_mode import OpMode
from musa_tools.observe.process import rank
from musa_tools.observe.selection import Selection
from musa_tools.watch.counts import Counts
from musa_tools.watch.log import Log
from musa_tools.watch.wording import nonfinite_entry, step_header

_Self = TypeVar("_Self", bound="Tool")


@dataclass(frozen=True)
class Output:
    """The log of a tool: a file or standard output."""

    to_file: bool
    folder: str
    file_name: str

    def path(self) -> Optional[Path]:
        """Return the log's path, or None for standard output."""
        if not self.to_file:
            return None
        number = rank()
        stem, _, ending = self.file_name.rpartition(".")
        return Path(self.folder) / (self.file_name if number is None else f"{stem}_rank{number}.{ending}")


class Tool:
    """A context manager that watches operators while it is active."""

    title = ""
    outcomes: tuple[str, ...] = ()

    def __init__(
        self, selection: Selection, schedule: Schedule, output: Output, dump: bool, sees_operators: bool = True
    ) -> None:
        self._selection = selection
        self._output = output
        self._dump = dump
        self._activity = Activity(self, schedule, self._start, self._stop, sees_operators)
        self._log = Log(output.path() if schedule.enabled else None)
        self.counts = Counts()

    @property
    def step_cnt(self) -> int:
        """Return how often ``step`` was called."""
        return self._activity.step

    def step(self) -> None:
        """Count a step of the training; the tool is active while ``start_step <= step_cnt < end_step``."""
        self._flush()
        self._activity.advance()
        if self._activity.active:
            self._log.write(step_header(self._activity.step))

    def __enter__(self: _Self) -> _Self:
        self._activity.enter()
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        if self._activity.exit() and (self._calls() or self.counts.by_operator):
            unmatched = self._selection.never_matched()
            self._log.write("\n" + self.counts.table(self.title, self._calls(), self.outcomes, unmatched))
        self._log.close()

    def around(
        self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], proceed: Callable[..., Any], mode: OpMode
    ) -> Any:
        """Run an operator and watch it."""
        raise NotImplementedError

    def _start(self) -> None:
        """Prepare to watch."""

    def _stop(self) -> None:
        """Finish deferred work."""

    def _flush(self) -> None:
        """Finish deferred work, at the end of a step."""

    def _calls(self) -> int:
        """Return how many calls of operators were seen."""
        return sum(sum(counter.values()) for counter in self.counts.by_operator.values())

    def _show(self, where: OpContext, operator: str, words: str, shown: tuple[str, str]) -> None:
        """Write an entry about NaN or Inf; ``shown`` are the words for inputs and outputs."""
        self._log.write(nonfinite_entry(where.full_name(operator), where.label, words, shown[0], shown[1]))

    def _folder(self) -> Path:
        return Path(self._output.folder)


def selection_of(
    target_list: Optional[Iterable[str]], target_op: Optional[Iterable[str]], white_list: Optional[Iterable[str]]
) -> Selection:
    """Return the selection; target_op is another name of target_list."""
    if target_list is not None and target_op is not None and list(target_list) != list(target_op):
        raise ValueError("target_list and target_op mean the same: give one of them")
    return Selection(target_list if target_list is not None else target_op, white_list)
