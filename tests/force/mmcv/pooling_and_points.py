"""Operators of pooling, of points in space and of sparse tensors, which mmcv has for CUDA alone."""

from __future__ import annotations

import math

import mmcv.ops as ops
import torch
import torch.distributed as distributed
import torch.nn.functional as functional
from comparing import on_both
from mmcv.ops import filtered_lrelu as filtered_lrelu_function
from table import OPERATORS
from torch import Tensor
from twins import FLOATS, boxes, dtype_of, rois, rotated

INSIDE = "points_in_boxes on the CPU"
DENSE = "the dense operator"


def at(x: Tensor, places: Tensor) -> Tensor:
    """Bilinear values of (C, H, W) at (..., 2), x before y; zero outside."""
    size = torch.tensor([x.shape[2] - 1, x.shape[1] - 1], dtype=x.dtype)
    grid = (places / size * 2 - 1).reshape(1, 1, -1, 2)
    return functional.grid_sample(x[None], grid, align_corners=True)[0, :, 0].reshape(-1, *places.shape[:-1])


@OPERATORS("prroi_pool", "means over 40 x 40 places of each bin")
def _(dtype: str) -> None:
    def formula(x: Tensor, places: Tensor) -> Tensor:
        out = []
        for roi in places:
            low, extent = roi[1:3] * 0.5, (roi[3:] - roi[1:3]) * 0.5
            steps = [(torch.arange(40 * n) + 0.5) / (40 * n) for n in (3, 2)]
            y, x_ = torch.meshgrid(*steps, indexing="ij")
            values = at(x[int(roi[0])], low + torch.stack([x_, y], -1) * extent)
            out.append(values.reshape(-1, 3, 40, 2, 40).mean((2, 4)))
        return torch.stack(out)

    features = torch.randn(2, 3, 15, 20, requires_grad=True)
    on_both(
        formula,
        [features, rois(6, 2, boxes(6, size=25))],
        other_device=lambda x, r: ops.prroi_pool(x, r, (3, 2), 0.5),
        rtol=1e-2,
        atol=1e-2,
    )


@OPERATORS("roi_pool", "loops over the bins", FLOATS)
def _(dtype: str) -> None:
    def formula(x: Tensor, places: Tensor) -> Tensor:
        out = []
        for image, x1, y1, x2, y2 in places.tolist():
            left, top, w, h = x1 / 2, y1 / 2, (x2 + 1 - x1) / 2, (y2 + 1 - y1) / 2
            for i in range(3):
                for j in range(2):
                    rows = slice(min(math.floor(top + i * h / 3), 15), min(math.ceil(top + (i + 1) * h / 3), 15))
                    columns = slice(min(math.floor(left + j * w / 2), 20), min(math.ceil(left + (j + 1) * w / 2), 20))
                    part = x[int(image), :, rows, columns].flatten(1)
                    out.append(part.max(1).values if part.numel() else x.new_zeros(3))
        return torch.stack(out).reshape(len(places), 3, 2, 3).permute(0, 3, 1, 2)

    kind = dtype_of(dtype)
    features = torch.randn(2, 3, 15, 20, dtype=kind, requires_grad=True)
    # Sizes that divide evenly: elsewhere rounding decides in which bin a border is.
    low = torch.randint(0, 12, (8, 2)).to(kind)
    places = rois(8, 2, torch.cat([low, low + torch.tensor([[7.0, 11.0]], dtype=kind)], 1))
    on_both(formula, [features, places], other_device=lambda x, r: ops.roi_pool(x, r, (3, 2), 0.5))


@OPERATORS("border_align", "maxima along the four borders", FLOATS)
def _(dtype: str) -> None:
    kind = dtype_of(dtype)

    def formula(x: Tensor, boxes: Tensor) -> Tensor:
        c = x.shape[1] // 4
        steps = torch.arange(4, dtype=kind) / 3
        out = []
        for b in range(len(boxes)):
            x1, y1, x2, y2 = boxes[b].unbind(1)
            starts = [torch.stack(p, 1) for p in ((x1, y1), (x1, y1), (x2, y2), (x2, y2))]
            zero = torch.zeros_like(x1)
            ways = [torch.stack(p, 1) for p in ((x2 - x1, zero), (zero, y2 - y1), (x1 - x2, zero), (zero, y1 - y2))]
            sides = []
            for side in range(4):
                places = starts[side][:, None] + steps[:, None] * ways[side][:, None]
                sides.append(at(x[b, side * c : (side + 1) * c], places).max(-1).values)
            out.append(torch.stack(sides, -1))
        return torch.stack(out)

    low = torch.rand(2, 6 * 7, 2, dtype=kind) * 2
    inside = torch.cat([low, low + torch.rand(2, 6 * 7, 2, dtype=kind) * 3], 2)
    inputs = [torch.randn(2, 8, 6, 7, dtype=kind, requires_grad=True), inside]
    on_both(formula, inputs, other_device=lambda x, b: ops.border_align(x, b, 3), rtol=1e-4, atol=1e-4)


