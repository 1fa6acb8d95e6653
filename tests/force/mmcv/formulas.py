"""Operators that mmcv has for CUDA alone: against formulas in PyTorch on the CPU."""

from __future__ import annotations

import mmcv.ops as ops
import torch
import torch.nn.functional as functional
from comparing import on_both
from mmcv.ops import bias_act as bias_act_module
from mmcv.ops import upfirdn2d as upfirdn2d_module
from mmcv.ops.multi_scale_deform_attn import (
    MultiScaleDeformableAttnFunction,
    multi_scale_deformable_attn_pytorch,
)
from table import OPERATORS
from torch import Tensor
from twins import FLOATS, dtype_of, rotated

FORMULA = "a formula"
REFERENCE = "mmcv's reference in Python"
SORTED = "sorting by distance"


def squared_distances(a: Tensor, b: Tensor) -> Tensor:
    """(B, n, 3) and (B, m, 3) to (B, n, m)."""
    return ((a[:, :, None] - b[:, None]) ** 2).sum(-1)


@OPERATORS("sigmoid_focal_loss", FORMULA, FLOATS)
def _(dtype: str) -> None:
    def formula(x: Tensor, target: Tensor) -> Tensor:
        wanted = functional.one_hot(target, x.shape[1] + 1)[:, : x.shape[1]].to(x.dtype)
        p = x.sigmoid()
        at = wanted * p + (1 - wanted) * (1 - p)
        alpha = wanted * 0.25 + (1 - wanted) * 0.75
        return (-alpha * (1 - at) ** 2 * at.log()).sum()

    x = torch.randn(50, 7, dtype=dtype_of(dtype), requires_grad=True)
    target = torch.randint(0, 8, (50,))
    on_both(
        formula,
        [x, target],
        other_device=lambda x, t: ops.sigmoid_focal_loss(x, t, 2.0, 0.25, None, "sum"),
        rtol=1e-4,
        atol=1e-4,
    )


@OPERATORS("softmax_focal_loss", FORMULA, FLOATS)
def _(dtype: str) -> None:
    def formula(x: Tensor, target: Tensor) -> Tensor:
        at = x.softmax(1).gather(1, target[:, None])[:, 0]
        return (-0.25 * (1 - at) ** 2 * at.log()).sum()

    x = torch.randn(50, 7, dtype=dtype_of(dtype), requires_grad=True)
    target = torch.randint(0, 7, (50,))
    on_both(
        formula,
        [x, target],
        other_device=lambda x, t: ops.softmax_focal_loss(x, t, 2.0, 0.25, None, "sum"),
        rtol=1e-4,
        atol=1e-4,
    )


@OPERATORS("ball_query", SORTED)
def _(dtype: str) -> None:
    def formula(points: Tensor, centers: Tensor) -> Tensor:
        near = squared_distances(centers, points) < 0.3**2
        out = torch.zeros(*near.shape[:2], 5, dtype=torch.int32)
        for b, c in torch.cartesian_prod(torch.arange(near.shape[0]), torch.arange(near.shape[1])).tolist():
            found = near[b, c].nonzero()[:5, 0].int()
            if len(found):
                out[b, c] = found[0]
                out[b, c, : len(found)] = found
        return out

    on_both(
        formula,
        [torch.rand(2, 100, 3), torch.rand(2, 20, 3)],
        other_device=lambda p, c: ops.ball_query(0, 0.3, 5, p, c),
    )


@OPERATORS("knn", SORTED)
def _(dtype: str) -> None:
    def formula(points: Tensor, centers: Tensor) -> Tensor:
        return squared_distances(centers, points).topk(4, largest=False).indices.transpose(1, 2).int()

    on_both(
        formula, [torch.rand(2, 90, 3), torch.rand(2, 20, 3)], other_device=lambda p, c: ops.knn(4, p, c).contiguous()
    )


@OPERATORS("three_nn", SORTED)
def _(dtype: str) -> None:
    def formula(target: Tensor, source: Tensor) -> tuple[Tensor, Tensor]:
        found = squared_distances(target, source).topk(3, largest=False)
        return found.values.sqrt(), found.indices.int()

    on_both(formula, [torch.rand(2, 33, 3), torch.rand(2, 50, 3)], other_device=ops.three_nn)


