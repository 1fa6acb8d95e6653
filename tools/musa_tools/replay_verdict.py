"""Compare the result of a call that was run again with the saved one, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional

import torch

from musa_tools.judge import closeness, decision
from musa_tools.judge.closeness import Tolerance
from musa_tools.judge.decision import Operation, Pair
from musa_tools.judge.verdict import PASSED, Status, Verdict
from musa_tools.observe.op_facts import OpFacts
from musa_tools.rerun.examine import Examination, examine
from musa_tools.rerun.pure_function import PureFunction, flat
from musa_tools.rerun.reference import Call
from musa_tools.saved_call import SavedCall


def judged(
    saved: SavedCall, function: Callable[..., Any], replayed: list[Any], tolerance: Optional[Tolerance], device: str
) -> tuple[list[str], bool]:
    """Return lines for the user, and whether the two results agree."""
    call = Call(PureFunction(function), _facts(saved, function), saved.args, saved.kwargs)
    expected = flat(saved.outputs)
    if tolerance is not None:
        verdict = _side_by_side(call, replayed, expected, tolerance)
    else:
        here, there = (examine(call, outputs, (), None) for outputs in (replayed, expected))
        if Status.UNTESTED not in (here.verdict.status, there.verdict.status):
            return _two_verdicts(saved.name, device, here, there)
        verdict = _side_by_side(call, replayed, expected, None)
    if verdict.status.failed:
        return [f"{saved.name} on {device}: does not agree with the saved result", f"  {_words(verdict)}"], False
    return [f"{saved.name} on {device}: agrees with the saved result"], True


def _two_verdicts(name: str, device: str, here: Examination, there: Examination) -> tuple[list[str], bool]:
    if not (here.verdict.status.failed or there.verdict.status.failed):
        note = f" ({here.note})" if here.note else ""
        return [f"{name} on {device}: agrees with the saved result{note}"], True
    lines = [f"{name} on {device}: does not agree with the saved result"]
    for words, examination in ((f"the result on {device}", here), ("the saved result", there)):
        verdict = examination.verdict
        lines.append(f"  {words}: {_words(verdict) if verdict.status.failed else 'as good as the CPU'}")
    return lines, False


def _side_by_side(call: Call, replayed: list[Any], expected: list[Any], tolerance: Optional[Tolerance]) -> Verdict:
    """Judge the two results by each other alone."""
    if len(replayed) != len(expected):
        return Verdict(Status.STRUCTURE, f"{len(replayed)} results, and {len(expected)} saved ones")
    operation = Operation(call.facts.base, call.facts.pointwise, call.args, call.kwargs, replayed)
    suspects = []
    for index, (a, b) in enumerate(zip(replayed, expected)):
        pair = Pair(str(index), a, b, a)
        problem = decision.form_verdict(pair, False)
        if problem is not None:
            return problem
        if not decision.agree(operation, pair, tolerance):
            suspects.append(pair)
    if not suspects:
        return PASSED
    certain = decision.certain_failure(operation, suspects, tolerance)
    return certain or decision.verdict_by_wide_limits(operation, suspects)


def _facts(saved: SavedCall, function: Callable[..., Any]) -> OpFacts:
    """Return the facts of a function for the judge, from the operator of the same name."""
    name = saved.function.rstrip("_") if not saved.function.startswith("__") else saved.function.strip("_")
    packet = getattr(torch.ops.aten, name, None)
    tags = [getattr(packet, overload).tags for overload in packet.overloads()] if packet is not None else []
    return OpFacts(
        name=saved.name,
        family=f"torch.ops.aten.{name}",
        base=f"aten.{name}",
        view=False,
        written=(),
        random=_is_random(function, saved),
        uninitialised=name.startswith(("empty", "new_empty")),
        collective=False,
        pointwise=any(torch.Tag.pointwise in each for each in tags),
        returns_written=False,
        takes_device=False,
        trusted=False,
    )


def _is_random(function: Callable[..., Any], saved: SavedCall) -> bool:
    """Return whether a function gives other results with other random numbers: dropout may be switched off."""
    results = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        try:
            results.append(PureFunction(function)(*saved.args, **saved.kwargs))
        except Exception:  # the judge says why
            return False
    return any(a.shape == b.shape and not closeness.same(a, b) for a, b in zip(*results) if isinstance(a, torch.Tensor))


def _words(verdict: Verdict) -> str:
    text = verdict.reason
    if isinstance(verdict.actual, torch.Tensor) and isinstance(verdict.expected, torch.Tensor):
        far = closeness.measures(verdict.actual.cpu(), verdict.expected) if verdict.status is Status.VALUES else None
        text += f" ({far})" if far else ""
    return text
