"""Decide whether the results of an operator differ from the CPU's. This module is pure.

Three questions, in this order:

1. Do structure, shape and dtype agree (`form_verdict`)?
2. Are the values equal, or as close as rounding errors or the user's tolerance allow (`agree`)?
3. If not: is the result as good as the CPU's, compared with the CPU's in double precision (`precise_verdict`)?
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional

import torch

from musa_tools.judge import closeness, nonfinite, ties
from musa_tools.judge.closeness import Tolerance
from musa_tools.judge.double_precision import as_good, condition, errors_of_cpu
from musa_tools.judge.lengths import adds_into_result, image_side, is_elementwise, may_cancel, reduced_length
from musa_tools.judge.numbers import absolute_rounding, accumulation_step, epsilon, exact, is_float, relative_rounding
from musa_tools.judge.verdict import Status, Verdict

# Matrices of singular or eigenvectors, and the dimension of a vector: every sign, or phase, is right.
_NOT_UNIQUE: Mapping[str, Mapping[str, int]] = {
    "aten._linalg_svd": {"0": -2, "2": -1},
    "aten._linalg_eigh": {"1": -2},
    "aten.linalg_eig": {"1": -2},
}
# Results with elements that the operator does not write.
_PARTLY_WRITTEN = {"aten._ctc_loss": ("1",)}
# Results after the first are statistics. CUDA keeps them in float32, the CPU in the dtype of the input.
_NORMALIZATIONS = re.compile(r"(layer|group|batch|rms)_norm")
# Results for the operator's own backward pass, which devices fill or leave empty as they need.
_FOR_BACKWARD = {"aten.log_sigmoid_forward": ("1",)}
# For these, compare only the first result, unless the mode is max: then the others say which element of a bag is the
# largest.
_BAGS = ("aten._embedding_bag", "aten._embedding_bag_forward_only")
_MODE, _MAX = 4, 2  # the argument, and its value
_BIAS = 2  # the argument of a convolution
_COMPARABLE = (bool, int, float, complex, str)
# Elementwise operators that add products: a fused multiplication and addition gives other digits. Functions that
# oscillate: near a zero, the error of their phase, which is computed from the input, is larger than they are. And
# 1 + erf(x) where x is negative, or an incomplete gamma function as 1 minus the other one.
_CANCELS = re.compile(r"addc|lerp|add|sub|polar|_foreach|fused|polynomial|special_bessel|airy|gelu|igamma")


@dataclass(frozen=True)
class Operation:
    """The call that is judged.

    Attributes:
        base: The operator's name, as ``aten.mm``.
        pointwise: Whether PyTorch tags the operator as pointwise.
        args: Its arguments on the CPU.
        kwargs: Its keyword arguments.
        outputs: Its results.
    """

    base: str
    pointwise: bool
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    outputs: Any

    @property
    def length(self) -> int:
        """Return how many numbers the operator adds up for one element."""
        return reduced_length(self.base, self.pointwise, self.args, self.outputs)


@dataclass(frozen=True)
class Pair:
    """One result of the operator, and the CPU's.

    Attributes:
        path: The path among the results, as ``1.0``.
        actual: The result, copied to the CPU.
        expected: The CPU's result.
        original: The result on its own device.
    """

    path: str
    actual: Any
    expected: Any
    original: Any


def is_compared(base: str, args: Sequence[Any], kwargs: Mapping[str, Any], path: str) -> bool:
    """Return whether a result has a meaning outside the operator, or for its backward pass.

    Args:
        base: The operator's name.
        args: Its arguments.
        kwargs: Its keyword arguments.
        path: The path among the results.
    """
    if base in _BAGS:
        mode = args[_MODE] if len(args) > _MODE else kwargs.get("mode", 0)
        return path == "0" or mode == _MAX
    return path not in _FOR_BACKWARD.get(base, ())


def as_narrow(base: str, pair: Pair) -> Pair:
    """Return a pair with its first value cast to the CPU's dtype, if it is a statistic that a device keeps wider.

    Args:
        base: The operator's name.
        pair: Two values.
    """
    a, b = pair.actual, pair.expected
    if pair.path in ("", "0") or not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return pair
    wider = is_float(a.dtype) and is_float(b.dtype) and epsilon(a.dtype) < epsilon(b.dtype)
    return replace(pair, actual=a.to(b.dtype)) if wider and _NORMALIZATIONS.search(base) else pair


def form_verdict(pair: Pair, floats_were_raised: bool) -> Optional[Verdict]:
    """Return a verdict if structure, shape or dtype differ, or cannot be compared; otherwise None.

    Args:
        pair: The two results.
        floats_were_raised: Whether the CPU computed in float32, because it has no kernel for the dtype.
    """
    a, b = pair.actual, pair.expected
    if isinstance(a, tuple) or isinstance(a, torch.Tensor) != isinstance(b, torch.Tensor):
        return Verdict(Status.STRUCTURE, "the results have different structures", pair.path, pair.original, b)
    if not isinstance(a, torch.Tensor):
        return None
    if a.is_nested or b.is_nested:  # these have no shape
        return Verdict(Status.UNTESTED, "cannot compare a nested tensor", pair.path, pair.original, b)
    if a.shape != b.shape:
        text = f"Shapes are not equal: {tuple(a.shape)} vs {tuple(b.shape)}"
        return Verdict(Status.SHAPE, text, pair.path, pair.original, b)
    both_float = is_float(a.dtype) and is_float(b.dtype) and a.dtype.is_complex == b.dtype.is_complex
    if a.dtype != b.dtype and not (floats_were_raised and both_float):
        return Verdict(Status.DTYPE, f"Dtypes are not equal: {a.dtype} vs {b.dtype}", pair.path, pair.original, b)
    if a.layout != torch.strided or a.is_quantized:
        kind = "quantized" if a.is_quantized else str(a.layout)
        return Verdict(Status.UNTESTED, f"cannot compare a {kind} tensor", pair.path, pair.original, b)
    return None


def agree(operation: Operation, pair: Pair, tolerance: Optional[Tolerance]) -> bool:
    """Return whether two values agree. True is certain; False asks for a closer look, unless a tolerance was given.

    Args:
        operation: The call.
        pair: Two values of the same form.
        tolerance: The user's tolerance; None allows rounding errors.
    """
    a, b = pair.actual, pair.expected
    if not isinstance(a, torch.Tensor):
        return not isinstance(a, _COMPARABLE) or a == b or (a != a and b != b)
    if not a.numel() or pair.path in _PARTLY_WRITTEN.get(operation.base, ()):
        return True
    if a.dtype != b.dtype:
        b = b.to(a.dtype)  # the CPU computed in float32
    if closeness.same(a, b):
        return True
    if nonfinite.only_moves(operation.base):
        return False
    if not is_float(a.dtype):
        return ties.point_to_equal_values(operation.base, operation.args, operation.kwargs, a, b)
    if _is_not_unique(operation, pair):
        a, b = a.abs(), b.abs()
    if not closeness.nonfinite_agree(a, b):
        return False
    if tolerance is not None:
        return closeness.within(a, pair.expected, tolerance)
    return closeness.within_rounding(a, b, operation.length, may_cancel(operation.base))


def certain_failure(
    operation: Operation, suspects: Sequence[Pair], tolerance: Optional[Tolerance]
) -> Optional[Verdict]:
    """Return a verdict if double precision cannot excuse a difference; otherwise None.

    Args:
        operation: The call.
        suspects: The values that do not agree.
        tolerance: The user's tolerance, which is final.
    """
    for pair in suspects:
        a, b = pair.actual, pair.expected
        if not isinstance(a, torch.Tensor):
            return Verdict(Status.VALUES, f"Values are not equal: {a} vs {b}", pair.path, pair.original, b)
        if is_float(a.dtype) and not closeness.nonfinite_agree(a, b.to(a.dtype)):
            return Verdict(Status.NONFINITE, "Tensor values are not close", pair.path, pair.original, b)
        if tolerance is not None or not is_float(a.dtype) or nonfinite.only_moves(operation.base):
            return _not_close(pair)
    return None


def rounding_of_inputs(operation: Operation, pair: Pair) -> float:
    """Return the relative error of the inputs that has the same effect as rounding errors inside the operator.

    A sum is formed in float32 at least. The few terms of an elementwise operator may be rounded one by one.
    """
    return (epsilon if operation.pointwise else accumulation_step)(pair.actual.dtype) / 2


def _absolute_rounding(operation: Operation, pair: Pair, truth: torch.Tensor) -> Any:
    """Return how far a right result may be from the precise one, whatever its size."""
    dtype, base = pair.actual.dtype, operation.base
    largest = float(exact(truth).abs().nan_to_num(0.0, 0.0, 0.0).amax())
    in_own_dtype = adds_into_result(base, operation.args)
    allowed: Any = absolute_rounding(dtype, operation.length if may_cancel(base) else 1, largest, in_own_dtype)
    if base == "aten.gelu":  # x/2 (1 + erf x): as precise as x/2, however little the sum leaves of it
        inner = torch.promote_types(dtype, torch.float32)
        return allowed + relative_rounding(inner, 1) * exact(operation.args[0]).abs() / 2
    if base == "aten.convolution" and isinstance(operation.args[_BIAS], torch.Tensor):
        # Cards round the sum of products, then add the bias and round again.
        bias = float(exact(operation.args[_BIAS]).abs().nan_to_num(0.0, 0.0, 0.0).amax())
        allowed = allowed + epsilon(dtype) / 2 * (exact(truth).abs() + bias)
    # A position in an image is rounded, and the result follows it.
    return allowed + accumulation_step(dtype) / 2 * image_side(base, operation.args) * largest


def may_lose_digits(operation: Operation, suspects: Sequence[Pair]) -> bool:
    """Return whether digits may be lost because terms of an element cancel each other."""
    if any(pair.actual.dtype.is_complex for pair in suspects):
        return True
    base = operation.base
    if not is_elementwise(base, operation.pointwise, operation.args, operation.outputs):
        return True
    if base in ("aten.add", "aten.sub", "aten.add_", "aten.sub_") and operation.kwargs.get("alpha", 1) == 1:
        return False  # one rounding: every right result is the same
    return _CANCELS.search(base) is not None


@dataclass(frozen=True)
class OtherRuns:
    """Results of the CPU in other precisions, by their paths.

    Attributes:
        precise: In double precision.
        disturbed: The same, of inputs that were changed.
        step: The relative change.
        single: Of a call in double precision: pairs of results in single and in double precision, of the same inputs.
    """

    precise: Mapping[str, Any]
    disturbed: Sequence[Mapping[str, Any]]
    step: float
    single: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]


def precise_verdict(operation: Operation, suspects: Sequence[Pair], runs: OtherRuns) -> Verdict:
    """Judge values that do not agree, by the CPU's results in double precision.

    Args:
        operation: The call.
        suspects: The values that do not agree.
        runs: The CPU's other results.
    """
    for pair in suspects:
        truth = runs.precise.get(pair.path)
        if not isinstance(truth, torch.Tensor) or truth.shape != pair.actual.shape:
            return verdict_by_wide_limits(operation, suspects)
        lesser = [(single[pair.path], double[pair.path]) for single, double in runs.single]
        values = [pair.actual, pair.expected.to(pair.actual.dtype), truth, *(run[pair.path] for run in runs.disturbed)]
        if _is_not_unique(operation, pair):
            values = [value.abs() for value in values]
            lesser = [(single.abs(), double.abs()) for single, double in lesser]
        scale = rounding_of_inputs(operation, pair) / runs.step
        errors = errors_of_cpu(values[1], values[2], lesser)
        if _is_not_unique(operation, pair):  # an error turns a vector, and is as large in its small elements
            dimension = _NOT_UNIQUE[operation.base][pair.path]
            errors = [error.nan_to_num(0.0, 0.0, 0.0).amax(dimension, True).expand_as(error) for error in errors]
        bad = as_good(
            values[0],
            values[2],
            errors,
            [condition(other, values[2], scale) for other in values[3:]],
            relative_rounding(pair.actual.dtype, operation.length),
            _absolute_rounding(operation, pair, truth),
        )
        if bool(bad.any()):
            return _not_close(pair)
    return Verdict(Status.PASS, "as good as the CPU, by double precision")


def verdict_by_wide_limits(operation: Operation, suspects: Sequence[Pair]) -> Verdict:
    """Judge values that do not agree, where the CPU has no double precision to compare with."""
    root = operation.length**0.5
    for pair in suspects:
        limit = 8 * root * epsilon(pair.actual.dtype)
        scale = float(exact(pair.expected).abs().nan_to_num(0.0, 0.0, 0.0).amax())
        if not closeness.within(pair.actual, pair.expected, Tolerance(limit * scale / 8, limit)):
            return _not_close(pair)
    return Verdict(Status.PASS, "within rounding errors; the CPU has no double precision to ask")


def _is_not_unique(operation: Operation, pair: Pair) -> bool:
    return pair.path in _NOT_UNIQUE.get(operation.base, {})


def _not_close(pair: Pair) -> Verdict:
    return Verdict(Status.VALUES, "Tensor values are not close", pair.path, pair.original, pair.expected)
