"""Two tensors of two dumps, element by element, in double precision."""

from __future__ import annotations

from math import sqrt
from typing import Optional

import torch

from musa_tools.judge.measures import Elements

_CHUNK = 1 << 22  # elements at a time: memory stays bounded


class _Sums:
    """Sums over the chunks of two tensors; filled step by step."""

    def __init__(self) -> None:
        self.finite = self.nonzero = self.below_one = self.below_five = self.nonfinite_differ = 0
        self.squares_left = self.squares_right = self.product = self.squares = self.relative = 0.0
        self.max_abs = self.max_rel = 0.0

    def add(self, a: torch.Tensor, b: torch.Tensor) -> None:
        """Add a chunk of both tensors."""
        finite = torch.isfinite(a) & torch.isfinite(b)
        if not bool(finite.all()):
            same = (a == b) | (a.isnan() & b.isnan())
            self.nonfinite_differ += int((~finite & ~same).sum())
            a, b = a[finite], b[finite]
        if not a.numel():
            return
        difference = (a - b).abs()
        self.finite += a.numel()
        self.squares_left += float(a.dot(a))
        self.squares_right += float(b.dot(b))
        self.product += float(a.dot(b))
        self.squares += float(difference.dot(difference))
        self.max_abs = max(self.max_abs, float(difference.amax()))
        nonzero = b != 0
        relative = torch.where(nonzero, difference / b.abs(), torch.where(difference > 0, float("inf"), 0.0))
        self.max_rel = max(self.max_rel, float(relative.amax()))
        self.below_one += int((relative < 1e-3).sum())
        self.below_five += int((relative < 5e-3).sum())
        self.nonzero += int(nonzero.sum())
        self.relative += float(relative[nonzero].sum())


def measured(left: torch.Tensor, right: torch.Tensor, sampled: bool = False) -> Elements:
    """Compare two tensors of equal size.

    Args:
        left: The tensor to judge.
        right: The reference.
        sampled: Whether these are only some of the elements.
    """
    sums = _Sums()
    for a, b in zip(torch.split(_flat(left), _CHUNK), torch.split(_flat(right), _CHUNK)):
        sums.add(_double(a), _double(b))
    count = sums.finite
    if not count:
        return Elements(0, sampled, None, None, None, 0, None, None, None, None, None, None, sums.nonfinite_differ)
    longer = sqrt(max(sums.squares_left, sums.squares_right))
    return Elements(
        count,
        sampled,
        _cosine(sums),
        sqrt(sums.squares / count),
        sums.relative / sums.nonzero if sums.nonzero else None,
        count - sums.nonzero,
        sqrt(sums.squares),
        sums.max_abs,
        sums.max_rel,
        sums.below_one / count,
        sums.below_five / count,
        sqrt(sums.squares) / longer if longer else 0.0,
        sums.nonfinite_differ,
    )


def _cosine(sums: _Sums) -> Optional[float]:
    if not sums.squares:
        return 1.0
    if not sums.squares_left or not sums.squares_right:
        return None  # zeros have no direction
    cosine = sums.product / sqrt(sums.squares_left) / sqrt(sums.squares_right)
    return max(-1.0, min(1.0, cosine))


def _flat(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.dtype.is_complex:
        tensor = torch.view_as_real(tensor.resolve_conj().resolve_neg().to(torch.complex128))
    return tensor.reshape(-1)


def _double(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.dtype.is_floating_point and tensor.dtype.itemsize == 1:
        tensor = tensor.float()
    return tensor.double()
