"""CompareWithCPU: every operator runs again on the CPU, and both results are compared."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, Callable, Optional

import torch

from musa_tools.errors import PrecisionError
from musa_tools.judge.closeness import Tolerance
from musa_tools.judge.verdict import Status, Verdict
from musa_tools.observe.activity import Schedule, rank
from musa_tools.observe.capture import is_capturing
from musa_tools.observe.op_facts import OpFacts, facts_of
from musa_tools.observe.op_mode import OpMode, unobserved
from musa_tools.observe.where import Where
from musa_tools.rerun.examine import Examination, examine
from musa_tools.rerun.reference import Call
from musa_tools.tensors.nests import tensors
from musa_tools.tensors.snapshot import snapshot
from musa_tools.watch.error_dump import save_call
from musa_tools.watch.tool import Output, Tool, selection_of
from musa_tools.watch.wording import arguments_text, failure

JUDGE_FAILED = "the results could not be judged:"
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
        white_list: Names of operators to pass over, besides those that only make views.
        dump_error_data: Write the inputs and outputs of the first failure to output_dir and raise PrecisionError.
        verbose: Show inputs and outputs of failures.
        enable_ranks: The only ranks to be active on.
        should_log_to_file: Write to compare_result.txt in output_dir, not to standard output.
        output_dir: Where files go.
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
        self._verbose = verbose
        self._tolerance = None
        if atol is not None or rtol is not None:
            self._tolerance = Tolerance(_DEFAULT if atol is None else atol, _DEFAULT if rtol is None else rtol)
        self._plans: dict[Any, _Plan] = {}
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
        kind = _device_kind(args, kwargs)
        if kind not in ("cpu", "meta"):
            self._other_device_seen = True
        elif self._other_device_seen:  # the user debugs the other device
            return proceed(*args, **kwargs)
        where = mode.locator.now()
        name = where.full_name(facts.name)
        if plan is not _Plan.RUN:
            return self._pass_over(plan, name, facts, lambda: proceed(*args, **kwargs))
        obstacle = "a graph is captured" if is_capturing(kind) else _obstacle(args, kwargs)
        if obstacle:
            self._untested(name, facts, obstacle)
            return proceed(*args, **kwargs)
        self._log.write(f"{name} starts to run ...")
        with unobserved():
            before = self._snapshot(facts, args, kwargs, kind == "cpu")
        outputs = proceed(*args, **kwargs)
        with unobserved():
            written = tuple(facts.written_values(args, kwargs))
            call = Call(func, facts, before[0], before[1])
            found = self._examine(call, outputs, written)
            self._tell(name, where, call, (args, kwargs), outputs, found)
        return outputs

    def _plan(self, facts: OpFacts) -> _Plan:
        if not self._selection.is_target(facts):
            return _Plan.NOT_TARGET
        if facts.collective:
            return _Plan.COLLECTIVE
        if self._selection.is_white(facts) or facts.view:
            return _Plan.WHITE
        return _Plan.RUN

    def _snapshot(self, facts: OpFacts, args: tuple[Any, ...], kwargs: dict[str, Any], on_cpu: bool) -> Any:
        """Return the arguments on the CPU, as they are before the operator runs."""
        copy_all = self._dump or not facts.trusted
        if on_cpu and not facts.written and not copy_all:
            return args, kwargs
        written_to = tensors(list(facts.written_values(args, kwargs)))
        return snapshot((args, kwargs), written_to, copy_all)

    def _pass_over(self, plan: _Plan, name: str, facts: OpFacts, proceed: Callable[[], Any]) -> Any:
        if plan is _Plan.COLLECTIVE:
            self._untested(name, facts, plan.value)
        else:
            self._log.write(f"{name} {plan.value}", flush=False)
            self.counts.add(facts.name, "skipped")
        return proceed()

    def _untested(self, name: str, facts: OpFacts, reason: str) -> None:
        self._log.write(f"{reason}\n[WARNING] {name} has not been tested!")
        self.counts.add(facts.name, "untested", reason)

    def _examine(self, call: Call, outputs: Any, written: tuple[Any, ...]) -> Examination:
        try:
            return examine(call, outputs, written, self._tolerance)
        except Exception as error:  # the program that is watched must not pay for a judge that is at a loss
            return Examination(Verdict(Status.UNTESTED, f"{JUDGE_FAILED} {type(error).__name__}: {error}"))

    def _tell(
        self, name: str, where: Where, call: Call, inputs: tuple[Any, Any], outputs: Any, found: Examination
    ) -> None:
        verdict, facts = found.verdict, call.facts
        lines = [f"{found.raised_because}\nConvert to float32 ..."] if found.raised_because else []
        if verdict.status is Status.UNTESTED:
            lines.append(f"{verdict.reason}\n[WARNING] {name} has not been tested!")
            self.counts.add(facts.name, "untested", verdict.reason)
        elif verdict.status is Status.PASS:
            lines += [found.note] if found.note else []
            lines.append(f"{name} succeeds to pass CompareWithCPU test")
            self.counts.add(facts.name, "passed")
        else:
            # What was written to is shown as it was before; the rest where it lives.
            shown = (call.args, call.kwargs) if facts.written else inputs
            text = arguments_text(*shown) if self._verbose else ""
            lines.append(failure(name, where.label, verdict, text, outputs, self._verbose, self._tolerance))
            self.counts.add(facts.name, "failed")
        self._log.write("\n".join(lines), flush=verdict.status is not Status.PASS)
        if verdict.status.failed and self._dump:
            self._halt(name, where, call, inputs, outputs)

    def _halt(self, name: str, where: Where, call: Call, inputs: tuple[Any, Any], outputs: Any) -> None:
        about = {"device": str(next((t.device for t in tensors(inputs)), "cpu")), "name": name, "module": where.label}
        paths = save_call(self._folder(), call.facts.name, rank(), call.args, call.kwargs, outputs, about)
        raise PrecisionError(
            f"CompareWithCPU Failed! {name} differs from the CPU. Inputs: {paths[0]}, outputs: {paths[1]}"
        )


def _device_kind(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return the type of the device that an operator runs on: the CPU only where there is no other."""
    found = "cpu"
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, (list, tuple)) and value:
            value = value[0]
        if isinstance(value, torch.Tensor):
            found = value.device.type
        elif isinstance(value, torch.device):
            found = value.type
        if found != "cpu":
            return found
    return found


def _obstacle(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return why an operator cannot run again, or nothing."""
    for tensor in tensors((args, kwargs)):
        if tensor.device.type == "meta":
            return "a meta tensor has no values"
        if tensor.layout != torch.strided:
            return f"cannot copy a tensor with the layout {tensor.layout}"
        if tensor.is_quantized or tensor.is_nested:
            return "cannot copy a quantized tensor" if tensor.is_quantized else "cannot copy a nested tensor"
    return ""
