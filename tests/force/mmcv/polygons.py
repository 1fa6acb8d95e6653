"""Operators on polygons that mmcv has for CUDA alone: against hulls, clipping and areas in PyTorch.

The references follow textbooks (Andrew's monotone chain, Sutherland and Hodgman's clipping), go polygon by polygon in
float64, and let PyTorch differentiate them. A polygon is a tensor (n, 2) of corners, counterclockwise.
"""

from __future__ import annotations

import mmcv.ops as ops
import torch
from mmcv import _ext
from precision import ALL, agree
from table import OPERATORS
from torch import Tensor
from twins import quadri, rotated

CLIPPED = "hulls, clipped"


def side(a: Tensor, b: Tensor, point: Tensor) -> Tensor:
    """Positive where `point` is to the left of the way from a to b."""
    return (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])


def hull(points: Tensor) -> Tensor:
    """The convex hull of (n, 2)."""
    order = sorted(range(len(points)), key=lambda k: points[k].tolist())

    def half(order: list[int]) -> list[int]:
        chain: list[int] = []
        for k in order:
            while len(chain) > 1 and side(points[chain[-2]], points[chain[-1]], points[k]) <= 0:
                chain.pop()
            chain.append(k)
        return chain[:-1]

    return points[half(order) + half(order[::-1])]


def area(polygon: Tensor) -> Tensor:
    if len(polygon) < 3:
        return polygon.sum() * 0
    x, y = polygon.unbind(1)
    return (x * y.roll(-1) - y * x.roll(-1)).sum() / 2


def clipped(polygon: Tensor, by: Tensor) -> Tensor:
    """Intersect two convex polygons."""
    for a, b in zip(by, by.roll(-1, 0)):
        kept: list[Tensor] = []
        for p, q in zip(polygon, polygon.roll(-1, 0)):
            at, then = side(a, b, p), side(a, b, q)
            kept += [p] if at >= 0 else []
            kept += [p + (q - p) * at / (at - then)] if at * then < 0 else []
        if not kept:
            return by[:0] + polygon.sum() * 0
        polygon = torch.stack(kept)
    return polygon


def iou(a: Tensor, b: Tensor) -> Tensor:
    shared = area(clipped(a, b))
    return shared / (area(a) + area(b) - shared)


def giou(a: Tensor, b: Tensor) -> Tensor:
    """Less than `iou` by the part of the hull of both that neither covers."""
    shared, around = area(clipped(a, b)), area(hull(torch.cat([a, b])))
    union = area(a) + area(b) - shared
    return shared / union - (around - union) / around


