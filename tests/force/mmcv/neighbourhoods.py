"""Operators over windows, neighbours and voxels, which mmcv has for CUDA alone: against formulas in PyTorch."""

from __future__ import annotations

import mmcv.ops as ops
import torch
import torch.nn.functional as functional
from precision import ALL, FLOATS, agree
from table import OPERATORS
from torch import Tensor
from twins import features

FORMULA = "a formula"


@OPERATORS("correlation", "shifted products", ALL)
def _(dtype: str) -> None:
    def formula(a: Tensor, b: Tensor) -> Tensor:
        padded = functional.pad(b, (2, 2, 2, 2))
        h, w = a.shape[2:]
        rows = [[(a * padded[:, :, i : i + h, j : j + w]).sum(1) for j in range(5)] for i in range(5)]
        return torch.stack([torch.stack(row, 1) for row in rows], 1)

    inputs = [features(2, 3, 6, 7), features(2, 3, 6, 7)]
    agree(dtype, formula, inputs, other_device=ops.Correlation(max_displacement=2), half=2e-2, double=1e-6)


@OPERATORS("carafe", "weighted neighbourhoods", ALL)
def _(dtype: str) -> None:
    inputs = [features(2, 4, 5, 6), torch.rand(2, 2 * 9, 10, 12, requires_grad=True)]
    for call in (ops.carafe, ops.carafe_naive):
        agree(dtype, carafe_formula, inputs, other_device=lambda x, m, call=call: call(x, m, 3, 2, 2), half=2e-2)


def carafe_formula(x: Tensor, mask: Tensor) -> Tensor:
    """Each output pixel is the sum of the 3x3 pixels around its source, weighted by its own mask; two groups."""
    n, c, h, w = x.shape
    around = functional.unfold(x, 3, padding=1).reshape(n, 2, c // 2, 9, h, w)
    around = around.repeat_interleave(2, 4).repeat_interleave(2, 5)
    return (around * mask.reshape(n, 2, 1, 9, 2 * h, 2 * w)).sum(3).reshape(n, c, 2 * h, 2 * w)


@OPERATORS("assign_score_withk", FORMULA, ALL)
def _(dtype: str) -> None:
    def formula(scores: Tensor, points: Tensor, centers: Tensor, knn: Tensor) -> Tensor:
        # scores (B, P, K, M), points and centers (B, N, M, O), knn (B, P, K): the first of K is the centre itself
        picked = torch.stack([points[b][knn[b]] for b in range(len(knn))])
        centre = torch.stack([centers[b][knn[b, :, :1]] for b in range(len(knn))])
        return (scores[..., None] * (picked - centre)).sum(3).permute(0, 3, 1, 2)

    inputs = [
        torch.rand(2, 6, 4, 3, requires_grad=True),
        features(2, 9, 3, 5),
        features(2, 9, 3, 5),
        torch.randint(0, 9, (2, 6, 4)),
    ]
    agree(dtype, formula, inputs, other_device=ops.assign_score_withk, half=2e-2)


@OPERATORS("dynamic_scatter", "means and maxima of voxels", FLOATS)
def _(dtype: str) -> None:
    coors = torch.randint(0, 3, (60, 3), dtype=torch.int32)
    for reduce in ("mean", "max"):

        def formula(x: Tensor, coors: Tensor, reduce: str = reduce) -> tuple[Tensor, Tensor]:
            voxels, which = coors.unique(dim=0, return_inverse=True)
            rows = [x[which == v] for v in range(len(voxels))]
            return torch.stack([r.mean(0) if reduce == "mean" else r.max(0).values for r in rows]), voxels

        agree(
            dtype,
            formula,
            [features(60, 4), coors],
            other_device=lambda x, c, reduce=reduce: ops.dynamic_scatter(x, c, reduce),
        )
