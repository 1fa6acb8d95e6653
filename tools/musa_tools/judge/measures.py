"""The distance of two values of two dumps, and its limits. No torch: a dump may hold statistics only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, sqrt
from typing import NamedTuple, Optional


@dataclass(frozen=True)
class Elements:
    """Two tensors compared element by element. None: the figure has no meaning here, as a cosine with zeros.

    Attributes:
        sampled: Whether only some of the elements were in the dump.
        zeros_skipped: The number of elements whose reference is zero: ``mape`` leaves them out.
        nonfinite_differ: The number of elements with a NaN or an infinity on one side only.
    """

    count: int
    sampled: bool
    cosine: Optional[float]
    rmse: Optional[float]
    mape: Optional[float]
    zeros_skipped: int
    euclid: Optional[float]
    max_abs: Optional[float]
    max_rel: Optional[float]
    one_thousandth: Optional[float]
    five_thousandths: Optional[float]
    distance: Optional[float]
    nonfinite_differ: int


class Difference(NamedTuple):
    """The difference of one statistic of two tensors; None where it has no meaning."""

    absolute: Optional[float]
    relative: Optional[float]  # to the reference


@dataclass(frozen=True)
class Measures:
    """Two values side by side.

    Attributes:
        distance: The length of the difference, relative to the longer of both; from statistics, a lower bound.
        largest: The largest difference of two elements; from statistics, a lower bound.
        allowed: The limit of ``distance`` for this dtype.
        size: The largest element of both.
        differences: Those of the statistics, by name; None if the dumps have none in common.
        negligible: Whether any difference is right: rounding where large terms cancel, unwritten memory.
    """

    tensor: bool = True
    shape_equal: bool = True
    dtype_equal: bool = True
    grad_equal: bool = True
    scalar_equal: bool = True
    digest_equal: Optional[bool] = None
    nonfinite_left: bool = False
    nonfinite_right: bool = False
    distance: Optional[float] = None
    largest: Optional[float] = None
    allowed: float = 0.0
    size: float = 0.0
    negligible: bool = False
    elements: Optional[Elements] = None
    differences: Optional[Mapping[str, Difference]] = None

    @property
    def nonfinite_differ(self) -> bool:
        """Return whether NaN and infinities differ in presence or position."""
        here = self.nonfinite_left != self.nonfinite_right
        return here or (self.elements is not None and self.elements.nonfinite_differ > 0)

    @property
    def structure_equal(self) -> bool:
        """Return whether shape, dtype and plain value agree."""
        return self.shape_equal and self.dtype_equal and self.scalar_equal

    @property
    def error(self) -> float:
        """Return the distance; infinite where the two cannot be equal in any sense."""
        if self.negligible:
            return 0.0
        if not self.structure_equal or self.nonfinite_differ:
            return float("inf")
        return 0.0 if self.distance is None else self.distance

    @property
    def different(self) -> bool:
        """Return whether the two are farther apart than rounding explains."""
        return self.error > self.allowed


_EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
# A whole tensor, by its norm: errors of single elements average out, so few roundings are allowed where they are large.
_ALLOWED = {"float64": 1e-9, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}
_FLOAT8 = 0.25
_PAIRS = {"complex128": "float64", "cdouble": "float64", "double": "float64", "half": "float16", "float": "float32"}
_NOISE = 4.0  # roundings of the largest term


def kind_of(dtype: str) -> str:
    """Return the plain name of a dtype: ``float32`` of ``torch.float32``, ``torch.FloatTensor`` or ``complex64``."""
    name = dtype.rpartition(".")[2].lower().removesuffix("tensor")
    if name.startswith("complex"):
        return {"complex128": "float64", "complex32": "float16"}.get(name, "float32")
    return _PAIRS.get(name, name)


@lru_cache(maxsize=256)
def is_inexact(dtype: str) -> bool:
    """Return whether values of a dtype are rounded."""
    return kind_of(dtype) in _EPSILON or kind_of(dtype).startswith("float8")


@lru_cache(maxsize=256)
def allowed_distance(left: str, right: str) -> float:
    """Return how far apart two tensors may be, relative to their length; the coarser dtype decides.

    Args:
        left: The dtype of one.
        right: The dtype of the other.
    """
    return max(_ALLOWED.get(kind_of(each), _FLOAT8 if is_inexact(each) else 0.0) for each in (left, right))


def cancelling_noise(dtype: str, sizes: list[float], length: int) -> float:
    """Return the difference that rounding leaves in a sum of products whose terms cancel.

    Args:
        dtype: The dtype of the result.
        sizes: The largest element of each input.
        length: The number of terms of the sum.
    """
    largest = sorted((each for each in sizes if isfinite(each)), reverse=True)[:2]
    if not largest:
        return 0.0
    product = largest[0] * largest[1] if len(largest) > 1 else largest[0]
    return _NOISE * _EPSILON.get(kind_of(dtype), 0.0) * sqrt(max(length, 1)) * max(largest[0], product)
