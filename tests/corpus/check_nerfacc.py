"""nerfacc on `musa` against PyTorch's own operators, and nerfacc's own code in PyTorch, on the CPU."""

from __future__ import annotations

from collections.abc import Callable

import nerfacc
import torch
from comparing import on_both, run_all
from nerfacc import cameras, grid, pdf
from nerfacc.data_specs import RayIntervals

Function = Callable[..., torch.Tensor]


def packed(counts: torch.Tensor) -> torch.Tensor:
    """Where each ray's values begin in one list of all, and how many they are."""
    return torch.stack([counts.cumsum(0) - counts, counts], dim=-1)


def ray_by_ray(function: Function) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """`function` on the values of each ray, which lie one behind the other."""
    return lambda values, info: torch.cat([function(ray) for ray in values.split(info[:, 1].tolist())])


def exclusive(function: Function, first: float) -> Function:
    return lambda ray: function(torch.cat([ray.new_full((1,), first), ray]), 0)[: ray.numel()]


SCANS: tuple[tuple[Function, Function], ...] = (
    (nerfacc.inclusive_sum, lambda ray: ray.cumsum(0)),
    (nerfacc.exclusive_sum, exclusive(torch.cumsum, 0.0)),
    (nerfacc.inclusive_prod, lambda ray: ray.cumprod(0)),
    (nerfacc.exclusive_prod, exclusive(torch.cumprod, 1.0)),
)


def check_scans() -> None:
    """Rays of any length: none, one, and more than a block does at once."""
    for counts in ((1,), (5, 0, 1, 33), (1000, 3, 700, 0), tuple(range(40))):
        info = packed(torch.tensor(counts))
        values = torch.rand(sum(counts)) * 0.1 + 0.95
        for function, of_ray in SCANS:
            inputs = [values.requires_grad_(), info]
            on_both(ray_by_ray(of_ray), inputs, other_device=function, rtol=1e-4, atol=1e-4)


def check_rendering() -> None:
    """The weights of samples along rays, from densities: forward and backward."""
    counts = torch.tensor([3, 0, 70, 128, 1])
    info, total = packed(counts), int(counts.sum())
    starts = torch.rand(total)
    ends, densities = starts + torch.rand(total) * 0.1, torch.rand(total) * 5

    def weights_on_cpu(starts: torch.Tensor, ends: torch.Tensor, densities: torch.Tensor) -> torch.Tensor:
        depth = (ends - starts) * densities
        passed = ray_by_ray(exclusive(torch.cumsum, 0.0))(depth, info)
        return (-passed).exp() * (1 - (-depth).exp())

    def weights_on_musa(starts: torch.Tensor, ends: torch.Tensor, densities: torch.Tensor) -> torch.Tensor:
        rendered = nerfacc.render_weight_from_density(starts, ends, densities, packed_info=info.to(starts.device))
        return rendered[0]

    inputs = [starts.requires_grad_(), ends.detach().requires_grad_(), densities.requires_grad_()]
    on_both(weights_on_cpu, inputs, other_device=weights_on_musa, rtol=1e-4, atol=1e-5)


