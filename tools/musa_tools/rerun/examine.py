"""Run an operator again on the CPU, and have judge/decision.py compare the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Optional

import torch

from musa_tools.judge import closeness, decision
from musa_tools.judge.closeness import Tolerance
from musa_tools.judge.decision import Operation, Pair
from musa_tools.judge.numbers import epsilon
from musa_tools.judge.verdict import PASSED, Status, Verdict
from musa_tools.observe.op_facts import OpFacts
from musa_tools.rerun.before import unreadable
from musa_tools.rerun.reference import Call, Reference
from musa_tools.tensors.operands import leaves

JUDGE_FAILED = "the results could not be judged:"
_ORDINARY = (torch.Tensor, torch.nn.Parameter)  # an optimizer's operators return the parameters they write to
_PLAIN = (torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.bool)


@dataclass(frozen=True)
class Examination:
    """The verdict, with notes.

    Attributes:
        verdict: The verdict.
        raised_because: The error of the CPU's kernel, if narrow floats had to become float32.
        note: The values that were not compared, and why.
    """

    verdict: Verdict
    raised_because: str = ""
    note: str = ""


def examine(call: Call, outputs: Any, written: tuple[Any, ...], tolerance: Optional[Tolerance]) -> Examination:
    """Run a call on the CPU and compare.

    Args:
        call: The operator with its arguments on the CPU, as they were before it ran.
        outputs: Its results.
        written: The arguments that it writes to, afterwards.
        tolerance: The user's; None judges by rounding errors.
    """
    facts = call.facts
    if _plainly_equal(facts, outputs, call.run_functionally()):
        return Examination(PASSED)
    reference = call.run()
    if reference.failed:
        return Examination(Verdict(Status.UNTESTED, reference.reason))
    if not reference.raised_because and _plainly_equal(facts, outputs, reference.outputs):
        return Examination(PASSED)
    found = _pairs(outputs, written, reference)
    meant = [pair for pair in found if decision.is_compared(facts.base, call.args, call.kwargs, pair.path)]
    pairs = [decision.as_narrow(facts.base, pair) for pair in meant]
    for pair in pairs:
        problem = decision.form_verdict(pair, bool(reference.raised_because))
        if problem is not None:
            return Examination(problem, reference.raised_because)
    reason = unreadable([(pair.actual, pair.expected) for pair in pairs])
    if reason:
        return Examination(Verdict(Status.UNTESTED, reason))
    if facts.uninitialised or facts.random:
        word = "random" if facts.random else "uninitialised"
        return Examination(PASSED, reference.raised_because, note=f"{word} values: only shape and dtype are compared")
    operation = Operation(facts.base, facts.pointwise, call.args, call.kwargs, outputs)
    suspects = [pair for pair in pairs if not decision.agree(operation, pair, tolerance)]
    if not suspects:
        return Examination(PASSED, reference.raised_because)
    verdict = decision.certain_failure(operation, suspects, tolerance)
    return Examination(verdict or _judge_precisely(call, operation, suspects, reference), reference.raised_because)


def examine_safely(call: Call, outputs: Any, written: tuple[Any, ...], tolerance: Optional[Tolerance]) -> Examination:
    """Do the same, but return UNTESTED if comparing raises an error: the program that is watched must not fail.

    Args:
        call: As for examine.
        outputs: As for examine.
        written: As for examine.
        tolerance: As for examine.
    """
    try:
        return examine(call, outputs, written, tolerance)
    except Exception as error:
        return Examination(Verdict(Status.UNTESTED, f"{JUDGE_FAILED} {type(error).__name__}: {error}"))


def _plainly_equal(facts: OpFacts, outputs: Any, expected: Any) -> bool:
    """Return whether the one result of an operator is bit for bit the CPU's, which most results are."""
    return (
        type(outputs) in _ORDINARY
        and type(expected) in _ORDINARY
        and (not facts.written or facts.in_place)
        and not (facts.random or facts.uninitialised)
        and outputs.dtype == expected.dtype
        and outputs.dtype in _PLAIN
        and outputs.layout == expected.layout == torch.strided
        and not (outputs.is_nested or expected.is_nested)
        and outputs.shape == expected.shape
        and closeness.identical(on_cpu(outputs), expected)
    )


def _pairs(outputs: Any, written: tuple[Any, ...], reference: Reference) -> Iterator[Pair]:
    """Yield the pairs to compare: results, and written arguments that are not among the results."""
    yield from _side_by_side("", outputs, reference.outputs)
    returned = {id(leaf) for _, leaf in leaves(outputs)}
    for position, (after, expected) in enumerate(zip(written, reference.written)):
        for pair in _side_by_side(f"written argument {position}", after, expected):
            if id(pair.original) not in returned:
                yield pair


def _side_by_side(prefix: str, actual: Any, expected: Any) -> Iterator[Pair]:
    left, right = list(leaves(actual)), list(leaves(expected))
    if [path for path, _ in left] != [path for path, _ in right]:
        yield Pair(prefix, tuple(leaf for _, leaf in left), tuple(leaf for _, leaf in right), actual)
        return
    for (path, a), (_, b) in zip(left, right):
        yield Pair(f"{prefix}.{path}" if prefix and path else prefix or path, on_cpu(a), b, a)


def on_cpu(leaf: Any) -> Any:
    """Return a tensor on the CPU; anything else as it is."""
    return leaf.to("cpu") if isinstance(leaf, torch.Tensor) and leaf.device.type != "cpu" else leaf


def _judge_precisely(call: Call, operation: Operation, suspects: Sequence[Pair], reference: Reference) -> Verdict:
    """Run the call in double precision, and judge the values that do not agree by that."""
    rounding = max(decision.rounding_of_inputs(operation, pair) for pair in suspects)
    disturb = decision.may_lose_digits(operation, suspects)
    runs = call.run_in_other_precisions(disturb, rounding, max(epsilon(pair.actual.dtype) for pair in suspects))
    if runs is None:
        return decision.verdict_by_wide_limits(operation, suspects)
    other = decision.OtherRuns(
        _by_path(reference, runs.precise),
        [_by_path(reference, run) for run in runs.disturbed],
        runs.step,
        [(_by_path(reference, single), _by_path(reference, double)) for single, double in runs.single],
    )
    return decision.precise_verdict(operation, suspects, other)


def _by_path(reference: Reference, other: Reference) -> dict[str, Any]:
    """Return the results of another run by the paths that pairs with `reference` have."""
    return {pair.path: pair.expected for pair in _pairs(reference.outputs, reference.written, other)}
