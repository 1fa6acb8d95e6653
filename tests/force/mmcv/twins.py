"""Operators that mmcv also has for the CPU: the same call on both devices, forward and backward."""

from __future__ import annotations

import math

import mmcv.ops as ops
import torch
from comparing import on_both
from table import OPERATORS

TWIN = "mmcv's CPU code"
FLOATS = "float32 float64"


def dtype_of(name: str) -> torch.dtype:
    found: torch.dtype = getattr(torch, name)
    return found


def boxes(count: int, dtype: torch.dtype = torch.float32, size: float = 30.0) -> torch.Tensor:
    """Rectangles (x1, y1, x2, y2) of at least one pixel."""
    corners = torch.rand(count, 2) * size
    return torch.cat([corners, corners + 1 + torch.rand(count, 2) * size / 3], 1).to(dtype)


def rotated(count: int, dtype: torch.dtype = torch.float32, size: float = 20.0) -> torch.Tensor:
    """Rectangles (x, y, w, h, angle)."""
    place, extent = torch.rand(count, 2) * size, torch.rand(count, 2) * size / 2 + 1
    return torch.cat([place, extent, (torch.rand(count, 1) - 0.5) * math.pi], 1).to(dtype)


def quadri(count: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Convex quadrilaterals by their corners: rotated rectangles."""
    x, y, w, h, angle = rotated(count).unbind(1)
    cos, sin = angle.cos(), angle.sin()
    corners = []
    for dx, dy in ((-1, -1), (-1, 1), (1, 1), (1, -1)):
        corners += [x + dx * w / 2 * cos - dy * h / 2 * sin, y + dx * w / 2 * sin + dy * h / 2 * cos]
    return torch.stack(corners, 1).to(dtype)


def rois(count: int, batch: int, box: torch.Tensor) -> torch.Tensor:
    """Boxes with the image that they are in before them."""
    return torch.cat([torch.randint(0, batch, (count, 1)).to(box.dtype), box], 1)


@OPERATORS("nms", TWIN)
def _(dtype: str) -> None:
    for count in (1, 64, 300):
        on_both(lambda b, s: ops.nms(b, s, 0.3), [boxes(count), torch.randperm(count).float()])


@OPERATORS("nms_rotated", TWIN)
def _(dtype: str) -> None:
    for count in (1, 65, 200):
        on_both(lambda b, s: ops.nms_rotated(b, s, 0.1), [rotated(count), torch.randperm(count).float()])


@OPERATORS("nms_quadri", TWIN)
def _(dtype: str) -> None:
    for count in (1, 65, 200):
        on_both(lambda b, s: ops.nms_quadri(b, s, 0.1), [quadri(count), torch.randperm(count).float()])


@OPERATORS("bbox_overlaps", TWIN)
def _(dtype: str) -> None:
    for mode in ("iou", "iof"):
        on_both(lambda a, b, m=mode: ops.bbox_overlaps(a, b, m), [boxes(33), boxes(20)])
        on_both(lambda a, b, m=mode: ops.bbox_overlaps(a, b, m, aligned=True), [boxes(33), boxes(33)])


@OPERATORS("box_iou_rotated", TWIN)
def _(dtype: str) -> None:
    for mode in ("iou", "iof"):
        on_both(lambda a, b, m=mode: ops.box_iou_rotated(a, b, m), [rotated(30), rotated(21)], rtol=1e-4, atol=1e-5)
        on_both(
            lambda a, b, m=mode: ops.box_iou_rotated(a, b, m, aligned=True),
            [rotated(30), rotated(30)],
            rtol=1e-4,
            atol=1e-5,
        )


@OPERATORS("box_iou_quadri", TWIN)
def _(dtype: str) -> None:
    for mode in ("iou", "iof"):
        on_both(lambda a, b, m=mode: ops.box_iou_quadri(a, b, m), [quadri(30), quadri(21)], rtol=1e-4, atol=1e-5)


@OPERATORS("roi_align", TWIN, FLOATS)
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    features = torch.randn(2, 3, 15, 20, dtype=kind, requires_grad=True)
    places = rois(12, 2, boxes(12, kind))
    for mode in ("avg", "max"):
        on_both(
            lambda x, r, m=mode: ops.roi_align(x, r, (5, 4), 0.5, 2, m, True), [features, places], rtol=1e-4, atol=1e-4
        )


@OPERATORS("roi_align_rotated", TWIN, FLOATS)
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    features = torch.randn(2, 3, 15, 20, dtype=kind, requires_grad=True)
    places = rois(10, 2, rotated(10, kind))
    on_both(
        lambda x, r: ops.roi_align_rotated(x, r, (5, 4), 0.5, 2, True, False), [features, places], rtol=1e-4, atol=1e-4
    )


@OPERATORS("bezier_align", TWIN, FLOATS)
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    features = torch.randn(2, 3, 15, 20, dtype=kind, requires_grad=True)
    places = rois(6, 2, (torch.rand(6, 16) * 25).to(kind))
    on_both(lambda x, r: ops.bezier_align(x, r, (5, 4), 0.5, 2, True), [features, places], rtol=1e-4, atol=1e-4)


@OPERATORS("rotated_feature_align", TWIN, FLOATS)
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    features = torch.randn(2, 4, 9, 11, dtype=kind, requires_grad=True)
    best = rotated(2 * 9 * 11, kind).reshape(2, 9, 11, 5)
    for points in (1, 5):
        on_both(
            lambda x, b, p=points: ops.rotated_feature_align(x, b, 0.5, p), [features, best], rtol=1e-4, atol=1e-4
        )


@OPERATORS("active_rotated_filter", TWIN, FLOATS)
def _(dtype: str) -> None:
    weight = torch.randn(3, 2, 8, 3, 3, dtype=dtype_of(dtype), requires_grad=True)
    indices = torch.randint(1, 10, (8, 3, 3, 8), dtype=torch.int32)
    for turn in range(8):  # a turn of the ring of orientations: each entry is used once
        indices[..., turn] = torch.roll(torch.arange(1, 73).reshape(8, 9), turn, 1).reshape(8, 3, 3) % 72 + 1
    on_both(ops.active_rotated_filter, [weight, indices])


@OPERATORS("psa_mask", TWIN, FLOATS)
def _(dtype: str) -> None:
    x = torch.randn(2, 25, 6, 7, dtype=dtype_of(dtype), requires_grad=True)
    for kind in ("collect", "distribute"):
        on_both(lambda x, k=kind: ops.PSAMask(k, (5, 5))(x), [x])


@OPERATORS("deform_conv", TWIN, FLOATS)
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    x = torch.randn(2, 4, 7, 8, dtype=kind, requires_grad=True)
    offset = torch.randn(2, 2 * 2 * 9, 7, 8, dtype=kind, requires_grad=True)
    weight = torch.randn(6, 4, 3, 3, dtype=kind, requires_grad=True)
    on_both(
        lambda x, o, w: ops.deform_conv2d(x, o, w, 1, 1, 1, 1, 2, False, 2), [x, offset, weight], rtol=1e-3, atol=1e-3
    )


@OPERATORS("modulated_deform_conv", TWIN, FLOATS)
def _(dtype: str) -> None:
    kind = dtype_of(dtype)
    x = torch.randn(2, 4, 7, 8, dtype=kind, requires_grad=True)
    offset = torch.randn(2, 2 * 9, 7, 8, dtype=kind, requires_grad=True)
    mask = torch.rand(2, 9, 7, 8, dtype=kind, requires_grad=True)
    weight = torch.randn(6, 4, 3, 3, dtype=kind, requires_grad=True)
    bias = torch.randn(6, dtype=kind, requires_grad=True)
    on_both(
        lambda x, o, m, w, b: ops.modulated_deform_conv2d(x, o, m, w, b, 1, 1, 1, 1, 1),
        [x, offset, mask, weight, bias],
        rtol=1e-3,
        atol=1e-3,
    )


@OPERATORS("voxelization", TWIN)
def _(dtype: str) -> None:
    points = torch.rand(300, 4) * 10
    for most in (5, -1):
        on_both(
            lambda p, m=most: ops.voxelization(p, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 10.0, 10.0, 10.0], m, 400), [points]
        )


@OPERATORS("points_in_boxes", TWIN)
def _(dtype: str) -> None:
    points = torch.rand(2, 200, 3) * 10
    box = torch.cat([torch.rand(2, 5, 3) * 10, torch.rand(2, 5, 3) * 6 + 1, torch.randn(2, 5, 1)], 2)
    on_both(ops.points_in_boxes_cpu, [points, box], other_device=ops.points_in_boxes_all)

    def first(points: torch.Tensor, box: torch.Tensor) -> torch.Tensor:
        inside = ops.points_in_boxes_cpu(points, box)
        return torch.where(inside.any(2), inside.argmax(2), -1).int()

    on_both(first, [points, box], other_device=ops.points_in_boxes_part)