def rays(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(count, 3), torch.nn.functional.normalize(torch.randn(count, 3), dim=-1)


def check_boxes() -> None:
    for count, boxes in ((1, 1), (300, 40)):
        origins, directions = rays(count)
        corner = torch.rand(boxes, 3)
        inputs = [origins, directions, torch.cat([corner, corner + torch.rand(boxes, 3)], dim=-1)]
        on_both(grid._ray_aabb_intersect, inputs, other_device=nerfacc.ray_aabb_intersect)
        on_both(between_planes, inputs, other_device=lambda *a: nerfacc.ray_aabb_intersect(*a, 0.2, 1.5, -1.0))


def between_planes(*inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """As the kernel has it. (0.5.3's PyTorch code also moves what lies wholly before or behind both planes.)"""
    near, far, hits = grid._ray_aabb_intersect(*inputs)
    return torch.where(hits, near.clamp(min=0.2), -1.0), torch.where(hits, far.clamp(max=1.5), -1.0), hits


def check_traversal() -> None:
    """Where a ray is sampled, the grid is occupied; and all of its occupied length is sampled."""
    levels, step, count = 3, 2e-3, 20
    origins, directions = rays(count)
    base = torch.tensor([-1.0, -1, -1, 1, 1, 1])
    boxes = torch.stack([grid._enlarge_aabb(base, 2**level) for level in range(levels)])
    occupied = torch.rand(levels, 8, 8, 8) > 0.5
    on_device = [tensor.musa() for tensor in (origins, directions, occupied, boxes)]
    intervals, samples, _ = nerfacc.traverse_grids(*on_device, step_size=step)
    assert samples.ray_indices.device.type == "musa"
    ray = samples.ray_indices.cpu()
    starts, ends = (intervals.vals[side].cpu() for side in (intervals.is_left, intervals.is_right))
    middle = origins[ray] + directions[ray] * ((starts + ends) / 2)[:, None]
    is_occupied, is_inside = grid._query(middle, occupied, base)
    assert is_inside.all() and is_occupied.float().mean() > 0.999, is_occupied.float().mean()

    sampled = torch.zeros(count).index_add(0, ray, ends - starts)
    along = torch.arange(0, 20, step) + step / 2
    points = (origins[:, None] + directions[:, None] * along[:, None]).reshape(-1, 3)
    values, inside = grid._query(points, occupied, base)
    length = (values.bool() & inside).reshape(count, -1).sum(-1) * step
    torch.testing.assert_close(sampled, length, rtol=0.02, atol=0.05)


def check_sampling() -> None:
    """The new samples' positions, the edges of the intervals around them, and a random shift that stays in its step."""
    rows = 10
    edges = torch.rand(rows, 101).sort(dim=-1).values
    weights = torch.rand(rows, 100)
    cdf = torch.cat([torch.zeros(rows, 1), (weights / weights.sum(-1, keepdim=True)).cumsum(-1)], dim=-1)
    there = RayIntervals(vals=edges.musa())
    for count in (2, 7, 100, 300):
        intervals, samples = pdf.importance_sampling(there, cdf.musa(), count, False)
        assert samples.vals.device.type == intervals.vals.device.type == "musa"
        for row in range(rows):
            ray = edges[row : row + 1]
            around, middles = pdf._sample_from_weighted(
                ray, weights[row : row + 1], count, False, float(ray.min()), float(ray.max())
            )
            torch.testing.assert_close(samples.vals[row : row + 1].cpu(), middles, rtol=1e-4, atol=1e-4)
            torch.testing.assert_close(intervals.vals[row : row + 1].cpu(), around, rtol=1e-4, atol=1e-4)
        shifted = pdf.importance_sampling(there, cdf.musa(), count, True)[1].vals
        at = torch.searchsorted(edges, shifted.cpu()).clamp(1, 100)
        low, high = edges.gather(1, at - 1), edges.gather(1, at)
        reached = torch.lerp(cdf.gather(1, at - 1), cdf.gather(1, at), (shifted.cpu() - low) / (high - low))
        steps = reached * count - torch.arange(count)
        assert steps.min() > -0.05 and steps.max() < 1.05 and not torch.equal(shifted, samples.vals)


def check_searching() -> None:
    for rows, columns in ((1, 1), (10, 100), (3, 700)):
        keys, queries = torch.rand(2, rows, columns + 1).sort(dim=-1).values.unbind(0)
        right = torch.searchsorted(keys, queries, right=True).clamp(max=columns)
        left, got = pdf.searchsorted(RayIntervals(vals=keys.musa()), RayIntervals(vals=queries.musa()))
        assert torch.equal(got.cpu(), right)
        assert torch.equal(left.cpu(), (right - 1).clamp(min=0))


def check_lenses() -> None:
    for shape in ((1,), (3, 500)):
        points = torch.rand(*shape, 2)
        eight, four = torch.rand(8) * 0.01, torch.rand(4) * 0.01
        on_both(
            lambda uv, params: cameras._opencv_lens_undistortion(uv, params, 1e-5, 10),
            [points, eight],
            other_device=lambda uv, params: cameras.opencv_lens_undistortion(uv, params, 1e-5, 10),
            rtol=1e-4,
            atol=1e-5,
        )
        there = cameras.opencv_lens_undistortion_fisheye(points.musa(), four.musa(), 1e-5, 10)
        again = cameras._opencv_lens_distortion_fisheye(there.cpu(), four)
        torch.testing.assert_close(again, points, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    run_all()