@OPERATORS("three_interpolate", FORMULA, "float32 float64")
def _(dtype: str) -> None:
    def formula(features: Tensor, indices: Tensor, weight: Tensor) -> Tensor:
        picked = torch.stack([features[b][:, indices[b].long()] for b in range(features.shape[0])])
        return (picked * weight[:, None]).sum(-1)

    kind = dtype_of(dtype)
    inputs = [
        torch.randn(2, 5, 20, dtype=kind, requires_grad=True),
        torch.randint(0, 20, (2, 33, 3), dtype=torch.int32),
        torch.rand(2, 33, 3, dtype=kind),
    ]
    on_both(formula, inputs, other_device=ops.three_interpolate)


@OPERATORS("gather_points", FORMULA, "float16 float32 float64")
def _(dtype: str) -> None:
    def formula(features: Tensor, indices: Tensor) -> Tensor:
        return features.gather(2, indices.long()[:, None].expand(-1, features.shape[1], -1))

    features = torch.randn(2, 5, 30, dtype=dtype_of(dtype), requires_grad=True)
    on_both(
        formula, [features, torch.randint(0, 30, (2, 17), dtype=torch.int32)], other_device=ops.gather_points,
        rtol=1e-2 if dtype == "float16" else None, atol=1e-2 if dtype == "float16" else None,
    )  # fmt: skip


@OPERATORS("group_points", FORMULA, "float16 float32 float64")
def _(dtype: str) -> None:
    def formula(features: Tensor, indices: Tensor) -> Tensor:
        return torch.stack([features[b][:, indices[b].long()] for b in range(features.shape[0])])

    features = torch.randn(2, 5, 30, dtype=dtype_of(dtype), requires_grad=True)
    on_both(
        formula, [features, torch.randint(0, 30, (2, 17, 4), dtype=torch.int32)], other_device=ops.grouping_operation,
        rtol=1e-2 if dtype == "float16" else None, atol=1e-2 if dtype == "float16" else None,
    )  # fmt: skip


RACE = "a race in mmcv's kernel: no barrier between reading dists_i[0] and writing it in the next round"


@OPERATORS("furthest_point_sample", "the greedy choice, step by step", known=RACE)
def _(dtype: str) -> None:
    def formula(points: Tensor) -> Tensor:
        return greedy(squared_distances(points, points))

    on_both(formula, [torch.rand(2, 100, 3)], other_device=lambda p: ops.furthest_point_sample(p, 12))


@OPERATORS("furthest_point_sample_with_dist", "the greedy choice, step by step", known=RACE)
def _(dtype: str) -> None:
    distances = squared_distances(torch.rand(2, 100, 3), torch.rand(2, 100, 3))
    on_both(greedy, [distances], other_device=lambda d: ops.furthest_point_sample_with_dist(d, 12))


def greedy(distances: Tensor) -> Tensor:
    """Twelve points, each the one that is furthest from those before it, the first one first."""
    chosen = torch.zeros(distances.shape[0], 12, dtype=torch.int32)
    for b in range(distances.shape[0]):
        nearest = torch.full(distances.shape[2:], 1e10)
        for step in range(1, 12):
            nearest = torch.minimum(nearest, distances[b, int(chosen[b, step - 1])])
            chosen[b, step] = int(nearest.argmax())
    return chosen


