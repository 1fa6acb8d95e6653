"""NanInfTracker: names the operator that made the first NaN or Inf out of good inputs."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, Optional

import torch

from musa_tools.judge.nonfinite import has_infinite_number, is_constant
from musa_tools.observe.activity import Schedule
from musa_tools.observe.op_facts import OpFacts, facts_of
from musa_tools.observe.process import unobserved
from musa_tools.tensors.operands import references, strided, tensors
from musa_tools.watch.eager_check import EagerCheck, is_captured
from musa_tools.watch.flags import Flags, Record
from musa_tools.watch.module_results import ModuleResults
from musa_tools.watch.nan_origins import NanOrigins
from musa_tools.watch.tool import Output, Tool, selection_of

if TYPE_CHECKING:
    from musa_tools.observe.op_mode import OpMode

_MOST_FLAGS = 512


class _Effect(enum.Enum):
    PASS = 0  # makes no values
    READ = 1
    WRITE = 2  # writes to an argument
    SYNC = 3  # the user waits for the device
    EMPTY = 4  # returns memory that was never written


class NanInfTracker(Tool):
    """Find the operators that make NaN or Inf, on the device.

    An operator that gets NaN or Inf and passes it on is counted, not shown. Masks of -inf are no finding. Results are
    looked at many at a time, so that the device is not waited for.

    Args:
        enabled: False makes the block cost nothing.
        target_list: Names of the only operators to watch; patterns are allowed.
        white_list: Names of operators to pass over.
        enable_ranks: The only ranks to be active on.
        should_log_to_file: Write to nan_inf_report.txt in output_dir, not to standard output.
        output_dir: The folder of the files.
        dump_error_data: Look at every operator at once; write the inputs and outputs of the first that makes NaN or Inf
            to output_dir and raise PrecisionError.
        start_step: The first step to be active in; ``step`` counts.
        end_step: The first step not to be active in any more.
        target_op: Another name for target_list.
        log_all: Show also the operators that pass NaN or Inf on.
        level: "module" looks at the results of modules and their gradients only, which costs less.
    """

    title = "NanInfTracker"
    outcomes = ("created", "received", "passed on")

    def __init__(
        self,
        enabled: bool = True,
        target_list: Optional[Iterable[str]] = None,
        white_list: Optional[Iterable[str]] = None,
        enable_ranks: Optional[Iterable[int]] = None,
        should_log_to_file: bool = False,
        output_dir: str = "",
        dump_error_data: bool = False,
        start_step: Optional[int] = None,
        end_step: Optional[int] = None,
        target_op: Optional[Iterable[str]] = None,
        log_all: bool = False,
        level: str = "op",
    ) -> None:
        if level not in ("op", "module"):
            raise ValueError(f'level is "op" or "module", not {level!r}')
        if level == "module" and (dump_error_data or target_list or target_op or white_list):
            raise ValueError('level="module" sees no operators: dump_error_data and lists of names need level="op"')
        super().__init__(
            selection_of(target_list, target_op, white_list),
            Schedule.of(enabled, enable_ranks, start_step, end_step),
            Output(should_log_to_file, output_dir, "nan_inf_report.txt"),
            dump_error_data,
            sees_operators=level == "op",
        )
        self._log_all = log_all
        self._at_once = dump_error_data or log_all
        self._kinds: dict[int, tuple[_Effect, OpFacts, Any]] = {}
        self._watched = 0
        self._flags = Flags()
        self._origins = NanOrigins(self._report)
        dump_to = self._folder() if dump_error_data else None
        self._eager_check = EagerCheck(self._origins, self._flush, self._report, dump_to)
        self._modules = ModuleResults(self._flags, self._flush, _MOST_FLAGS) if level == "module" else None

    def around(
        self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], proceed: Callable[..., Any], mode: OpMode
    ) -> Any:
        """Run an operator and flag its results."""
        if not self._activity.active:
            return proceed(*args, **kwargs)
        known = self._kinds.get(id(func))
        if known is None:
            known = self._kinds[id(func)] = (*self._kind(func), func)
        kind, facts, _ = known
        if kind is _Effect.PASS:
            return proceed(*args, **kwargs)
        if kind is _Effect.SYNC:
            self._flush()
            return proceed(*args, **kwargs)
        if kind is _Effect.EMPTY:
            return self._origins.take_unwritten(proceed(*args, **kwargs))
        if kind is _Effect.WRITE:
            written = list(facts.written_values(args, kwargs))
            self._flags.before_write([tensor.untyped_storage()._cdata for tensor in strided(written)])
        if self._origins.moves_unwritten(facts, args):
            return self._origins.take_unwritten(proceed(*args, **kwargs))
        unwritten = self._origins.reads_unwritten(facts, args, kwargs)
        check_now = (
            self._at_once
            or unwritten
            or facts.name in self._origins.suspects
            or self._origins.takes_tainted(args, kwargs)
        )
        if check_now and not is_captured(args):
            self._watched += 1
            return self._eager_check.run(Record(facts, mode.locator.now(), ()), args, kwargs, proceed)
        if is_constant(facts.base) and has_infinite_number((*args, *kwargs.values())):
            return self._origins.remember(proceed(*args, **kwargs))
        outputs = proceed(*args, **kwargs)
        record = Record(facts, mode.locator.now(), references(args))
        if torch._C._len_torch_dispatch_stack():
            with unobserved():
                self._flag(record, args, kwargs, outputs)
        else:
            self._flag(record, args, kwargs, outputs)
        return outputs

    def _kind(self, func: Any) -> tuple[_Effect, OpFacts]:
        facts = facts_of(func)
        if facts.base == "aten._local_scalar_dense":
            return _Effect.SYNC, facts
        if facts.uninitialised:
            return _Effect.EMPTY, facts
        passed = facts.view and facts.base != "aten.lift_fresh"
        if passed or not self._selection.is_target(facts) or self._selection.is_white(facts):
            return _Effect.PASS, facts
        return (_Effect.WRITE if facts.written else _Effect.READ), facts

    def _flag(self, record: Record, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        flags = self._flags
        self._watched += 1
        if isinstance(outputs, torch.Tensor):
            if outputs.is_floating_point() or outputs.is_complex():
                flags.add(record, outputs)
        else:
            # An object of a class in C++ has no length, so it cannot be asked whether it is empty.
            returns_nothing = outputs is None or (isinstance(outputs, (tuple, list)) and not outputs)
            for tensor in tensors(list(record.facts.written_values(args, kwargs)) if returns_nothing else outputs):
                if tensor.is_floating_point() or tensor.is_complex():
                    flags.add(record, tensor)
        if flags.known_bad or len(flags) >= _MOST_FLAGS:
            self._flush()

    def _flush(self) -> None:
        if len(self._flags):
            with unobserved():
                self._origins.judge_deferred(self._flags.findings())

    def _start(self) -> None:
        if self._modules is not None:
            self._modules.start()

    def _stop(self) -> None:
        if self._modules is not None:
            self._modules.stop()
        self._flush()
        self._origins.clear()

    def _calls(self) -> int:
        return self._watched if self._modules is None else self._modules.calls

    def _report(self, outcome: str, words: str, record: Record, shown: tuple[str, str]) -> None:
        self.counts.add(record.facts.name, outcome)
        if outcome != "passed on" or self._log_all:
            self._show(record.where, record.facts.name, words or "passed NaN or Inf on", shown)
