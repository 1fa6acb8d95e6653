"""torch-points-kernels on `musa` against its own CPU code, and against PyTorch where it has none.

Of furthest_point_sample, the first two points are compared: from the third on, its kernel (0.7.0) has a race. It reads
dists_i[0] in all threads, and thread 0 writes it in the next round, without a barrier between.
"""

from __future__ import annotations

from itertools import product

import torch
import torch_points_kernels as points
from comparing import on_both, run_all
from torch_points_kernels.chamfer_dist import chamfer_dist
from torch_points_kernels.gridding import gridding

SIZES = ((1, 3, 3), (2, 100, 37), (3, 40, 700))  # clouds, points in the first of a pair, and in the second


def check_three_neighbours() -> None:
    for clouds, one, other in SIZES:
        here, known = torch.rand(clouds, one, 3), torch.rand(clouds, other, 3)
        distance, index = points.three_nn(here.musa(), known.musa())
        wanted, wanted_index = torch.cdist(here, known).topk(3, largest=False)
        torch.testing.assert_close(distance.cpu(), wanted, rtol=1e-4, atol=1e-4)
        reached = (here[:, :, None] - known[torch.arange(clouds)[:, None, None], index.cpu().long()]).norm(dim=-1)
        torch.testing.assert_close(reached, wanted, rtol=1e-4, atol=1e-4)
        assert index.device.type == "musa" and wanted_index.shape == index.shape


def check_interpolation() -> None:
    """The kernel's indices are 32 bits wide, those of the CPU's code 64."""
    for (clouds, known, made), channels in product(SIZES, (1, 5, 70)):
        features = torch.randn(clouds, channels, known, requires_grad=True)
        index, weight = torch.randint(known, (clouds, made, 3)), torch.rand(clouds, made, 3)
        on_both(
            points.three_interpolate,
            [features, index, weight],
            other_device=lambda f, i, w: points.three_interpolate(f, i.int(), w),
            rtol=1e-4,
            atol=1e-4,
        )


def check_balls() -> None:
    """The kernels take the first neighbours that they find; all are compared where there is room for all."""
    for clouds, one, other in SIZES:
        centres, cloud = torch.rand(clouds, one, 3), torch.rand(clouds, other, 3)
        distances = torch.cdist(centres.double(), cloud.double())
        index, squared = points.ball_query(0.3, other, cloud.musa(), centres.musa(), mode="dense")
        same_balls(index, squared, distances, 0.3)
        few, _ = points.ball_query(0.3, 2, cloud.musa(), centres.musa(), mode="dense")
        assert torch.equal(few.cpu(), index.cpu()[..., :2])

        batches = [torch.arange(clouds).repeat_interleave(count) for count in (other, one)]
        flat = [tensor.reshape(-1, 3).musa() for tensor in (cloud, centres)]
        index, squared = points.ball_query(
            0.3, other, *flat, mode="partial_dense", batch_x=batches[0].musa(), batch_y=batches[1].musa()
        )
        index = torch.where(index >= 0, index - torch.arange(clouds).repeat_interleave(one)[:, None].musa() * other, -1)
        same_balls(index.reshape(clouds, one, other), squared.reshape(clouds, one, other), distances, 0.3)


def same_balls(index: torch.Tensor, squared: torch.Tensor, distances: torch.Tensor, radius: float) -> None:
    """Points with a distance are neighbours, in rising order; points at the rim may be either, by rounding."""
    assert index.device.type == squared.device.type == "musa"
    index, squared = index.cpu(), squared.cpu()
    found = torch.zeros_like(distances, dtype=torch.bool)
    cloud, centre, rank = (squared >= 0).nonzero().unbind(1)
    neighbour = index[cloud, centre, rank]
    found[cloud, centre, neighbour] = True
    certain = (distances - radius).abs() > 1e-6
    assert torch.equal(found[certain], (distances < radius)[certain])
    wanted = distances[cloud, centre, neighbour].square().float()
    torch.testing.assert_close(squared[cloud, centre, rank], wanted, rtol=1e-4, atol=1e-6)


