"""Operators of pooling and of points in space, which mmcv has for CUDA alone."""

from __future__ import annotations

import math

import mmcv.ops as ops
import torch
import torch.distributed as distributed
import torch.nn.functional as functional
from formulas import grid, in_balls
from mmcv.ops import filtered_lrelu as filtered_lrelu_function
from precision import ALL, agree
from table import OPERATORS
from torch import Tensor
from twins import boxes, clear_of, distinct, even_boxes, features, inner_rotated, rois, rotated, slopes

INSIDE = "points_in_boxes on the CPU"


def at(x: Tensor, points: Tensor) -> Tensor:
    """Bilinear values of (C, H, W) at (..., 2), x before y; zero outside."""
    size = torch.tensor([x.shape[2] - 1, x.shape[1] - 1], dtype=x.dtype)
    where = (points / size * 2 - 1).reshape(1, 1, -1, 2)
    return functional.grid_sample(x[None], where, align_corners=True)[0, :, 0].reshape(-1, *points.shape[:-1])


def covered(low: Tensor, high: Tensor, pixels: int) -> Tensor:
    """How much of each pixel's weight lies between `low` and `high`, where the weight falls from 1 at the pixel itself
    to 0 at the next ones. (bins,) twice to (bins, pixels)."""

    def until(position: Tensor) -> Tensor:
        t = (position[:, None] - torch.arange(pixels)).clamp(-1, 1)
        return torch.where(t < 0, (1 + t) ** 2 / 2, 1 - (1 - t) ** 2 / 2)

    return until(high) - until(low)


@OPERATORS("prroi_pool", "integrals in closed form")
def _(dtype: str) -> None:
    def formula(x: Tensor, regions: Tensor) -> Tensor:
        out = []
        for roi in regions:
            (left, top), extent = roi[1:3] * 0.5, (roi[3:] - roi[1:3]) * 0.5
            across = left + extent[0] * torch.arange(3) / 2
            down = top + extent[1] * torch.arange(4) / 3
            columns, rows = covered(across[:-1], across[1:], 20), covered(down[:-1], down[1:], 15)
            sums = torch.einsum("chw,ph,qw->cpq", x[int(roi[0])], rows, columns)
            out.append(sums / (extent.prod() / 6))
        return torch.stack(out)

    inputs = [features(2, 3, 15, 20), rois(6, 2, boxes(6, size=25)).requires_grad_()]
    agree(dtype, formula, inputs, other_device=lambda x, r: ops.prroi_pool(x, r, (3, 2), 0.5), near=1e-4)


@OPERATORS("roi_pool", "loops over the bins", ALL)
def _(dtype: str) -> None:
    def formula(x: Tensor, regions: Tensor) -> Tensor:
        out = []
        for image, x1, y1, x2, y2 in regions.tolist():
            left, top, w, h = x1 / 2, y1 / 2, (x2 + 1 - x1) / 2, (y2 + 1 - y1) / 2
            for i in range(3):
                for j in range(2):
                    rows = slice(min(math.floor(top + i * h / 3), 15), min(math.ceil(top + (i + 1) * h / 3), 15))
                    columns = slice(min(math.floor(left + j * w / 2), 20), min(math.ceil(left + (j + 1) * w / 2), 20))
                    part = x[int(image), :, rows, columns].flatten(1)
                    out.append(part.max(1).values if part.numel() else x.new_zeros(3))
        return torch.stack(out).reshape(len(regions), 3, 2, 3).permute(0, 3, 1, 2)

    # Sizes that divide evenly: elsewhere rounding decides in which bin a border is.
    low = torch.randint(0, 12, (8, 2)).float()
    regions = rois(8, 2, torch.cat([low, low + torch.tensor([[7.0, 11.0]])], 1))
    agree(dtype, formula, [distinct(2, 3, 15, 20), regions], other_device=lambda x, r: ops.roi_pool(x, r, (3, 2), 0.5))


