"""Operators that mmcv also has for the CPU: the same call on both devices, forward and backward."""

from __future__ import annotations

import math

import mmcv.ops as ops
import torch
from comparing import on_both
from precision import ALL, FLOATS, agree
from table import OPERATORS

TWIN = "mmcv's CPU code"


def boxes(count: int, size: float = 30.0) -> torch.Tensor:
    """Rectangles (x1, y1, x2, y2) of at least one pixel."""
    corners = torch.rand(count, 2) * size
    return torch.cat([corners, corners + 1 + torch.rand(count, 2) * size / 3], 1)


def even_boxes(count: int) -> torch.Tensor:
    """Rectangles whose corners and bins are exact in float16, so that no sample changes pixels by rounding."""
    corners = torch.randint(0, 9, (count, 2)) * 2.0
    return torch.cat([corners, corners + torch.randint(1, 4, (count, 2)) * 8], 1)


def rotated(count: int, size: float = 20.0) -> torch.Tensor:
    """Rectangles (x, y, w, h, angle)."""
    corner, extent = torch.rand(count, 2) * size, torch.rand(count, 2) * size / 2 + 1
    return torch.cat([corner, extent, (torch.rand(count, 1) - 0.5) * math.pi], 1)


def inner_rotated(count: int) -> torch.Tensor:
    """Rectangles (x, y, w, h, angle) that stay in 30 x 40 pixels: rounding takes no sample across the border."""
    corner, extent = torch.rand(count, 2) * 8 + 10, torch.rand(count, 2) * 8 + 2
    return torch.cat([corner, extent, (torch.rand(count, 1) - 0.5) * math.pi], 1)


def quadri(count: int, size: float = 20.0) -> torch.Tensor:
    """Convex quadrilaterals by their corners: rotated rectangles."""
    return corners_of(rotated(count, size))


def corners_of(box: torch.Tensor) -> torch.Tensor:
    """(n, 5) rotated rectangles to (n, 8)."""
    x, y, w, h, angle = box.unbind(1)
    cos, sin = angle.cos(), angle.sin()
    corners = []
    for dx, dy in ((-1, -1), (-1, 1), (1, 1), (1, -1)):
        corners += [x + dx * w / 2 * cos - dy * h / 2 * sin, y + dx * w / 2 * sin + dy * h / 2 * cos]
    return torch.stack(corners, 1)