def check_furthest_points() -> None:
    for clouds, count, _ in SIZES[1:]:
        cloud = torch.rand(clouds, count, 3) + 0.1  # the kernel leaves out points at the origin
        chosen = points.furthest_point_sample(cloud.musa(), min(count, 16))
        assert chosen.device.type == "musa" and chosen.shape == (clouds, min(count, 16))
        furthest = (cloud - cloud[:, :1]).square().sum(-1).argmax(-1)
        assert torch.equal(chosen[:, :2].cpu().long(), torch.stack([torch.zeros_like(furthest), furthest], 1))
        assert ((chosen >= 0) & (chosen < count)).all()


def check_overlap_of_instances() -> None:
    labels = torch.randint(0, 6, (300,))
    labels[[0, 150]] = 5
    batch = torch.arange(300) // 150
    instances = [torch.randperm(150)[:count] + shift for count, shift in ((40, 0), (1, 150), (150, 0), (77, 150))]
    got = points.instance_iou([one.musa() for one in instances], labels.musa(), batch.musa())
    wanted = points.instance_iou(instances, labels, batch)
    assert got.device.type == "musa"
    torch.testing.assert_close(got.cpu(), wanted, rtol=1e-4, atol=1e-4)


def check_chamfer_distance() -> None:
    def formula(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        squared = (one[:, :, None] - other[:, None]).square().sum(-1)
        return squared.min(2).values.mean() + squared.min(1).values.mean()

    for (clouds, one, other), dtype in product((*SIZES, (1, 600, 1100)), (torch.float32, torch.float64)):
        pair = [torch.randn(clouds, count, 3, dtype=dtype, requires_grad=True) for count in (one, other)]
        on_both(formula, pair, other_device=chamfer_dist, rtol=1e-4, atol=1e-5)


def check_cubes() -> None:
    """The features at the corners of the cells around each point, in rising order of x, y, z."""
    for (scale, around, channels), dtype in product(((4, 1, 1), (8, 2, 3), (5, 1, 40)), (torch.float32, torch.float64)):

        def formula(cloud: torch.Tensor, cubes: torch.Tensor, n: int = around, s: int = scale) -> torch.Tensor:
            low = (cloud * s / 2 + s / 2).floor().long() - (n - 1)
            steps = torch.cartesian_prod(*[torch.arange(2 * n)] * 3)
            corners = low[:, :, None] + steps
            inside = ((corners >= 0) & (corners < s)).all(-1)
            x, y, z = corners.clamp(0, s - 1).unbind(-1)
            first = torch.arange(len(cubes))[:, None, None]
            return cubes.permute(0, 2, 3, 4, 1)[first, x, y, z] * inside[..., None]

        cloud = (torch.rand(2, 300, 3, dtype=dtype) * 2 - 1) * 0.99
        cubes = torch.randn(2, channels, scale, scale, scale, dtype=dtype, requires_grad=True)
        on_both(
            formula,
            [cloud, cubes],
            other_device=lambda p, c, n=around: points.cubic_feature_sampling(p, c, n),
            rtol=1e-5,
            atol=1e-5,
        )


def check_grids() -> None:
    """A point's weight for a corner of its cell is the product of one minus the distances along the axes."""
    for scale, dtype in product((2, 5), (torch.float32, torch.float64)):

        def formula(cloud: torch.Tensor, s: int = scale) -> torch.Tensor:
            scaled = cloud * s
            low = scaled.detach().floor()
            grids = []
            for one, under in zip(scaled, low):
                grid = torch.zeros((2 * s) ** 3, dtype=one.dtype)
                for step in torch.cartesian_prod(*[torch.arange(2)] * 3):
                    corner = under + step
                    weight = (1 - (one - corner).abs()).prod(-1)
                    x, y, z = (corner + s).long().unbind(-1)
                    grid = grid.index_add(0, (x * 2 * s + y) * 2 * s + z, weight)
                grids.append(grid)
            return torch.stack(grids)

        cloud = (torch.rand(2, 200, 3, dtype=dtype) * 1.98 - 0.99).clamp(max=1 - 1.02 / scale)
        on_both(
            formula,
            [cloud.requires_grad_()],
            other_device=lambda p, s=scale: gridding(p, s).reshape(len(p), -1),
            rtol=1e-4,
            atol=1e-4,
        )


if __name__ == "__main__":
    run_all()
