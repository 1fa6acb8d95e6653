"""dbscan-torch on `musa`: the clusters are those of all distances, computed in integers. It has no gradients.

Coordinates are sixteenths, so distances are exact in float32, its only type, and no rounding decides about a neighbour.
"""

from __future__ import annotations

import torch
import torch_musa  # noqa: F401 - registers the musa device
from comparing import run_all
from dbscan_torch import DBSCAN, dbscan2d

CASES = (  # points, extent in sixteenths, radius in sixteenths, neighbours of a core point
    (1, 8, 8.5, 1),
    (1, 8, 8.5, 2),
    (33, 100, 8.5, 3),
    (300, 400, 14.5, 4),
    (300, 40, 3.5, 5),
    (1500, 900, 20.5, 6),
    (1500, 200, 6.5, 12),
)


def check_clusters() -> None:
    for count, extent, radius, least in CASES:
        points = torch.randint(-extent, extent, (count, 2))
        got = dbscan2d((points.float() / 16).musa(), radius / 16, least)
        assert got.device.type == "musa" and got.dtype == torch.int32
        agree(got.cpu().long(), clusters(points, radius, least))


def check_equal_points() -> None:
    points = torch.randint(-3, 3, (700, 2)) * 40
    agree(dbscan2d((points.float() / 16).musa(), 1.0, 15).cpu().long(), clusters(points, 16.5, 15))


def check_the_class() -> None:
    points = torch.randint(-100, 100, (200, 2))
    got = DBSCAN(eps=10.5 / 16, min_samples=4).fit_predict((points.double() / 16).musa())
    agree(got.cpu().long(), clusters(points, 10.5, 4))


def clusters(points: torch.Tensor, radius: float, least: int) -> torch.Tensor:
    """A core point's cluster is its component; another's is that of the nearest core point, the first of several."""
    squares = (points[:, None] - points[None]).pow(2).sum(-1)
    near = squares <= radius**2
    core = near.sum(1) >= least
    labels = torch.where(core, torch.arange(len(points)), len(points))
    while True:  # the smallest number of a component spreads over it
        links = near & core[None]
        spread = torch.where(links, labels[None], len(points)).amin(1)
        spread = torch.where(core, spread, len(points))
        if torch.equal(spread, labels):
            break
        labels = spread
    for at in (~core).nonzero().flatten().tolist():
        reached = (near[at] & core).nonzero().flatten()
        labels[at] = labels[reached[squares[at, reached].argmin()]] if len(reached) else -1
    return labels


def agree(got: torch.Tensor, wanted: torch.Tensor) -> None:
    """The same clusters, whatever their numbers."""
    assert torch.equal(got == -1, wanted == -1)
    pairs = {(a, b) for a, b in zip(got.tolist(), wanted.tolist()) if a != -1}
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    assert sorted({a for a, _ in pairs}) == list(range(len(pairs))), "numbers from 0 without holes"


if __name__ == "__main__":
    run_all()