def corners(box: Tensor) -> Tensor:
    """The corners of (x, y, w, h, angle)."""
    x, y, w, h, angle = box.unbind()
    out = [
        (
            x + dx * w / 2 * angle.cos() - dy * h / 2 * angle.sin(),
            y + dx * w / 2 * angle.sin() + dy * h / 2 * angle.cos(),
        )
        for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    return torch.stack([torch.stack(corner) for corner in out])


def point_sets(count: int) -> Tensor:
    """(count, 18): nine points each, some of which are no corners of their hull."""
    return (torch.rand(count, 1, 2) * 4 + torch.rand(count, 9, 2) * 6).reshape(count, 18)


@OPERATORS("convex_iou", CLIPPED, ALL)
def _(dtype: str) -> None:
    def formula(a: Tensor, b: Tensor) -> Tensor:
        sets = [hull(points) for points in a.double().reshape(-1, 9, 2)]
        others = [hull(points) for points in b.double().reshape(-1, 4, 2)]
        return torch.stack([torch.stack([iou(s, o) for o in others]) for s in sets]).to(a.dtype)

    agree(dtype, formula, [point_sets(7), quadri(5, size=6)], other_device=ops.convex_iou, double=1e-7)


@OPERATORS("convex_giou", CLIPPED, ALL)
def _(dtype: str) -> None:
    """The operator's second result is the gradient of its first."""

    def formula(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        points = a.double().requires_grad_()
        pairs = zip(points.reshape(-1, 9, 2), b.double().reshape(-1, 4, 2))
        values = torch.stack([giou(hull(p), hull(q)) for p, q in pairs])
        return values.detach().to(a.dtype), torch.autograd.grad(values.sum(), points)[0].to(a.dtype)

    agree(dtype, formula, [point_sets(12), quadri(12, size=6)], other_device=ops.convex_giou, double=1e-7)


@OPERATORS("min_area_polygons", CLIPPED, ALL)
def _(dtype: str) -> None:
    """The smallest rectangle around points has a side along one of the hull's; it is compared by area and by cover."""

    def formula(a: Tensor) -> tuple[Tensor, Tensor]:
        out = []
        for points in a.double().reshape(-1, 9, 2):
            around = hull(points)
            way = around.roll(-1, 0) - around
            way = way / way.norm(dim=1, keepdim=True)
            along, across = around @ way.T, around @ torch.stack([-way[:, 1], way[:, 0]])
            spans = [x.max(0).values - x.min(0).values for x in (along, across)]
            out.append((spans[0] * spans[1]).min())
        return torch.stack(out).to(a.dtype), torch.ones(len(out), dtype=a.dtype)

    def on_device(a: Tensor) -> tuple[Tensor, Tensor]:
        found = ops.min_area_polygons(a).cpu().double().reshape(-1, 4, 2)
        points = a.cpu().double().reshape(-1, 9, 2)
        around = [hull(torch.cat(pair)) for pair in zip(found, points)]
        areas = torch.stack([area(hull(f)) for f in found])
        covers = areas / torch.stack([area(h) for h in around])
        return areas.to(a), covers.to(a)

    agree(dtype, formula, [point_sets(6)], other_device=on_device, near=1e-5, double=1e-6)


@OPERATORS("points_in_polygons", "the sides of four edges", ALL)
def _(dtype: str) -> None:
    def sides(points: Tensor, polygons: Tensor) -> Tensor:
        four = polygons.reshape(-1, 4, 2)
        edges = four.roll(-1, 1) - four
        to = points[:, None, None] - four
        return (edges[..., 0] * to[..., 1] - edges[..., 1] * to[..., 0]) / edges.norm(dim=-1)

    def formula(points: Tensor, polygons: Tensor) -> Tensor:
        distance = sides(points, polygons)
        return ((distance > 0).all(-1) | (distance < 0).all(-1)).to(points.dtype)

    def on_device(points: Tensor, polygons: Tensor) -> Tensor:
        if dtype == "float32":
            return ops.points_in_polygons(points, polygons)
        found = points.new_zeros(len(points), len(polygons))  # mmcv's Python side always makes room for float32
        _ext.points_in_polygons_forward(points, polygons, found)
        return found

    polygons, points = quadri(9), torch.rand(300, 2) * 20
    # Rounded to float16, a point may change sides; the others must not.
    clear = (sides(points, polygons).abs() > 0.1).all(-1).all(-1) if dtype == "float16" else slice(None)
    agree(dtype, formula, [points[clear], polygons], other_device=on_device)


@OPERATORS("diff_iou_rotated_2d", CLIPPED)
def _(dtype: str) -> None:
    def formula(a: Tensor, b: Tensor) -> Tensor:
        pairs = zip(a.double(), b.double())
        return torch.stack([iou(corners(x), corners(y)) for x, y in pairs]).to(a.dtype)

    inputs = [rotated(40, size=10).requires_grad_(), rotated(40, size=10).requires_grad_()]
    agree(dtype, formula, inputs, other_device=lambda a, b: ops.diff_iou_rotated_2d(a[None], b[None])[0], near=1e-4)


@OPERATORS("diff_iou_rotated_3d", CLIPPED)
def _(dtype: str) -> None:
    """Boxes are (x, y, z, w, h, l, angle)."""

    def flat(box: Tensor) -> Tensor:
        return corners(box[[0, 1, 3, 4, 6]])

    def shared(a: Tensor, b: Tensor) -> Tensor:
        height = torch.minimum(a[2] + a[5] / 2, b[2] + b[5] / 2) - torch.maximum(a[2] - a[5] / 2, b[2] - b[5] / 2)
        return area(clipped(flat(a), flat(b))) * height.clamp(min=0)

    def formula(a: Tensor, b: Tensor) -> Tensor:
        pairs = list(zip(a.double(), b.double()))
        both = torch.stack([shared(x, y) for x, y in pairs])
        volumes = torch.stack([x[3:6].prod() + y[3:6].prod() for x, y in pairs])
        return (both / (volumes - both)).to(a.dtype)

    def boxes() -> Tensor:
        box = rotated(30, size=10)
        return torch.cat([box[:, :2], torch.rand(30, 1) * 4, box[:, 2:4], torch.rand(30, 1) * 4 + 1, box[:, 4:]], 1)

    inputs = [boxes().requires_grad_(), boxes().requires_grad_()]
    agree(dtype, formula, inputs, other_device=lambda a, b: ops.diff_iou_rotated_3d(a[None], b[None])[0], near=1e-4)


@OPERATORS("boxes_iou_bev", CLIPPED)
def _(dtype: str) -> None:
    """Boxes as seen from above are (x, y, w, h, angle) of iou3d's (x, y, z, l, w, h, angle)."""

    def in_space(flat: Tensor) -> Tensor:
        height = flat.new_ones(len(flat), 1)
        return torch.cat([flat[:, :2], height, flat[:, 2:4], height, flat[:, 4:]], 1)

    def formula(a: Tensor, b: Tensor) -> Tensor:
        rows = [[iou(corners(x), corners(y)) for y in b.double()] for x in a.double()]
        return torch.stack([torch.stack(row) for row in rows]).to(a.dtype)

    agree(
        dtype,
        formula,
        [rotated(12, size=10), rotated(8, size=10)],
        other_device=lambda a, b: ops.boxes_iou3d(in_space(a), in_space(b)),
        near=1e-3,
    )
