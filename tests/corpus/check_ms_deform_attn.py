"""torch-ms-deform-attn on `musa`: samples of several pictures, weighted, with bilinear weights by hand in PyTorch."""

from __future__ import annotations

import torch
from comparing import on_both, run_all
from torch_ms_deform_attn.functional import ms_deform_attn

TOLERANCES = {
    torch.float64: (1e-9, 1e-10),
    torch.float32: (1e-4, 1e-5),
    torch.bfloat16: (3e-2, 3e-2),
    torch.float16: (1e-2, 2e-2),
}
CASES = (  # samples, heads, channels, pictures, queries, points
    (1, 1, 1, [(1, 1)], 1, 1),
    (2, 3, 5, [(4, 6), (2, 3)], 7, 4),
    (3, 2, 32, [(5, 5), (3, 2), (1, 4)], 9, 2),
    (1, 2, 64, [(6, 4)], 5, 3),
    (2, 1, 71, [(3, 3), (2, 2)], 4, 2),
    (1, 1, 1025, [(3, 2)], 3, 2),
    (1, 1, 2048, [(2, 2)], 2, 1),
)


def check_samples() -> None:
    for case in CASES:
        for dtype in TOLERANCES:
            agree(*case, dtype=dtype)


def check_steps() -> None:
    for step in (1, 2, 3, 64):
        agree(6, 2, 8, [(4, 4), (2, 2)], 5, 2, dtype=torch.float32, step=step)


def check_checked_shapes() -> None:
    agree(2, 2, 8, [(4, 4), (2, 2)], 5, 2, dtype=torch.float64, check_cuda_metadata=True)


def agree(
    samples: int,
    heads: int,
    channels: int,
    pictures: list[tuple[int, int]],
    queries: int,
    points: int,
    *,
    dtype: torch.dtype,
    step: int = 64,
    **options: bool,
) -> None:
    sizes = [height * width for height, width in pictures]
    shapes, starts = torch.tensor(pictures), torch.tensor([sum(sizes[:at]) for at in range(len(sizes))])
    values = torch.randn(samples, sum(sizes), heads, channels, dtype=torch.float64)
    # some are outside of the pictures
    positions = torch.rand(samples, queries, heads, len(pictures), points, 2, dtype=torch.float64) * 1.4 - 0.2
    weights = torch.rand(samples, queries, heads, len(pictures), points, dtype=torch.float64)
    inputs = [tensor.requires_grad_() for tensor in (values, positions, weights)]
    relative, absolute = TOLERANCES[dtype]

    def reference(values: torch.Tensor, positions: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        wide = torch.float64 if dtype == torch.float64 else torch.float32
        got = sampled(values.to(wide), positions.to(wide), weights.to(wide), pictures)
        return got.to(values.dtype)

    def on_device(values: torch.Tensor, positions: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        return ms_deform_attn(values, shapes.musa(), starts.musa(), positions, weights, step, **options)

    on_both(reference, inputs, other_device=on_device, dtype=dtype, rtol=relative, atol=absolute)


def sampled(
    values: torch.Tensor, positions: torch.Tensor, weights: torch.Tensor, pictures: list[tuple[int, int]]
) -> torch.Tensor:
    """The sum of weights times the interpolated values; values outside of a picture are zero."""
    total, start = torch.zeros((), dtype=values.dtype), 0
    samples = torch.arange(values.shape[0]).view(-1, 1, 1, 1)
    heads = torch.arange(values.shape[2]).view(1, 1, -1, 1)
    for level, (height, width) in enumerate(pictures):
        x = positions[:, :, :, level, :, 0] * width - 0.5
        y = positions[:, :, :, level, :, 1] * height - 0.5
        left, top = x.detach().floor(), y.detach().floor()
        for column, across in ((left, 1 - (x - left)), (left + 1, x - left)):
            for row, down in ((top, 1 - (y - top)), (top + 1, y - top)):
                inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
                at = start + row.clamp(0, height - 1).long() * width + column.clamp(0, width - 1).long()
                share = across * down * inside * weights[:, :, :, level]
                total = total + (values[samples, at, heads] * share[..., None]).sum(3)
        start += height * width
    return total.flatten(2)


if __name__ == "__main__":
    run_all()