@OPERATORS("deform_roi_pool", "roi_align on the CPU (no offsets)", FLOATS)
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    features = torch.randn(2, 3, 15, 20, dtype=kind, requires_grad=True)
    on_both(
        lambda x, r: ops.roi_align(x, r, (5, 4), 0.5, 2, "avg", True),
        [features, rois(8, 2, boxes(8, kind))],
        other_device=lambda x, r: ops.deform_roi_pool(x, r, None, (5, 4), 0.5, 2, 0.1),
        rtol=1e-4,
        atol=1e-4,
    )


@OPERATORS("riroi_align_rotated", "roi_align_rotated on the CPU (one orientation)", FLOATS)
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    features = torch.randn(2, 3, 15, 20, dtype=kind, requires_grad=True)
    on_both(
        lambda x, r: ops.roi_align_rotated(x, r, (5, 4), 0.5, 2, False, False),
        [features, rois(8, 2, rotated(8, kind))],
        other_device=lambda x, r: ops.riroi_align_rotated(x, r, (5, 4), 0.5, 2, 1, False),
        rtol=1e-4,
        atol=1e-4,
    )


def in_space(flat: Tensor) -> Tensor:
    """(x, y, w, h, angle) as (x, y, z, dx, dy, dz, angle), all on one floor."""
    one = flat.new_ones(len(flat), 1)
    return torch.cat([flat[:, :2], one, flat[:, 2:4], one, flat[:, 4:]], 1)


@OPERATORS("nms3d", "nms_rotated on the CPU")
def _(dtype: str) -> None:
    on_both(
        lambda b, s: ops.nms_rotated(b, s, 0.2)[1],
        [rotated(100), torch.randperm(100).float()],
        other_device=lambda b, s: ops.nms3d(in_space(b), s, 0.2),
    )


@OPERATORS("nms3d_normal", "nms on the CPU")
def _(dtype: str) -> None:
    def formula(b: Tensor, s: Tensor) -> Tensor:
        corners = torch.cat([b[:, :2] - b[:, 2:4] / 2, b[:, :2] + b[:, 2:4] / 2], 1)
        return ops.nms(corners, s, 0.2)[1]

    upright = rotated(100)
    upright[:, 4] = 0
    on_both(
        formula, [upright, torch.randperm(100).float()], other_device=lambda b, s: ops.nms3d_normal(in_space(b), s, 0.2)
    )


@OPERATORS("stack_ball_query", "ball_query, one batch after the other")
def _(dtype: str) -> None:
    points, centers = torch.rand(60, 3).musa(), torch.rand(20, 3).musa()
    counts, center_counts = torch.tensor([40, 20], dtype=torch.int32), torch.tensor([12, 8], dtype=torch.int32)
    got = ops.ball_query(0, 0.5, 5, points, centers, counts.musa(), center_counts.musa()).cpu()
    first = ops.ball_query(0, 0.5, 5, points[None, :40].contiguous(), centers[None, :12].contiguous())
    second = ops.ball_query(0, 0.5, 5, points[None, 40:].contiguous(), centers[None, 12:].contiguous())
    # An empty ball is marked by -1 in the stacked form; with this radius there is none.
    assert torch.equal(got, torch.cat([first[0], second[0]]).cpu())


@OPERATORS("stack_group_points", "a formula")
def _(dtype: str) -> None:
    counts, index_counts = torch.tensor([40, 20], dtype=torch.int32), torch.tensor([12, 8], dtype=torch.int32)

    def formula(features: Tensor, indices: Tensor) -> Tensor:
        start = torch.tensor([0] * 12 + [40] * 8)[:, None]
        return features[indices.long() + start].transpose(1, 2)

    def on_device(features: Tensor, indices: Tensor) -> Tensor:
        result: Tensor = ops.grouping_operation(features, indices, counts.musa(), index_counts.musa())
        return result

    inputs = [torch.randn(60, 4, requires_grad=True), torch.randint(0, 20, (20, 5), dtype=torch.int32)]
    on_both(formula, inputs, other_device=on_device)


def scene() -> tuple[Tensor, Tensor]:
    """150 points, and 4 boxes (x, y, z of the floor, extents, angle) around some of them."""
    box = torch.cat([torch.rand(4, 3) * 6 + 2, torch.rand(4, 3) * 4 + 2, torch.randn(4, 1)], 1)
    return torch.rand(150, 3) * 10, box


