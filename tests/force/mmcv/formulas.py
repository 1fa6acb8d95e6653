"""Operators that mmcv has for CUDA alone: against formulas in PyTorch on the CPU."""

from __future__ import annotations

import mmcv.ops as ops
import torch
import torch.nn.functional as functional
from mmcv import _ext
from mmcv.ops import bias_act as bias_act_module
from mmcv.ops import upfirdn2d as upfirdn2d_module
from mmcv.ops.multi_scale_deform_attn import (
    MultiScaleDeformableAttnFunction,
    multi_scale_deformable_attn_pytorch,
)
from precision import ALL, agree
from table import OPERATORS
from torch import Tensor
from twins import features

FORMULA = "a formula"
REFERENCE = "mmcv's reference in Python"
SORTED = "sorting by distance"


def squared_distances(a: Tensor, b: Tensor) -> Tensor:
    """(B, n, 3) and (B, m, 3) to (B, n, m)."""
    return ((a[:, :, None] - b[:, None]) ** 2).sum(-1)


@OPERATORS("sigmoid_focal_loss", FORMULA, ALL)
def _(dtype: str) -> None:
    def formula(x: Tensor, target: Tensor) -> Tensor:
        wanted = functional.one_hot(target, x.shape[1] + 1)[:, : x.shape[1]].to(x.dtype)
        p = x.sigmoid()
        at = wanted * p + (1 - wanted) * (1 - p)
        alpha = wanted * 0.25 + (1 - wanted) * 0.75
        return (-alpha * (1 - at) ** 2 * at.log()).mean()

    agree(
        dtype,
        formula,
        [features(50, 7), torch.randint(0, 8, (50,))],
        other_device=lambda x, t: ops.sigmoid_focal_loss(x, t, 2.0, 0.25, None, "sum") / x.numel(),
        double=1e-8,
    )


@OPERATORS("softmax_focal_loss", FORMULA, ALL)
def _(dtype: str) -> None:
    def formula(x: Tensor, target: Tensor) -> Tensor:
        at = x.softmax(1).gather(1, target[:, None])[:, 0]
        return (-0.25 * (1 - at) ** 2 * at.log()).mean()

    agree(
        dtype,
        formula,
        [features(50, 7), torch.randint(0, 7, (50,))],
        other_device=lambda x, t: ops.softmax_focal_loss(x, t, 2.0, 0.25, None, "sum") / len(x),
    )


def grid(*shape: int) -> Tensor:
    """Points (*shape, 3) with coordinates of whole eighths below 1: their squared distances are exact in float16."""
    return torch.randint(0, 8, (*shape, 3)) / 8


def in_balls(points: Tensor, centers: Tensor, radius: float, none: int = 0) -> Tensor:
    """(batch, centers, 5): the first five of `points` around each center; the first again, `none` where none is."""
    near = squared_distances(centers, points) < radius**2
    out = torch.full((*near.shape[:2], 5), 0, dtype=torch.int32)
    for b, c in torch.cartesian_prod(torch.arange(near.shape[0]), torch.arange(near.shape[1])).tolist():
        found = near[b, c].nonzero()[:5, 0].int()
        out[b, c, 0] = none
        if len(found):
            out[b, c] = found[0]
            out[b, c, : len(found)] = found
    return out


@OPERATORS("ball_query", SORTED, ALL)
def _(dtype: str) -> None:
    agree(
        dtype,
        lambda p, c: in_balls(p, c, 0.3),
        [grid(2, 100), grid(2, 20)],
        other_device=lambda p, c: ops.ball_query(0, 0.3, 5, p, c),
    )


@OPERATORS("knn", SORTED, ALL)
def _(dtype: str) -> None:
    """By the distances of the points found, for points at one distance have no order."""

    def formula(points: Tensor, centers: Tensor) -> Tensor:
        return squared_distances(centers, points).topk(4, largest=False).values

    def on_device(points: Tensor, centers: Tensor) -> Tensor:
        found = torch.zeros(2, 20, 4, dtype=torch.int32, device=points.device)
        if dtype == "float32":
            found = ops.knn(4, points, centers).transpose(1, 2)
        else:  # mmcv's Python side always makes room for float32
            _ext.knn_forward(points, centers, found, points.new_zeros(2, 20, 4), b=2, n=90, m=20, nsample=4)
        assert all(len(set(row)) == 4 for batch in found.tolist() for row in batch), "a point was found twice"
        return squared_distances(centers, points).gather(2, found.long())

    agree(dtype, formula, [grid(2, 90), grid(2, 20)], other_device=on_device)