@OPERATORS("border_align", "maxima along the four borders", ALL)
def _(dtype: str) -> None:
    def formula(x: Tensor, boxes: Tensor) -> Tensor:
        c = x.shape[1] // 4
        steps = torch.arange(4, dtype=x.dtype) / 3
        out = []
        for b in range(len(boxes)):
            x1, y1, x2, y2 = boxes[b].unbind(1)
            starts = [torch.stack(p, 1) for p in ((x1, y1), (x1, y1), (x2, y2), (x2, y2))]
            zero = torch.zeros_like(x1)
            ways = [torch.stack(p, 1) for p in ((x2 - x1, zero), (zero, y2 - y1), (x1 - x2, zero), (zero, y1 - y2))]
            sides = []
            for side in range(4):
                points = starts[side][:, None] + steps[:, None] * ways[side][:, None]
                sides.append(at(x[b, side * c : (side + 1) * c], points).max(-1).values)
            out.append(torch.stack(sides, -1))
        return torch.stack(out)

    low, extent = torch.rand(2, 6 * 7, 2) * 2, torch.rand(2, 6 * 7, 2) * 3
    if dtype == "float16":  # thirds of these are exact: no rounding changes which element is the highest
        low, extent = (low * 4).floor() / 4, (extent / 1.5).ceil() * 1.5
    inputs = [slopes(dtype, 2, 8, 6, 7), torch.cat([low, low + extent], 2)]
    agree(dtype, formula, inputs, other_device=lambda x, b: ops.border_align(x, b, 3), half=1e-2)


@OPERATORS("deform_roi_pool", "roi_align on the CPU; places in each bin", ALL)
def _(dtype: str) -> None:
    """Without offsets it is roi_align. With offsets each bin moves; the boxes are such that none leaves the image."""
    agree(
        dtype,
        lambda x, r: ops.roi_align(x, r, (4, 4), 0.5, 2, "avg", True),
        [features(2, 3, 15, 20), rois(8, 2, even_boxes(8) if dtype == "float16" else boxes(8))],
        other_device=lambda x, r: ops.deform_roi_pool(x, r, None, (4, 4), 0.5, 2, 0.125),
    )

    def formula(x: Tensor, regions: Tensor, offset: Tensor) -> Tensor:
        out = []
        for roi, moved in zip(regions, offset):  # moved is (2, 4, 4): by how many eighths of the box, x before y
            low, extent = roi[1:3] * 0.5 - 0.5, (roi[3:] - roi[1:3]) * 0.5
            steps = (torch.arange(8) + 0.5) / 8  # two samples in each of four bins
            y, x_ = torch.meshgrid(steps, steps, indexing="ij")
            by = moved.repeat_interleave(2, 1).repeat_interleave(2, 2).movedim(0, -1)
            values = at(x[int(roi[0])], low + (torch.stack([x_, y], -1) + by / 8) * extent)
            out.append(values.reshape(-1, 4, 2, 4, 2).mean((2, 4)))
        return torch.stack(out)

    low, extent, offset = torch.rand(8, 2) * 6 + 8, torch.rand(8, 2) * 6 + 4, torch.rand(8, 2, 4, 4) * 2 - 1
    if dtype == "float16":  # exact, and between pixels: at a pixel slopes change
        low, extent = torch.randint(4, 6, (8, 2)) * 2.0, torch.randint(1, 3, (8, 2)) * 8
        offset = (offset * 4).floor() / 4 + 1 / 8
    inside = rois(8, 2, torch.cat([low, low + extent], 1))
    offset.requires_grad_()
    agree(
        dtype,
        formula,
        [features(2, 3, 15, 20), inside, offset],
        other_device=lambda x, r, o: ops.deform_roi_pool(x, r, o, (4, 4), 0.5, 2, 0.125),
        half=5e-2,
    )


