"""Is a value of one dump as good as the other's? The rules of msprobe, of ptdbg_ascend, and ours. Pure."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Optional

from musa_tools.judge.measures import Measures


class Mark(enum.Enum):
    """The verdict on a pair of values, from good to bad."""

    PASS = "pass"
    UNMATCHED = "unmatched"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """Return how bad it is."""
        return list(Mark).index(self)


@dataclass(frozen=True)
class Judgement:
    """A mark and its reasons."""

    mark: Mark
    reasons: tuple[str, ...] = ()


_GROWTH = 10.0

Judge = Callable[[Measures, Sequence[Measures], bool], Judgement]


def msprobe(measured: Measures, inputs: Sequence[Measures], is_output: bool) -> Judgement:
    """Judge a pair of values as msprobe does.

    Args:
        measured: The measures of the two values.
        inputs: The inputs and parameters of the same call.
        is_output: Whether the values are results.
    """
    errors = _structure(measured)
    warnings: list[str] = []
    if measured.nonfinite_differ:
        errors.append(_nonfinite(measured))
    if measured.digest_equal is False and measured.distance is None:
        errors.append("the digests differ")
    if is_output:
        _by_elements(measured, inputs, errors, warnings)
        _by_norm(measured, inputs, errors, warnings)
    return _judgement(errors, warnings)


def growth(measured: Measures, inputs: Sequence[Measures], is_output: bool) -> Judgement:
    """Judge a pair of values as msprobe does; and results that are much farther apart than the inputs are wrong.

    Args:
        measured: The measures of the two values.
        inputs: The inputs and parameters of the same call.
        is_output: Whether the values are results.
    """
    first = msprobe(measured, inputs, is_output)
    if is_output and grows(measured, inputs):
        agree = f"agree to {worst(inputs):.1e}" if worst(inputs) else "are the same"
        words = f"the inputs {agree}, the result agrees to {measured.error:.1e} only"
        return Judgement(Mark.ERROR, (*first.reasons, words) if measured.error != float("inf") else first.reasons)
    if first.mark is Mark.PASS and measured.different:
        return Judgement(Mark.WARNING, (f"differs by {measured.error:.1e}, {measured.allowed:.0e} is usual",))
    return first


def ptdbg(measured: Measures, inputs: Sequence[Measures], is_output: bool) -> Judgement:
    """Judge a pair of values as ptdbg_ascend does: by its cosine and its largest difference.

    Args:
        measured: The measures of the two values.
        inputs: Not looked at.
        is_output: Not looked at.
    """
    errors = _structure(measured)
    if measured.nonfinite_differ:
        errors.append(_nonfinite(measured))
    cosine = measured.elements.cosine if measured.elements else None
    largest = measured.largest or 0.0
    if cosine is not None and cosine < 0.9:
        errors.append(f"the cosine is {cosine:.4f}")
    elif cosine is not None and cosine < 0.99 and largest > 1e-3:
        errors.append(f"the cosine is {cosine:.4f} and the largest difference {largest:.3g}")
    elif cosine is None and measured.elements and measured.elements.max_rel and measured.elements.max_rel > 1e-3:
        errors.append("one of both is zero")  # no direction: judged by the relative error
    if largest > 1:
        errors.append(f"the largest difference is {largest:.3g}")
    return _judgement(errors, [])


PROFILES: dict[str, Judge] = {"default": growth, "msprobe": msprobe, "ptdbg": ptdbg}


def without_content(measured: Measures, reason: str) -> Judgement:
    """Judge a pair of values by its structure alone.

    Args:
        measured: The measures of the two values.
        reason: Why their content says nothing.
    """
    errors = _structure(measured)
    return _judgement(errors, []) if errors else Judgement(Mark.PASS, (reason,))


def worst(measures: Sequence[Measures]) -> float:
    """Return the largest error of some measures, 0 for none."""
    return max((each.error for each in measures), default=0.0)


def grows(measured: Measures, inputs: Sequence[Measures]) -> bool:
    """Return whether a result is much farther from the other run's than the inputs explain.

    Args:
        measured: The result.
        inputs: The inputs and parameters.
    """
    before = worst(inputs)
    if before == float("inf"):
        return False
    # A whole number jumps where a rounding error tips the scales; with equal inputs there is nothing to tip.
    allowed = max(measured.allowed, 1e-2) if measured.allowed == 0.0 and before > 0 else measured.allowed
    return measured.error > allowed and measured.error > _GROWTH * before


def _structure(measured: Measures) -> list[str]:
    named = (
        (measured.shape_equal, "the shapes differ"),
        (measured.dtype_equal, "the dtypes differ"),
        (measured.scalar_equal, "the values differ"),
        (measured.grad_equal, "requires_grad differs"),
    )
    return [words for equal, words in named if not equal]


def _nonfinite(measured: Measures) -> str:
    if measured.nonfinite_left != measured.nonfinite_right:
        return "NaN or Inf in the first dump only" if measured.nonfinite_left else "NaN or Inf in the second dump only"
    return "NaN or Inf at other places"


def _by_elements(measured: Measures, inputs: Sequence[Measures], errors: list[str], warnings: list[str]) -> None:
    elements = [each.elements for each in inputs if each.elements is not None]
    if measured.elements is None or not elements:
        return
    shares = [each.one_thousandth for each in elements if each.one_thousandth is not None]
    share = measured.elements.one_thousandth
    if shares and share is not None and min(shares) > 0.9 and share < 0.6:
        errors.append(f"within 1/1000: inputs {min(shares):.0%} of the elements, result {share:.0%}")
    cosines = [each.cosine for each in elements if each.cosine is not None]
    cosine = measured.elements.cosine
    if cosines and cosine is not None and min(cosines) > 0.9 and min(cosines) - cosine > 0.1:
        warnings.append(f"the cosine falls from {min(cosines):.4f} to {cosine:.4f}")


def _by_norm(measured: Measures, inputs: Sequence[Measures], errors: list[str], warnings: list[str]) -> None:
    if measured.elements is not None or measured.negligible or measured.digest_equal:
        return
    before = [norm for each in inputs if (norm := _norm_error(each)) is not None]
    after = _norm_error(measured)
    if not before or after is None:
        return
    if max(before) < 0.1 and after > 0.5:
        errors.append(f"error of the norm: inputs {max(before):.1e}, result {after:.1e}")
    elif after > measured.allowed and after > _GROWTH * max(before):
        warnings.append(f"the error of the norm grows from {max(before):.1e} to {after:.1e}")


def _norm_error(measured: Measures) -> Optional[float]:
    return measured.differences["norm"].relative if measured.differences is not None else None


def _judgement(errors: list[str], warnings: list[str]) -> Judgement:
    mark = Mark.ERROR if errors else Mark.WARNING if warnings else Mark.PASS
    return Judgement(mark, (*errors, *warnings))