@OPERATORS("three_nn", SORTED, ALL)
def _(dtype: str) -> None:
    """By the distances, and by those of the points found: points at one distance have no order."""

    def formula(target: Tensor, source: Tensor) -> tuple[Tensor, Tensor]:
        found = squared_distances(target, source).topk(3, largest=False).values.sqrt()
        return found, found

    def on_device(target: Tensor, source: Tensor) -> tuple[Tensor, Tensor]:
        distances, found = ops.three_nn(target, source)
        return distances, squared_distances(target, source).gather(2, found.long()).sqrt()

    agree(dtype, formula, [grid(2, 33), grid(2, 50)], other_device=on_device)


@OPERATORS("three_interpolate", FORMULA, ALL)
def _(dtype: str) -> None:
    def formula(x: Tensor, indices: Tensor, weight: Tensor) -> Tensor:
        picked = torch.stack([x[b][:, indices[b].long()] for b in range(x.shape[0])])
        return (picked * weight[:, None]).sum(-1)

    inputs = [features(2, 5, 20), torch.randint(0, 20, (2, 33, 3), dtype=torch.int32), torch.rand(2, 33, 3)]
    agree(dtype, formula, inputs, other_device=ops.three_interpolate, half=1e-2)


@OPERATORS("gather_points", FORMULA, ALL)
def _(dtype: str) -> None:
    def formula(x: Tensor, indices: Tensor) -> Tensor:
        return x.gather(2, indices.long()[:, None].expand(-1, x.shape[1], -1))

    inputs = [features(2, 5, 30), torch.randint(0, 30, (2, 17), dtype=torch.int32)]
    agree(dtype, formula, inputs, other_device=ops.gather_points)


@OPERATORS("group_points", FORMULA, ALL)
def _(dtype: str) -> None:
    def formula(x: Tensor, indices: Tensor) -> Tensor:
        return torch.stack([x[b][:, indices[b].long()] for b in range(x.shape[0])])

    inputs = [features(2, 5, 30), torch.randint(0, 30, (2, 17, 4), dtype=torch.int32)]
    agree(dtype, formula, inputs, other_device=ops.grouping_operation, half=1e-2)


RACE = "a race in mmcv's kernel: no barrier between reading dists_i[0] and writing it in the next round"


@OPERATORS("furthest_point_sample", "the greedy choice, step by step", known=RACE)
def _(dtype: str) -> None:
    def formula(points: Tensor) -> Tensor:
        return greedy(squared_distances(points, points))

    agree(dtype, formula, [torch.rand(2, 100, 3)], other_device=lambda p: ops.furthest_point_sample(p, 12))


@OPERATORS("furthest_point_sample_with_dist", "the greedy choice, step by step", known=RACE)
def _(dtype: str) -> None:
    distances = squared_distances(torch.rand(2, 100, 3), torch.rand(2, 100, 3))
    agree(dtype, greedy, [distances], other_device=lambda d: ops.furthest_point_sample_with_dist(d, 12))


def greedy(distances: Tensor) -> Tensor:
    """Twelve points, each the one that is furthest from those before it, the first one first."""
    chosen = torch.zeros(distances.shape[0], 12, dtype=torch.int32)
    for b in range(distances.shape[0]):
        nearest = torch.full(distances.shape[2:], 1e10)
        for step in range(1, 12):
            nearest = torch.minimum(nearest, distances[b, int(chosen[b, step - 1])])
            chosen[b, step] = int(nearest.argmax())
    return chosen


