"""CompareWithCPU: every operator runs again on the CPU, and both results are compared."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, Callable, Optional

from musa_tools.judge.closeness import Tolerance
from musa_tools.observe.activity import Schedule
from musa_tools.observe.op_facts import OpFacts, facts_of
from musa_tools.observe.op_mode import OpMode
from musa_tools.observe.process import unobserved
from musa_tools.rerun.before import arguments_before, device_kind, needs_copies, obstacle
from musa_tools.rerun.examine import Examination, examine_safely
from musa_tools.rerun.reference import Call, first_line
from musa_tools.watch.outcome import OutcomeReporter
from musa_tools.watch.tool import Output, Tool, selection_of

_DEFAULT = 1e-3  # where a user gives one of atol and rtol


class _Plan(enum.Enum):
    RUN = "run"
    WHITE = "is in white_list, pass"
    NOT_TARGET = "is not in target_list, pass"
    COLLECTIVE = "exchanges data with other processes"


class CompareWithCPU(Tool):
    """Compare the results of every operator with the CPU's.

    Without ``atol`` and ``rtol``, results must be as good as the CPU's: they may differ by rounding errors, which
    depend on the dtype and on how many numbers were added up. With them, ``|a - b| <= atol + rtol * |b|`` decides.

    Args:
        enabled: False makes the block cost nothing.
        atol: The absolute tolerance.
        rtol: The relative tolerance.
        target_list: Names of the only operators to compare; patterns such as ``torch.ops.aten._foreach_*`` are allowed.
        white_list: Names of operators to pass over, besides operators that only make views.
        dump_error_data: Write the inputs and outputs of the first failure to output_dir and raise PrecisionError.
        verbose: Show inputs and outputs of failures.
        enable_ranks: The only ranks to be active on.
        should_log_to_file: Write to compare_result.txt in output_dir, not to standard output.
        output_dir: The folder of the files.
        start_step: The first step to be active in; ``step`` counts.
        end_step: The first step not to be active in any more.
        target_op: Another name for target_list.
    """

    title = "CompareWithCPU"
    outcomes = ("passed", "failed", "untested", "skipped")

    def __init__(
        self,
        enabled: bool = True,
        atol: Optional[float] = None,
        rtol: Optional[float] = None,
        target_list: Optional[Iterable[str]] = None,
        white_list: Optional[Iterable[str]] = None,
        dump_error_data: bool = False,
        verbose: bool = True,
        enable_ranks: Optional[Iterable[int]] = None,
        should_log_to_file: bool = False,
        output_dir: str = "",
        start_step: Optional[int] = None,
        end_step: Optional[int] = None,
        target_op: Optional[Iterable[str]] = None,
    ) -> None:
        super().__init__(
            selection_of(target_list, target_op, white_list),
            Schedule.of(enabled, enable_ranks, start_step, end_step),
            Output(should_log_to_file, output_dir, "compare_result.txt"),
            dump_error_data,
        )
        self._tolerance = None
        if atol is not None or rtol is not None:
            self._tolerance = Tolerance(_DEFAULT if atol is None else atol, _DEFAULT if rtol is None else rtol)
        dump_to = self._folder() if dump_error_data else None
        self._reporter = OutcomeReporter(self._log, self.counts, self._tolerance, verbose, dump_to)
        self._plans: dict[str, _Plan] = {}
        self._other_device_seen = False

    def around(
        self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], proceed: Callable[..., Any], mode: OpMode
    ) -> Any:
        """Run an operator on its device and on the CPU."""
        if not self._activity.active:
            return proceed(*args, **kwargs)
        facts = facts_of(func)
        plan = self._plans.get(facts.name)
        if plan is None:
            plan = self._plans[facts.name] = self._plan(facts)
        kind = device_kind(args, kwargs)
        if kind not in ("cpu", "meta"):
            self._other_device_seen = True
        elif self._other_device_seen:  # the user debugs the other device
            return proceed(*args, **kwargs)
        where = mode.locator.now()
        name = where.full_name(facts.name)
        if plan in (_Plan.WHITE, _Plan.NOT_TARGET):
            self._reporter.passed_over(name, facts.name, plan.value)
            return proceed(*args, **kwargs)
        reason = plan.value if plan is _Plan.COLLECTIVE else obstacle(kind, args, kwargs)
        if reason:
            self._reporter.untested(name, facts.name, reason)
            return proceed(*args, **kwargs)
        self._log.write(f"{name} starts to run ...")
        call = Call(func, facts, args, kwargs)
        if needs_copies(facts, kind, self._dump):
            try:
                with unobserved():
                    call = Call(func, facts, *arguments_before(facts, kind, args, kwargs, self._dump))
            except (RuntimeError, MemoryError) as error:  # no kernel copies this dtype, or there is no room
                self._reporter.untested(name, facts.name, f"cannot copy the arguments: {first_line(error)}")
                return proceed(*args, **kwargs)
        outputs = proceed(*args, **kwargs)
        with unobserved():
            found = self._examine(call, outputs, tuple(facts.written_values(args, kwargs)))
            self._reporter.report(where, call, (args, kwargs), outputs, found)
        return outputs

    def _plan(self, facts: OpFacts) -> _Plan:
        if not self._selection.is_target(facts):
            return _Plan.NOT_TARGET
        if facts.collective:
            return _Plan.COLLECTIVE
        if self._selection.is_white(facts) or facts.view:
            return _Plan.WHITE
        return _Plan.RUN

    def _examine(self, call: Call, outputs: Any, written: tuple[Any, ...]) -> Examination:
        return examine_safely(call, outputs, written, self._tolerance)
