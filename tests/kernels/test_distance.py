"""Distances between rows against PyTorch's CPU: norms, batches, gradients."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from .compare import compare, computed_by_cpu

NORMS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, torch.inf)


@pytest.mark.parametrize("norm", NORMS)
def test_distances(norm: float) -> None:
    for dtype in (torch.float32, torch.float64):
        left, right = torch.randn(2, 5, 4, dtype=dtype), torch.randn(2, 3, 4, dtype=dtype)
        right[0, 0] = left[0, 1]  # a distance of 0
        keywords = {"p": norm, "compute_mode": "donot_use_mm_for_euclid_dist"}
        for one, other in ((left, right), (left[0], right[0]), (left[:1], right), (left.transpose(1, 2), left.mT)):
            compare(
                torch.cdist, one.clone().requires_grad_(), other.clone().requires_grad_(), keywords=keywords,
                gradients=True, close={"rtol": 1e-4, "atol": 1e-4},
            )  # fmt: skip
        compare(F.pdist, left[0].clone().requires_grad_(), norm, gradients=True, close={"rtol": 1e-4, "atol": 1e-4})
    compare(torch.cdist, left[:, :0], right)
    compare(F.pdist, left[0, :1])
    assert not [name for name in computed_by_cpu() if "dist_" in name]


def test_many_rows_are_multiplied() -> None:
    left, right = torch.randn(30, 6), torch.randn(40, 6)
    compare(
        torch.cdist, left.requires_grad_(), right.requires_grad_(), gradients=True, close={"rtol": 1e-3, "atol": 1e-2}
    )
