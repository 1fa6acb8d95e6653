"""eden-simple-knn on `musa`: the mean square distance to the three nearest points, against all distances in double."""

from __future__ import annotations

import simple_knn
import torch
from comparing import run_all

SIZES = (4, 5, 33, 1000, 1025, 5000)


def check_distances() -> None:
    for size in SIZES:
        for scale in (1.0, 1e-3, 300.0):
            compare(torch.randn(size, 3) * scale)


def check_clusters_and_equal_points() -> None:
    centres = torch.randn(20, 3) * 50
    compare((centres[torch.randint(20, (3000,))] + torch.randn(3000, 3) * 0.01).contiguous())
    compare(torch.randn(50, 3).repeat(5, 1))
    compare(torch.cat([torch.zeros(40, 3), torch.randn(100, 3)]))
    compare(torch.rand(700, 3) * torch.tensor([1.0, 0.0, 0.0]))


def compare(points: torch.Tensor) -> None:
    exact = points.double()
    squares = (exact[:, None] - exact[None]).square().sum(2)
    squares.fill_diagonal_(float("inf"))
    wanted = squares.topk(3, largest=False).values.mean(1)
    got = simple_knn.distCUDA2(points.to("musa"))
    assert got.device.type == "musa" and got.dtype == torch.float32
    torch.testing.assert_close(got.cpu().double(), wanted, rtol=1e-5, atol=1e-9)


if __name__ == "__main__":
    run_all()
