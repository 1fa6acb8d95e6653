"""Judge the results of an operator by running it again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Optional

import torch

from musa_tools.judge import closeness, nonfinite, ties
from musa_tools.judge.closeness import Tolerance
from musa_tools.judge.lengths import is_elementwise, may_cancel, reduced_length
from musa_tools.judge.numbers import accumulation_step, epsilon, exact, is_float
from musa_tools.judge.opinion import as_good
from musa_tools.judge.verdict import PASSED, Status, Verdict
from musa_tools.observe.op_facts import OpFacts
from musa_tools.rerun.reference import Call, Reference
from musa_tools.tensors.nests import leaves

JUDGE_FAILED = "the results could not be judged:"
# Matrices of singular or eigenvectors: every sign, or phase, is right.
_NOT_UNIQUE = {
    "aten._linalg_svd": ("0", "2"),
    "aten._linalg_eigh": ("1",),
    "aten.linalg_eig": ("1",),
    "aten._linalg_eigvals": (),
}
# Results with places that the operator does not write to.
_PARTLY_WRITTEN = {"aten._ctc_loss": ("1",)}
_PLAIN = (torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.bool)
_COMPARABLE = (bool, int, float, complex, str)
# Elementwise operators that add products: a fused multiplication and addition gives other digits.
_CANCELS = re.compile(r"addc|lerp|add|sub|polar|_foreach|fused|polynomial")


@dataclass(frozen=True)
class Pair:
    """One value of the operator that was watched, and what the CPU has in its place."""

    path: str
    actual: Any  # on the CPU
    expected: Any
    original: Any  # where it lives


@dataclass(frozen=True)
class Examination:
    """The verdict and what was found on the way."""

    verdict: Verdict
    raised_because: str = ""
    note: str = ""


def examine(call: Call, outputs: Any, written: tuple[Any, ...], tolerance: Optional[Tolerance]) -> Examination:
    """Run a call on the CPU and compare.

    Args:
        call: The operator with its arguments on the CPU, as they were before it ran.
        outputs: What it returned.
        written: The arguments that it writes to, afterwards.
        tolerance: What the user allows; None judges by rounding errors.
    """
    facts = call.facts
    reference = call.run()
    if reference.failed:
        return Examination(Verdict(Status.UNTESTED, reference.reason))
    if _plainly_equal(facts, outputs, reference):
        return Examination(PASSED)
    pairs = list(_pairs(outputs, written, reference))
    for pair in pairs:
        problem = _form(pair, bool(reference.raised_because))
        if problem is not None:
            return Examination(problem, reference.raised_because)
    if facts.uninitialised or facts.random:
        word = "random" if facts.random else "uninitialised"
        return Examination(PASSED, reference.raised_because, note=f"{word} values: only shape and dtype are compared")
    suspects = [pair for pair in pairs if not _agree(call, pair, tolerance, outputs)]
    if not suspects:
        return Examination(PASSED, reference.raised_because)
    return Examination(_second_opinion(call, suspects, reference, outputs, tolerance), reference.raised_because)


def examine_safely(call: Call, outputs: Any, written: tuple[Any, ...], tolerance: Optional[Tolerance]) -> Examination:
    """Do the same, and return UNTESTED where the judge is at a loss: the program that is watched must not pay for it.

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


def _plainly_equal(facts: OpFacts, outputs: Any, reference: Reference) -> bool:
    """Return whether the one result of an operator is bit for bit the CPU's, which most results are."""
    expected = reference.outputs
    return (
        type(outputs) is torch.Tensor
        and type(expected) is torch.Tensor
        and (not facts.written or facts.in_place)
        and not (facts.random or facts.uninitialised or reference.raised_because)
        and outputs.dtype == expected.dtype
        and outputs.dtype in _PLAIN
        and outputs.layout == expected.layout == torch.strided
        and outputs.shape == expected.shape
        and closeness.identical(on_cpu(outputs), expected)
    )


def _pairs(outputs: Any, written: tuple[Any, ...], reference: Reference) -> Iterator[Pair]:
    """Return what is to be compared: results, and written arguments that are not among the results."""
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


def _form(pair: Pair, floats_were_raised: bool) -> Optional[Verdict]:
    """Return a verdict where structure, shape or dtype differ."""
    a, b = pair.actual, pair.expected
    if isinstance(a, tuple) or isinstance(a, torch.Tensor) != isinstance(b, torch.Tensor):
        return Verdict(Status.STRUCTURE, "the results have different structures", pair.path, pair.original, b)
    if not isinstance(a, torch.Tensor):
        return None
    if a.shape != b.shape:
        text = f"Shapes are not equal: {tuple(a.shape)} vs {tuple(b.shape)}"
        return Verdict(Status.SHAPE, text, pair.path, pair.original, b)
    both_float = is_float(a.dtype) and is_float(b.dtype) and a.dtype.is_complex == b.dtype.is_complex
    if a.dtype != b.dtype and not (floats_were_raised and both_float):
        return Verdict(Status.DTYPE, f"Dtypes are not equal: {a.dtype} vs {b.dtype}", pair.path, pair.original, b)
    if a.layout != torch.strided or a.is_quantized or a.is_nested:
        kind = "quantized" if a.is_quantized else "nested" if a.is_nested else str(a.layout)
        return Verdict(Status.UNTESTED, f"cannot compare a {kind} tensor", pair.path, pair.original, b)
    return None