@OPERATORS("chamfer_distance", SORTED, ALL)
def _(dtype: str) -> None:
    def formula(a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        distances = squared_distances(a, b)
        first, second = distances.min(2), distances.min(1)
        return first.values, second.values, first.indices.int(), second.indices.int()

    # Two sets of one size: for others mmcv's gradient mixes up the two sizes and leaves the arrays. The second is the
    # first in another order and moved a little, so that no rounding changes which point is the nearest.
    where = torch.stack([torch.randperm(64)[:40] for _ in range(2)])
    first = torch.stack([where % 8, where // 8], 2) / 4
    second = torch.stack([points[torch.randperm(40)] for points in first]) + (torch.rand(2, 40, 2) - 0.5) / 8
    inputs = [first.requires_grad_(), second.requires_grad_()]
    agree(dtype, formula, inputs, other_device=ops.chamfer_distance)


@OPERATORS("ms_deform_attn", REFERENCE, ALL)
def _(dtype: str) -> None:
    shapes = torch.tensor([[8, 4], [4, 2]])
    starts = torch.tensor([0, 32])
    locations = torch.rand(2, 7, 2, 2, 3, 2)
    if dtype == "float16":  # exact, and between pixels: at a pixel slopes change
        locations = (locations * 16).floor() / 16 + 1 / 32
    locations.requires_grad_()
    weight = torch.rand(2, 7, 2, 2, 3, requires_grad=True)

    def on_device(value: Tensor, locations: Tensor, weight: Tensor) -> Tensor:
        result: Tensor = MultiScaleDeformableAttnFunction.apply(
            value, shapes.musa(), starts.musa(), locations, weight, 2
        )
        return result

    agree(
        dtype,
        lambda v, p, w: multi_scale_deformable_attn_pytorch(v, shapes, p, w),
        [features(2, 40, 2, 4), locations, weight],
        other_device=on_device,
        near=1e-4,
        half=5e-2,
    )


@OPERATORS("fused_bias_leakyrelu", FORMULA, ALL)
def _(dtype: str) -> None:
    def formula(x: Tensor, bias: Tensor) -> Tensor:
        return functional.leaky_relu(x + bias[None, :, None, None], 0.2) * 2**0.5

    agree(
        dtype,
        formula,
        [features(2, 3, 5, 4), features(3)],
        other_device=ops.fused_bias_leakyrelu,
        half=1e-2,
        double=1e-6,
    )


@OPERATORS("bias_act", REFERENCE, ALL)
def _(dtype: str) -> None:
    for act in ("linear", "relu", "lrelu", "tanh", "sigmoid", "elu", "selu", "softplus", "swish"):
        agree(
            dtype,
            lambda x, b, a=act: bias_act_reference(x, b, act=a),
            [features(2, 3, 5), features(3)],
            other_device=lambda x, b, a=act: ops.bias_act(x, b, act=a),
            half=1e-2,
            double=1e-6,
        )


@OPERATORS("upfirdn2d", REFERENCE, ALL)
def _(dtype: str) -> None:
    taps = torch.rand(4, 4)  # float32, whatever the type of the image
    for up, down in ((1, 1), (2, 1), (1, 2)):
        agree(
            dtype,
            lambda x, u=up, d=down: upfirdn2d_reference(x, taps, up=u, down=d, padding=1),
            [features(2, 3, 9, 8)],
            other_device=lambda x, u=up, d=down: ops.upfirdn2d(x, taps.musa(), up=u, down=d, padding=1),
            half=2e-2,
        )


def bias_act_reference(x: Tensor, b: Tensor, act: str) -> Tensor:
    result: Tensor = _module(bias_act_module)._bias_act_ref(x, b, act=act)
    return result


def upfirdn2d_reference(x: Tensor, f: Tensor, **options: int) -> Tensor:
    result: Tensor = _module(upfirdn2d_module)._upfirdn2d_ref(x, f, **options)
    return result


def _module(function: object) -> object:
    """mmcv.ops exports functions by the names of the modules that they are in."""
    import sys

    return sys.modules[function.__module__]


@OPERATORS("masked_conv2d", "a convolution, masked afterwards", ALL)
def _(dtype: str) -> None:
    inputs = [torch.randn(1, 4, 6, 7), (torch.rand(1, 6, 7) > 0.5).float(), torch.randn(5, 4, 3, 3), torch.randn(5)]
    agree(
        dtype,
        lambda x, m, w, b: functional.conv2d(x, w, b, padding=1) * m,
        inputs,
        other_device=lambda x, m, w, b: ops.masked_conv2d(x, m, w, b, 1),
        near=1e-4,
    )


def shifted(x: Tensor, shift: Tensor) -> Tensor:
    """(batch, frames, channels, pixels): the channels of each group moved by so many frames, zeros moved in."""
    out = torch.zeros_like(x)
    per_group = x.shape[2] // shift.shape[1]
    for b in range(x.shape[0]):
        for c in range(x.shape[2]):
            by = int(shift[b, c // per_group])
            for t in range(x.shape[1]):
                if 0 <= t - by < x.shape[1]:
                    out[b, t, c] = x[b, t - by, c]
    return out


@OPERATORS("tin_shift", "frames moved one by one", ALL)
def _(dtype: str) -> None:
    inputs = [torch.randn(2, 5, 6, 4), torch.randint(-2, 3, (2, 3), dtype=torch.int32)]
    agree(dtype, shifted, inputs, other_device=ops.tin_shift)


ASTRAY = "mmcv moves the gradient the same way as the frames, not back"


@OPERATORS("tin_shift (gradient)", "frames moved one by one", ALL, known=ASTRAY)
def _(dtype: str) -> None:
    inputs = [features(2, 5, 6, 4), torch.randint(-2, 3, (2, 3), dtype=torch.int32)]
    agree(dtype, shifted, inputs, other_device=ops.tin_shift)