def clusters(box: torch.Tensor) -> torch.Tensor:
    """Of each of (n, 5) rotated rectangles three, nearly the same, far from the others: rounding changes no choice."""
    corner = torch.stack([torch.arange(len(box)) % 8, torch.arange(len(box)) // 8], 1) * 12.0
    far = torch.cat([corner, 3 + torch.rand(len(box), 2) * 3, box[:, 4:]], 1)
    return (far[:, None] + torch.tensor([0, 0.25, -0.25])[:, None] * torch.tensor([1.0, 0, 0, 1, 0])).reshape(-1, 5)


def rois(count: int, batch: int, box: torch.Tensor) -> torch.Tensor:
    """Boxes with the image that they are in before them."""
    return torch.cat([torch.randint(0, batch, (count, 1)).to(box.dtype), box], 1)


def features(*shape: int) -> torch.Tensor:
    """Random numbers that want a gradient."""
    return torch.randn(*shape, requires_grad=True)


def slopes(dtype: str, *shape: int) -> torch.Tensor:
    """Like `features`; in float16 (batch, channels, height, width) that rise or fall along both, by 1 or more a pixel:
    rounding does not change which element is the highest."""
    if dtype != "float16":
        return features(*shape)
    batch, channels, height, width = shape
    by = (torch.rand(2, batch, channels, 1, 1) + 1) * (torch.randint(0, 2, (2, batch, channels, 1, 1)) * 2 - 1)
    plane = by[0] * torch.arange(height)[:, None] + by[1] * torch.arange(width)
    return (plane + torch.rand(shape) / 8).requires_grad_()


def distinct(*shape: int) -> torch.Tensor:
    """Numbers of which no two are the same, in float16 either, that want a gradient; 2048 of them at most."""
    count = math.prod(shape)
    return ((torch.randperm(count) - count // 2) / 256).reshape(shape).requires_grad_()


@OPERATORS("nms", TWIN)
def _(dtype: str) -> None:
    for count in (1, 64, 300):
        on_both(lambda b, s: ops.nms(b, s, 0.3), [boxes(count), torch.randperm(count).float()])


@OPERATORS("nms_rotated", TWIN, ALL)
def _(dtype: str) -> None:
    for count in (1, 22, 60):
        box = clusters(rotated(count)) if dtype == "float16" else rotated(3 * count)
        agree(dtype, lambda b, s: ops.nms_rotated(b, s, 0.1), [box, torch.randperm(3 * count).float()])


@OPERATORS("nms_quadri", TWIN, ALL)
def _(dtype: str) -> None:
    for count in (1, 22, 60):
        box = corners_of(clusters(rotated(count)) if dtype == "float16" else rotated(3 * count))
        agree(dtype, lambda b, s: ops.nms_quadri(b, s, 0.1), [box, torch.randperm(3 * count).float()])


@OPERATORS("bbox_overlaps", TWIN, ALL)
def _(dtype: str) -> None:
    for mode in ("iou", "iof"):
        for aligned, other in ((False, boxes(20)), (True, boxes(33))):
            agree(
                dtype,
                lambda a, b, m=mode, aligned=aligned: ops.bbox_overlaps(a, b, m, aligned),
                [boxes(33), other],
                double=1e-6,
            )


@OPERATORS("box_iou_rotated", TWIN)
def _(dtype: str) -> None:
    for mode in ("iou", "iof"):
        agree(dtype, lambda a, b, m=mode: ops.box_iou_rotated(a, b, m), [rotated(30), rotated(21)])
        agree(dtype, lambda a, b, m=mode: ops.box_iou_rotated(a, b, m, aligned=True), [rotated(30), rotated(30)])


@OPERATORS("box_iou_quadri", TWIN)
def _(dtype: str) -> None:
    for mode in ("iou", "iof"):
        agree(dtype, lambda a, b, m=mode: ops.box_iou_quadri(a, b, m), [quadri(30), quadri(21)], near=1e-4)
        agree(dtype, lambda a, b, m=mode: ops.box_iou_quadri(a, b, m, True), [quadri(30), quadri(30)], near=1e-4)


@OPERATORS("roi_align", TWIN, ALL)
def _(dtype: str) -> None:
    regions = rois(12, 2, even_boxes(12) if dtype == "float16" else boxes(12))
    for mode in ("avg", "max"):
        agree(
            dtype,
            lambda x, r, m=mode: ops.roi_align(x, r, (4, 4), 0.5, 2, m, True),
            [slopes(dtype, 2, 3, 15, 20), regions],
        )


@OPERATORS("roi_align_rotated", TWIN, ALL)
def _(dtype: str) -> None:
    regions = rois(10, 2, inner_rotated(10) if dtype == "float16" else rotated(10))
    agree(
        dtype,
        lambda x, r: ops.roi_align_rotated(x, r, (5, 4), 0.5, 2, True, False),
        [features(2, 3, 15, 20), regions],
        half=3e-2,
    )


@OPERATORS("bezier_align", TWIN, ALL)
def _(dtype: str) -> None:
    inputs = [features(2, 3, 15, 20), rois(6, 2, torch.rand(6, 16) * 25)]
    agree(dtype, lambda x, r: ops.bezier_align(x, r, (5, 4), 0.5, 2, True), inputs, half=5e-2)


@OPERATORS("rotated_feature_align", TWIN, ALL)
def _(dtype: str) -> None:
    best = (inner_rotated if dtype == "float16" else rotated)(2 * 9 * 11).reshape(2, 9, 11, 5)
    for points in (1, 5):
        agree(
            dtype,
            lambda x, b, p=points: ops.rotated_feature_align(x, b, 0.25, p),
            [features(2, 4, 9, 11), best],
            half=5e-2,
        )


@OPERATORS("active_rotated_filter", TWIN, ALL)
def _(dtype: str) -> None:
    indices = torch.randint(1, 10, (8, 3, 3, 8), dtype=torch.int32)
    for turn in range(8):  # a turn of the ring of orientations: each entry is used once
        indices[..., turn] = torch.roll(torch.arange(1, 73).reshape(8, 9), turn, 1).reshape(8, 3, 3) % 72 + 1
    agree(dtype, ops.active_rotated_filter, [features(3, 2, 8, 3, 3), indices])


@OPERATORS("psa_mask", TWIN, FLOATS)
def _(dtype: str) -> None:
    for kind in ("collect", "distribute"):
        agree(dtype, lambda x, k=kind: ops.PSAMask(k, (5, 5))(x), [features(2, 25, 6, 7)])


def offsets(dtype: str, *shape: int) -> torch.Tensor:
    """Draw offsets in pixels; in float16 such that positions are exact, and none is a pixel's, where slopes change."""
    some = (torch.randint(-16, 16, shape) * 2 + 1) / 16 if dtype == "float16" else torch.randn(shape)
    return some.requires_grad_()


@OPERATORS("deform_conv", TWIN, ALL)
def _(dtype: str) -> None:
    inputs = [features(2, 4, 7, 8), offsets(dtype, 2, 2 * 2 * 9, 7, 8), features(6, 4, 3, 3)]
    agree(dtype, lambda x, o, w: ops.deform_conv2d(x, o, w, 1, 1, 1, 1, 2, False, 2), inputs, near=1e-4, half=5e-2)


@OPERATORS("modulated_deform_conv", TWIN, ALL)
def _(dtype: str) -> None:
    mask = torch.rand(2, 9, 7, 8, requires_grad=True)
    inputs = [features(2, 4, 7, 8), offsets(dtype, 2, 2 * 9, 7, 8), mask, features(6, 4, 3, 3), features(6)]
    agree(
        dtype,
        lambda x, o, m, w, b: ops.modulated_deform_conv2d(x, o, m, w, b, 1, 1, 1, 1, 1),
        inputs,
        near=1e-4,
        half=5e-2,
    )


@OPERATORS("voxelization", TWIN, FLOATS)
def _(dtype: str) -> None:
    points, space = torch.rand(300, 4) * 10, [0.0, 0.0, 0.0, 10.0, 10.0, 10.0]
    for most in (5, -1) if dtype == "float32" else (-1,):  # the deterministic kernel has float32 only
        agree(dtype, lambda p, m=most: ops.voxelization(p, [1.0, 1.0, 1.0], space, m, 400), [points])

    def sums(points: torch.Tensor, deterministic: bool) -> tuple[torch.Tensor, ...]:
        """Voxels have no order, nor have the points in them: what they have together, by coordinates."""
        voxels, cells, counts = ops.voxelization(points, [2.0, 2.0, 2.0], space, 300, 400, deterministic)
        order = (cells.long() @ torch.tensor([100, 10, 1]).to(cells.device)).argsort()
        return voxels.sum(1)[order], cells[order], counts[order]

    agree(dtype, lambda p: sums(p, True), [points], other_device=lambda p: sums(p, False))


@OPERATORS("points_in_boxes", TWIN, ALL)
def _(dtype: str) -> None:
    box = torch.cat([torch.rand(2, 5, 3) * 10, torch.rand(2, 5, 3) * 6 + 1, torch.randn(2, 5, 1)], 2)
    points = torch.rand(2, 200, 3) * 10
    if dtype == "float16":
        clear = [clear_of(points[b], box[b]) for b in range(2)]
        points = torch.stack([c[: min(map(len, clear))] for c in clear])

    def inside(points: torch.Tensor, box: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = ops.points_in_boxes_cpu(points.float(), box.float())
        return found

    def first(points: torch.Tensor, box: torch.Tensor) -> torch.Tensor:
        found = inside(points, box)
        return torch.where(found.any(2), found.argmax(2), -1).int()

    agree(dtype, inside, [points, box], other_device=ops.points_in_boxes_all)
    agree(dtype, first, [points, box], other_device=ops.points_in_boxes_part)


def clear_of(points: torch.Tensor, box: torch.Tensor) -> torch.Tensor:
    """Keep the points (n, 3) that are 0.1 or more from the sides of (m, 7) boxes: rounding moves none in or out."""
    change = torch.tensor([0, 0, 0.1, -0.2, -0.2, -0.2, 0])  # z is that of the floor
    small, large = (ops.points_in_boxes_cpu(points[None], (box + by)[None])[0] for by in (change, -change))
    return points[(small == large).all(1)]
