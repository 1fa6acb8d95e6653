"""A call of a dump again, from its saved arguments, judged with its saved results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import torch

from musa_tools.errors import ToolError
from musa_tools.judge import closeness, decision
from musa_tools.judge.closeness import Tolerance
from musa_tools.judge.decision import Operation, Pair
from musa_tools.judge.verdict import PASSED, Status, Verdict
from musa_tools.observe.api_table import find_function
from musa_tools.observe.op_facts import OpFacts
from musa_tools.replay import import_backend
from musa_tools.rerun.arguments import private_copy
from musa_tools.rerun.examine import Examination, examine
from musa_tools.rerun.reference import Call
from musa_tools.saved_call import SavedCall, read_call
from musa_tools.tensors.nests import leaves, mapped
from musa_tools.tensors.places import listed
from musa_tools.watch.single_op import device_to_run_on

_DEFAULT = 1e-3  # where a user gives one of atol and rtol, as for CompareWithCPU


def replay_call(
    dump: Path, name: str, device: Optional[str], tolerances: tuple[Optional[float], Optional[float]]
) -> int:
    """Run a call of a dump again, print how its result compares with the saved one; return the exit status.

    Args:
        dump: A folder of PrecisionDebugger, or a file in it.
        name: The call.
        device: Where to run; without it, this machine's accelerator.
        tolerances: The absolute and the relative one. Without them, both results are held against the CPU's.
    """
    saved = read_call(dump, name)
    function = find_function(saved.kind, saved.function)
    if function is None:
        raise ToolError(f"{name} is not run: PyTorch has no function {saved.kind}.{saved.function} of tensors")
    if not any(isinstance(leaf, torch.Tensor) for _, leaf in leaves(saved.outputs)):
        raise ToolError(f"{name} has returned no tensor, so there is nothing to compare")
    import_backend(device or "")
    place = device_to_run_on(device)
    replayed = _run(function, saved, place)
    tolerance = None
    if tolerances != (None, None):
        tolerance = Tolerance(*(_DEFAULT if each is None else each for each in tolerances))
    lines, good = _judged(saved, function, replayed, tolerance, str(place))
    print("\n".join(lines))
    return 0 if good else 1


def _run(function: Callable[..., Any], saved: SavedCall, device: torch.device) -> list[Any]:
    def moved(leaf: Any) -> Any:
        return leaf.to(device) if isinstance(leaf, torch.Tensor) else device if _is_device(leaf) else leaf

    try:
        args, kwargs = mapped(private_copy((saved.args, saved.kwargs)), moved)
        outputs = _Function(function)(*args, **kwargs)
        return [leaf.cpu() if isinstance(leaf, torch.Tensor) else leaf for leaf in outputs]
    except (RuntimeError, TypeError, ValueError, IndexError, AssertionError) as error:
        text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ToolError(f"{saved.name} cannot be run on {device} with these arguments: {text}") from error


def _is_device(leaf: Any) -> bool:
    return isinstance(leaf, torch.device)


class _Function:
    """A function that writes to copies of its arguments only, and returns its results as a flat list."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> list[Any]:
        args, kwargs = private_copy((args, kwargs)) if _on_cpu((args, kwargs)) else (args, kwargs)
        with torch.no_grad():
            return _flat(listed(self._function(*args, **kwargs)))


def _flat(outputs: Any) -> list[Any]:
    return [leaf for _, leaf in leaves(list(outputs))]


def _on_cpu(values: Any) -> bool:
    return all(leaf.device.type == "cpu" for _, leaf in leaves(values) if isinstance(leaf, torch.Tensor))


def _judged(
    saved: SavedCall, function: Callable[..., Any], replayed: list[Any], tolerance: Optional[Tolerance], device: str
) -> tuple[list[str], bool]:
    """Return lines for the user, and whether the two results agree."""
    call = Call(_Function(function), _facts(saved, function), saved.args, saved.kwargs)
    expected = _flat(saved.outputs)
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
    """Return what the judge asks about a function; an operator of the same name knows most of it."""
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
        places=False,
        trusted=False,
    )


def _is_random(function: Callable[..., Any], saved: SavedCall) -> bool:
    """Return whether a function gives other results with other random numbers: dropout may be switched off."""
    results = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        try:
            results.append(_Function(function)(*saved.args, **saved.kwargs))
        except Exception:  # the judge says why
            return False
    return any(a.shape == b.shape and not closeness.same(a, b) for a, b in zip(*results) if isinstance(a, torch.Tensor))


def _words(verdict: Verdict) -> str:
    text = verdict.reason
    if isinstance(verdict.actual, torch.Tensor) and isinstance(verdict.expected, torch.Tensor):
        far = closeness.measures(verdict.actual.cpu(), verdict.expected) if verdict.status is Status.VALUES else None
        text += f" ({far})" if far else ""
    return text