@OPERATORS("roiaware_pool3d", INSIDE)
def _(dtype: str) -> None:
    """One voxel per box, so that the box alone decides what is pooled."""
    points, box = scene()
    for mode in ("max", "avg"):

        def formula(x: Tensor, points: Tensor, box: Tensor, mode: str = mode) -> Tensor:
            inside = ops.points_in_boxes_cpu(points[None], box[None])[0].bool()
            rows = [x[inside[:, k]] for k in range(len(box))]
            pooled = [(r.max(0).values if mode == "max" else r.mean(0)) if len(r) else x.new_zeros(3) for r in rows]
            return torch.stack(pooled)[:, None, None, None]

        on_both(
            formula,
            [torch.randn(150, 3, requires_grad=True), points, box],
            other_device=lambda x, p, b, mode=mode: ops.RoIAwarePool3d(1, 128, mode)(b, p, x),
            rtol=1e-4,
            atol=1e-4,
        )


@OPERATORS("roipoint_pool3d", INSIDE)
def _(dtype: str) -> None:
    points, box = scene()

    def formula(x: Tensor, points: Tensor, box: Tensor) -> tuple[Tensor, Tensor]:
        inside = ops.points_in_boxes_cpu(points[None], box[None])[0].bool()
        rows = [torch.cat([points, x], 1)[inside[:, k]] for k in range(len(box))]
        repeated = [r[torch.arange(8) % len(r)] if len(r) else x.new_zeros(8, 6) for r in rows]
        return torch.stack(repeated)[None], torch.tensor([[int(not len(r)) for r in rows]], dtype=torch.int32)

    on_both(
        formula,
        [torch.randn(150, 3), points, box],
        other_device=lambda x, p, b: ops.RoIPointPool3d(8)(p[None], x[None], b[None]),
    )


@OPERATORS(
    "filtered_lrelu",
    "mmcv's reference in Python",
    "float32",
    known="mmcv leaves it out where __GNUC__ is less than 6, and for every clang it is 4",
)
def _(dtype: str) -> None:
    import sys

    reference = sys.modules[filtered_lrelu_function.__module__]._filtered_lrelu_ref
    loose = 1e-4
    options = {"up": 2, "down": 2, "padding": 3, "clamp": 1}
    inputs = [
        torch.randn(2, 3, 9, 8, dtype=dtype_of(dtype), requires_grad=True),
        torch.rand(4),
        torch.rand(4),
        torch.randn(3, dtype=dtype_of(dtype), requires_grad=True),
    ]
    on_both(
        lambda x, u, d, b: reference(x, u, d, b, **options),
        inputs,
        other_device=lambda x, u, d, b: ops.filtered_lrelu(x, u, d, b, **options),
        rtol=loose,
        atol=loose,
    )


def sparse(features: Tensor, places: Tensor) -> ops.SparseConvTensor:
    indices = torch.cat([torch.zeros(len(places), 1, dtype=torch.int32), places], 1)
    return ops.SparseConvTensor(features.musa(), indices.musa(), [6, 6, 8], 1)


def sparse_scene() -> tuple[Tensor, Tensor, Tensor]:
    """Places (n, 3), features (n, 3), both again as a dense tensor (1, 3, 6, 6, 8); features are positive."""
    places = (torch.rand(6, 6, 8) > 0.7).nonzero().int()
    features = torch.rand(len(places), 3) + 0.1
    dense = torch.zeros(1, 3, 6, 6, 8)
    z, y, x = places.long().unbind(1)
    dense[0, :, z, y, x] = features.T
    return places, features, dense


@OPERATORS("sparse_conv_strided", DENSE)
def _(dtype: str) -> None:
    places, features, dense = sparse_scene()
    convolution = ops.SparseConv3d(3, 4, 3, stride=2, padding=1, bias=False)
    wanted = functional.conv3d(dense, convolution.weight.detach().permute(4, 3, 0, 1, 2), stride=2, padding=1)
    got = convolution.musa()(sparse(features, places)).dense().cpu()
    torch.testing.assert_close(got.detach(), wanted, rtol=1e-4, atol=1e-4)


@OPERATORS("sparse_maxpool", DENSE)
def _(dtype: str) -> None:
    places, features, dense = sparse_scene()
    got = ops.SparseMaxPool3d(2, 2)(sparse(features, places)).dense().cpu()
    torch.testing.assert_close(got, functional.max_pool3d(dense, 2, 2))


@OPERATORS("sync_bn", "torch.nn.functional.batch_norm")
def _(dtype: str) -> None:
    if not distributed.is_initialized():
        distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    norm = ops.SyncBatchNorm(3).musa().train()
    weight = norm.weight.detach().cpu()  # random; the bias is 0
    on_both(
        lambda x: functional.batch_norm(x, None, None, weight, training=True),
        [torch.randn(4, 3, 5, 6, requires_grad=True)],
        other_device=norm,
        rtol=1e-3,
        atol=1e-3,
    )