def _agree(call: Call, pair: Pair, tolerance: Optional[Tolerance], outputs: Any) -> bool:
    """Return whether two values agree without any doubt."""
    a, b = pair.actual, pair.expected
    if not isinstance(a, torch.Tensor):
        return not isinstance(a, _COMPARABLE) or a == b or (a != a and b != b)
    if not a.numel() or pair.path in _PARTLY_WRITTEN.get(call.facts.base, ()):
        return True
    if a.dtype != b.dtype:
        b = b.to(a.dtype)  # the CPU computed in float32
    if closeness.same(a, b):
        return True
    if nonfinite.only_moves(call.facts.base):
        return False
    if not is_float(a.dtype):
        return ties.point_to_equal_values(call.facts.base, call.args, call.kwargs, a, b)
    if pair.path in _NOT_UNIQUE.get(call.facts.base, ()):
        a, b = a.abs(), b.abs()
    if not closeness.nonfinite_agree(a, b):
        return False
    if tolerance is not None:
        return closeness.within(a, pair.expected, tolerance)
    return closeness.within_rounding(a, b, _length(call, outputs), may_cancel(call.facts.base))


def _length(call: Call, outputs: Any) -> int:
    return reduced_length(call.facts.base, call.facts.pointwise, call.args, outputs)


def _second_opinion(
    call: Call, suspects: list[Pair], reference: Reference, outputs: Any, tolerance: Optional[Tolerance]
) -> Verdict:
    """Ask double precision about values that differ. A user's own tolerance is final."""
    worst = _first_failure(call.facts.base, suspects, tolerance)
    if worst is not None:
        return worst
    dtypes = [pair.actual.dtype for pair in suspects]
    # A sum is formed in float32 at least; the few terms of an elementwise operator may be rounded one by one.
    rounding = epsilon if call.facts.pointwise else accumulation_step
    step = max(rounding(dtype) for dtype in dtypes) / 2
    cancels = _cancels(call, outputs) or any(dtype.is_complex for dtype in dtypes)
    precise = call.run_precisely(disturb=cancels, step=step)
    if precise is None:
        return _without_opinion(call, suspects, outputs)
    best = {pair.path: pair.expected for pair in _pairs(reference.outputs, reference.written, precise[0])}
    others = [
        {pair.path: pair.expected for pair in _pairs(reference.outputs, reference.written, other)}
        for other in precise[1]
    ]
    length = _length(call, outputs)
    for pair in suspects:
        truth = best.get(pair.path)
        if not isinstance(truth, torch.Tensor) or truth.shape != pair.actual.shape:
            return _without_opinion(call, suspects, outputs)
        expected = pair.expected.to(pair.actual.dtype)
        values = [pair.actual, expected, truth, *(other[pair.path] for other in others)]
        if pair.path in _NOT_UNIQUE.get(call.facts.base, ()):
            values = [value.abs() for value in values]
        bad = as_good(values[0], values[1], values[2], values[3:], length, may_cancel(call.facts.base))
        if bool(bad.any()):
            return Verdict(Status.VALUES, "Tensor values are not close", pair.path, pair.original, pair.expected)
    return Verdict(Status.PASS, "as good as the CPU, by double precision")


def _cancels(call: Call, outputs: Any) -> bool:
    """Return whether digits may be lost where terms of an element cancel each other."""
    facts = call.facts
    if not is_elementwise(facts.base, facts.pointwise, call.args, outputs):
        return True
    if facts.base in ("aten.add", "aten.sub", "aten.add_", "aten.sub_") and call.kwargs.get("alpha", 1) == 1:
        return False  # one rounding: every right result is the same
    return _CANCELS.search(facts.base) is not None


def _first_failure(base: str, suspects: list[Pair], tolerance: Optional[Tolerance]) -> Optional[Verdict]:
    for pair in suspects:
        a, b = pair.actual, pair.expected
        if not isinstance(a, torch.Tensor):
            return Verdict(Status.VALUES, f"Values are not equal: {a} vs {b}", pair.path, pair.original, b)
        if is_float(a.dtype) and not closeness.nonfinite_agree(a, b.to(a.dtype)):
            return Verdict(Status.NONFINITE, "Tensor values are not close", pair.path, pair.original, b)
        if tolerance is not None or not is_float(a.dtype) or nonfinite.only_moves(base):
            return Verdict(Status.VALUES, "Tensor values are not close", pair.path, pair.original, b)
    return None


def _without_opinion(call: Call, suspects: list[Pair], outputs: Any) -> Verdict:
    """Judge by wide limits where the CPU has no double precision."""
    root = _length(call, outputs) ** 0.5
    for pair in suspects:
        limit = 8 * root * epsilon(pair.actual.dtype)
        scale = float(exact(pair.expected).abs().nan_to_num(0.0, 0.0, 0.0).amax())
        if not closeness.within(pair.actual, pair.expected, Tolerance(limit * scale / 8, limit)):
            return Verdict(Status.VALUES, "Tensor values are not close", pair.path, pair.original, pair.expected)
    return Verdict(Status.PASS, "within rounding errors; the CPU has no double precision to ask")