@OPERATORS("riroi_align_rotated", "roi_align_rotated on the CPU, orientations turned", ALL)
def _(dtype: str) -> None:
    """Between two of the orientations, which are channels, by the box's angle; four of them and one."""

    def formula(x: Tensor, r: Tensor, count: int) -> Tensor:
        aligned = ops.roi_align_rotated(x, r, (5, 4), 0.5, 2, False, False).unflatten(1, (-1, count))
        turn = (r[:, 5] * count / (2 * math.pi)).tolist()
        out = []
        for one, by in zip(aligned, turn):
            first, part = math.floor(by), by - math.floor(by)
            out.append((1 - part) * one.roll(first, 1) + part * one.roll(first - 1, 1))
        return torch.stack(out).flatten(1, 2)

    for count in (4, 1):
        regions = rois(8, 2, inner_rotated(8) if dtype == "float16" else rotated(8))
        agree(
            dtype,
            lambda x, r, count=count: formula(x, r, count),
            [features(2, 3 * count, 15, 20), regions],
            other_device=lambda x, r, count=count: ops.riroi_align_rotated(x, r, (5, 4), 0.5, 2, count, False),
            half=5e-2,
        )


def in_space(flat: Tensor) -> Tensor:
    """(x, y, w, h, angle) as (x, y, z, dx, dy, dz, angle), all on one floor."""
    one = flat.new_ones(len(flat), 1)
    return torch.cat([flat[:, :2], one, flat[:, 2:4], one, flat[:, 4:]], 1)


@OPERATORS("nms3d", "nms_rotated on the CPU")
def _(dtype: str) -> None:
    agree(
        dtype,
        lambda b, s: ops.nms_rotated(b, s, 0.2)[1],
        [rotated(100), torch.randperm(100).float()],
        other_device=lambda b, s: ops.nms3d(in_space(b), s, 0.2),
    )


@OPERATORS("nms3d_normal", "nms on the CPU")
def _(dtype: str) -> None:
    def formula(b: Tensor, s: Tensor) -> Tensor:
        corners = torch.cat([b[:, :2] - b[:, 2:4] / 2, b[:, :2] + b[:, 2:4] / 2], 1)
        found: Tensor = ops.nms(corners, s, 0.2)[1]
        return found

    upright = rotated(100)
    upright[:, 4] = 0
    inputs = [upright, torch.randperm(100).float()]
    agree(dtype, formula, inputs, other_device=lambda b, s: ops.nms3d_normal(in_space(b), s, 0.2))


@OPERATORS("stack_ball_query", "sorting by distance", ALL)
def _(dtype: str) -> None:
    """Two batches, one after the other: 40 and 20 points, 12 and 8 centers. An empty ball begins with -1."""

    def formula(points: Tensor, centers: Tensor) -> Tensor:
        parts = ((points[None, :40], centers[None, :12]), (points[None, 40:], centers[None, 12:]))
        return torch.cat([in_balls(p, c, 0.3, none=-1)[0] for p, c in parts])

    def on_device(points: Tensor, centers: Tensor) -> Tensor:
        counts, center_counts = torch.tensor([40, 20]).int().musa(), torch.tensor([12, 8]).int().musa()
        result: Tensor = ops.ball_query(0, 0.3, 5, points, centers, counts, center_counts)
        return result

    agree(dtype, formula, [grid(60), grid(20)], other_device=on_device)


@OPERATORS("stack_group_points", "a formula", ALL)
def _(dtype: str) -> None:
    counts, index_counts = torch.tensor([40, 20], dtype=torch.int32), torch.tensor([12, 8], dtype=torch.int32)

    def formula(x: Tensor, indices: Tensor) -> Tensor:
        start = torch.tensor([0] * 12 + [40] * 8)[:, None]
        return x[indices.long() + start].transpose(1, 2)

    def on_device(x: Tensor, indices: Tensor) -> Tensor:
        result: Tensor = ops.grouping_operation(x, indices, counts.musa(), index_counts.musa())
        return result

    inputs = [features(60, 4), torch.randint(0, 20, (20, 5), dtype=torch.int32)]
    agree(dtype, formula, inputs, other_device=on_device, half=1e-2)


def scene() -> tuple[Tensor, Tensor]:
    """Some 140 points, and 4 boxes (x, y, z of the floor, extents, angle) around some of them, none near a side."""
    box = torch.cat([torch.rand(4, 3) * 6 + 2, torch.rand(4, 3) * 4 + 2, torch.randn(4, 1)], 1)
    return clear_of(torch.rand(150, 3) * 10, box), box