@OPERATORS("chamfer_distance", SORTED)
def _(dtype: str) -> None:
    def formula(a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        distances = squared_distances(a, b)
        first, second = distances.min(2), distances.min(1)
        return first.values, second.values, first.indices.int(), second.indices.int()

    # Two sets of one size: for others mmcv's gradient mixes up the two sizes and leaves the arrays.
    inputs = [torch.rand(2, 40, 2, requires_grad=True), torch.rand(2, 40, 2, requires_grad=True)]
    on_both(formula, inputs, other_device=ops.chamfer_distance)


@OPERATORS("ms_deform_attn", REFERENCE, FLOATS)
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    shapes = torch.tensor([[6, 5], [3, 2]])
    starts = torch.tensor([0, 30])
    value = torch.randn(2, 36, 2, 4, dtype=kind, requires_grad=True)
    places = torch.rand(2, 7, 2, 2, 3, 2, dtype=kind, requires_grad=True)
    weight = torch.rand(2, 7, 2, 2, 3, dtype=kind, requires_grad=True)

    def on_device(value: Tensor, places: Tensor, weight: Tensor) -> Tensor:
        result: Tensor = MultiScaleDeformableAttnFunction.apply(value, shapes.musa(), starts.musa(), places, weight, 2)
        return result

    on_both(
        lambda v, p, w: multi_scale_deformable_attn_pytorch(v, shapes, p, w),
        [value, places, weight],
        other_device=on_device,
        rtol=1e-3,
        atol=1e-3,
    )


@OPERATORS("fused_bias_leakyrelu", FORMULA, FLOATS)
def _(dtype: str) -> None:
    def formula(x: Tensor, bias: Tensor) -> Tensor:
        return functional.leaky_relu(x + bias[None, :, None, None], 0.2) * 2**0.5

    kind = dtype_of(dtype)
    inputs = [torch.randn(2, 3, 5, 4, dtype=kind, requires_grad=True), torch.randn(3, dtype=kind, requires_grad=True)]
    on_both(formula, inputs, other_device=ops.fused_bias_leakyrelu)


@OPERATORS("bias_act", REFERENCE, "float16 float32 float64")
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    loose = 2e-2 if dtype == "float16" else None
    for act in ("linear", "relu", "lrelu", "tanh", "sigmoid", "elu", "selu", "softplus", "swish"):
        inputs = [torch.randn(2, 3, 5, dtype=kind, requires_grad=True), torch.randn(3, dtype=kind, requires_grad=True)]
        on_both(
            lambda x, b, a=act: bias_act_reference(x, b, act=a),
            inputs,
            other_device=lambda x, b, a=act: ops.bias_act(x, b, act=a),
            rtol=loose,
            atol=loose,
        )


@OPERATORS("upfirdn2d", REFERENCE, "float16 float32 float64")
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    loose = 2e-2 if dtype == "float16" else 1e-4
    for up, down in ((1, 1), (2, 1), (1, 2)):
        x, taps = torch.randn(2, 3, 9, 8, dtype=kind, requires_grad=True), torch.rand(4, 4)
        on_both(
            lambda x, f, u=up, d=down: upfirdn2d_reference(x, f, up=u, down=d, padding=1),
            [x, taps],
            other_device=lambda x, f, u=up, d=down: ops.upfirdn2d(x, f, up=u, down=d, padding=1),
            rtol=loose,
            atol=loose,
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


@OPERATORS("masked_conv2d", "a convolution, masked afterwards", FLOATS)
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    mask = (torch.rand(1, 6, 7) > 0.5).to(kind)
    inputs = [torch.randn(1, 4, 6, 7, dtype=kind), torch.randn(5, 4, 3, 3, dtype=kind), torch.randn(5, dtype=kind)]
    on_both(
        lambda x, w, b: functional.conv2d(x, w, b, padding=1) * mask,
        inputs,
        other_device=lambda x, w, b: ops.masked_conv2d(x, mask.musa(), w, b, 1),
        rtol=1e-4,
        atol=1e-4,
    )


@OPERATORS("tin_shift", "frames moved one by one", FLOATS)
def _(dtype: str) -> None:
    def formula(x: Tensor, shift: Tensor) -> Tensor:
        out = torch.zeros_like(x)
        per_group = x.shape[2] // shift.shape[1]
        for b in range(x.shape[0]):
            for c in range(x.shape[2]):
                by = int(shift[b, c // per_group])
                for t in range(x.shape[1]):
                    if 0 <= t - by < x.shape[1]:
                        out[b, t, c] = x[b, t - by, c]
        return out

    # Forward alone: mmcv's backward kernel moves the gradient the same way as the frames, not back.
    x = torch.randn(2, 5, 6, 4, dtype=dtype_of(dtype))
    on_both(formula, [x, torch.randint(-2, 3, (2, 3), dtype=torch.int32)], other_device=ops.tin_shift)


@OPERATORS("boxes_iou_bev", "box_iou_rotated on the CPU")
def _(dtype: str) -> None:
    """Boxes as seen from above are (x, y, w, h, angle) of iou3d's (x, y, z, l, w, h, angle)."""

    def in_space(flat: Tensor) -> Tensor:
        height = flat.new_ones(len(flat), 1)
        return torch.cat([flat[:, :2], height, flat[:, 2:4], height, flat[:, 4:]], 1)

    on_both(
        lambda a, b: ops.box_iou_rotated(a, b),
        [rotated(30), rotated(20)],
        other_device=lambda a, b: ops.boxes_iou3d(in_space(a), in_space(b)),
        rtol=1e-3,
        atol=1e-3,
    )


@OPERATORS("diff_iou_rotated_2d", "box_iou_rotated on the CPU")
def _(dtype: str) -> None:
    on_both(
        lambda a, b: ops.box_iou_rotated(a, b, aligned=True)[None],
        [rotated(40), rotated(40)],
        other_device=lambda a, b: ops.diff_iou_rotated_2d(a[None], b[None]),
        rtol=1e-3,
        atol=1e-3,
    )


@OPERATORS("points_in_polygons", "the sides of four edges")
def _(dtype: str) -> None:
    from twins import quadri

    def formula(points: Tensor, polygons: Tensor) -> Tensor:
        corners = polygons.reshape(-1, 4, 2)
        edges = corners.roll(-1, 1) - corners
        to = points[:, None, None] - corners
        side = edges[..., 0] * to[..., 1] - edges[..., 1] * to[..., 0]
        return ((side > 0).all(-1) | (side < 0).all(-1)).float()

    on_both(formula, [torch.rand(200, 2) * 20, quadri(9)], other_device=ops.points_in_polygons)


@OPERATORS("convex_iou", "areas of convex hulls, clipped", "float32")
def _(dtype: str) -> None:
    """Point sets that are squares: hull and quadrilateral are known, and so is their overlap."""
    low = torch.rand(7, 2) * 4
    square = low.repeat(1, 9)
    for place, (dx, dy) in enumerate((a, b) for a in (0, 1, 2) for b in (0, 1, 2)):
        square[:, 2 * place] += dx
        square[:, 2 * place + 1] += dy
    other = torch.rand(5, 2) * 4
    polygons = torch.cat([other, other + torch.tensor([0.0, 2]), other + 2, other + torch.tensor([2.0, 0])], 1)

    def formula(a: Tensor, b: Tensor) -> Tensor:
        overlap = (2 - (low[:, None] - other[None]).abs()).clamp(min=0).prod(-1)
        return overlap / (8 - overlap)

    on_both(formula, [square, polygons], other_device=ops.convex_iou, rtol=1e-3, atol=1e-3)


@OPERATORS("min_area_polygons", "squares, which are their own")
def _(dtype: str) -> None:
    """The smallest rectangle around the corners of a turned square and points inside is that square."""
    turn, centre, size = torch.rand(6) * 1.5, torch.rand(6, 2) * 10, torch.rand(6) * 3 + 1
    around = torch.stack([turn + k * torch.pi / 2 for k in range(4)], 1)
    corners = centre[:, None] + size[:, None, None] * torch.stack([around.cos(), around.sin()], 2)
    points = torch.cat([corners, centre[:, None] + 0.1 * torch.randn(6, 5, 2) * size[:, None, None] * 0.5], 1)

    def ordered(polygons: Tensor) -> Tensor:
        found = polygons.reshape(-1, 4, 2).cpu()
        angle = (found - centre[:, None])[..., 1].atan2((found - centre[:, None])[..., 0])
        return found.gather(1, angle.argsort(1)[..., None].expand(-1, -1, 2))

    got = ops.min_area_polygons(points.reshape(6, 18).musa())
    torch.testing.assert_close(ordered(got), ordered(corners), rtol=1e-3, atol=1e-3)
