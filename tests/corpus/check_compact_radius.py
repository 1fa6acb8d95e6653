"""torchcompactradius on `musa`: the pairs of its C++ searches, against all distances in double precision."""

from __future__ import annotations

from itertools import product

import torch
from comparing import run_all
from torchCompactRadius import radiusSearch
from torchCompactRadius.util import DomainDescription, PointCloud

DTYPES = (torch.float32, torch.float64)
MODES = ("gather", "scatter", "symmetric", "superSymmetric")
Pairs = set[tuple[int, int]]


def check_two_clouds() -> None:
    for dtype, dimensions, mode, periodic in product(DTYPES, (1, 2, 3), MODES, (False, True)):
        compare(cloud(dtype, 90, dimensions), cloud(dtype, 140, dimensions), mode, periodic, "compact")


def check_one_cloud() -> None:
    """Its multi-level memory counts the neighbours of the reference points: the query must be the same points.

    In a periodic domain and in three dimensions it lacks pairs, on the CPU as well. In double precision its atomicCAS
    is one of 4 bytes (mlmUtil.h:421), and its loop may not end.
    """
    for count, mode in product((140, 500), ("gather", "scatter")):
        points = cloud(torch.float32, count, 2)
        compare(points, points, mode, False, "mlm")


def cloud(dtype: torch.dtype, count: int, dimensions: int) -> PointCloud:
    """Return points in a cube of edge 1, with 2 to 10 neighbours each."""
    radius = (6 / count) ** (1 / dimensions) / 2
    return PointCloud(torch.rand(count, dimensions).to(dtype), (radius * (0.7 + 0.3 * torch.rand(count))).to(dtype))


def compare(query: PointCloud, reference: PointCloud, mode: str, periodic: bool, algorithm: str) -> None:
    dimensions = query.positions.shape[1]
    domain = [torch.zeros(dimensions), torch.ones(dimensions), torch.full((dimensions,), periodic)]
    corners = [each.to(query.positions.dtype).to("musa") for each in domain[:2]]
    got = radiusSearch(
        PointCloud(query.positions.to("musa"), query.supports.to("musa")),
        PointCloud(reference.positions.to("musa"), reference.supports.to("musa")),
        mode=mode,
        domain=DomainDescription(*corners, domain[2].to("musa"), dimensions),
        algorithm=algorithm,
    )
    assert got.row.device.type == "musa"
    found = list(zip(got.row.tolist(), got.col.tolist()))
    wanted, open_pairs = neighbours(query, reference, mode, periodic)
    assert len(set(found)) == len(found), "a pair comes twice"
    assert set(found) - open_pairs == wanted - open_pairs, (
        query.positions.dtype,
        dimensions,
        mode,
        periodic,
        algorithm,
    )


def neighbours(query: PointCloud, reference: PointCloud, mode: str, periodic: bool) -> tuple[Pairs, Pairs]:
    """Return the pairs within the distance that the mode asks for, and those for which rounding decides."""
    difference = query.positions.double()[:, None] - reference.positions.double()[None]
    if periodic:
        difference = difference - difference.round()
    distance = difference.norm(dim=2)
    own, other = query.supports.double()[:, None], reference.supports.double()[None]
    limit = {
        "gather": own.expand_as(distance),
        "scatter": other.expand_as(distance),
        "symmetric": (own + other) / 2,
        "superSymmetric": torch.maximum(own, other),
    }[mode]
    near = (distance / limit - 1).abs() < 1e-5
    return pairs(distance <= limit), pairs(near)


def pairs(which: torch.Tensor) -> Pairs:
    return set(map(tuple, which.nonzero().tolist()))


if __name__ == "__main__":
    run_all()