def in_boxes(points: Tensor, box: Tensor) -> list[Tensor]:
    """For each box which points it holds."""
    inside = ops.points_in_boxes_cpu(points[None].float(), box[None].float())[0].bool()
    return [inside[:, k] for k in range(len(box))]


@OPERATORS("roiaware_pool3d", INSIDE, ALL)
def _(dtype: str) -> None:
    """One voxel per box, so that the box alone decides what is pooled."""
    points, box = scene()
    for mode in ("max", "avg"):

        def formula(x: Tensor, points: Tensor, box: Tensor, mode: str = mode) -> Tensor:
            rows = [x[inside] for inside in in_boxes(points, box)]
            pooled = [(r.max(0).values if mode == "max" else r.mean(0)) if len(r) else x.new_zeros(3) for r in rows]
            return torch.stack(pooled)[:, None, None, None]

        agree(
            dtype,
            formula,
            [distinct(len(points), 3), points, box],
            other_device=lambda x, p, b, mode=mode: ops.RoIAwarePool3d(1, 128, mode)(b, p, x),
            half=1e-2,
            double=1e-6,
        )


@OPERATORS("roipoint_pool3d", INSIDE, ALL)
def _(dtype: str) -> None:
    points, box = scene()

    def formula(x: Tensor, points: Tensor, box: Tensor) -> tuple[Tensor, Tensor]:
        rows = [torch.cat([points, x], 1)[inside] for inside in in_boxes(points, box)]
        repeated = [r[torch.arange(8) % len(r)] if len(r) else x.new_zeros(8, 6) for r in rows]
        return torch.stack(repeated)[None], torch.tensor([[int(not len(r)) for r in rows]], dtype=torch.int32)

    agree(
        dtype,
        formula,
        [torch.randn(len(points), 3), points, box],
        other_device=lambda x, p, b: ops.RoIPointPool3d(8)(p[None], x[None], b[None]),
    )


@OPERATORS("filtered_lrelu", "mmcv's reference in Python", ALL)
def _(dtype: str) -> None:
    import sys

    reference = sys.modules[filtered_lrelu_function.__module__]._filtered_lrelu_ref
    up, down = torch.rand(4), torch.rand(4)  # float32, whatever the type of the image
    for times in (2, 3):  # by 3 there is no kernel for all in one: several, one of which remembers signs in two bits
        options = {"up": times, "down": times, "padding": 3, "clamp": 1}
        x, bias = features(2, 3, 9, 8), features(3)
        if dtype == "float16":  # each channel on one side of 0, and not near the clamp: rounding changes no slope
            sign = torch.tensor([1.0, -1, 1])
            x, bias = (sign[:, None, None] * (torch.rand(2, 3, 9, 8) + 1)).requires_grad_(), sign.requires_grad_()
            options["clamp"] = 256
        agree(
            dtype,
            lambda x, b, o=options: reference(x, up, down, b, **o),
            [x, bias],
            other_device=lambda x, b, o=options: ops.filtered_lrelu(x, up.musa(), down.musa(), b, **o),
            half=2e-2,
            double=1e-6,
        )


@OPERATORS("sync_bn", "torch.nn.functional.batch_norm", "float16 float32")
def _(dtype: str) -> None:
    """In one process: what several send each other is PyTorch's, and no kernel of mmcv's. Other types are refused."""
    if not distributed.is_initialized():
        distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    norm = ops.SyncBatchNorm(3).musa().train()

    def on_device(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        scale = {"weight": weight.float(), "bias": bias.float()}  # float32, whatever the type of the image
        result: Tensor = torch.func.functional_call(norm, scale, (x,))
        return result

    agree(
        dtype,
        lambda x, w, b: functional.batch_norm(x, None, None, w, b, training=True),
        [features(4, 3, 5, 6), features(3), features(3)],
        other_device=on_device,
        near=1e-4,
        half=2e-2,
    )
