"""fused-lncc on `musa`: one minus the mean squared local correlation, by sums over boxes in double precision."""

from __future__ import annotations

import torch
from comparing import run_all
from fused_lncc import fused_lncc_loss

SIZES = ((1, 1, 8, 8, 8), (2, 1, 9, 7, 17), (1, 3, 5, 20, 11), (2, 2, 3, 2, 1))


def check_losses() -> None:
    for kernel in (3, 5):
        for size in SIZES:
            for dtype in (torch.float32, torch.bfloat16):
                agree(torch.randn(size), torch.randn(size), kernel, dtype)


def check_similar_pictures() -> None:
    for kernel in (3, 5):
        picture = torch.rand(2, 1, 12, 9, 10)
        agree(picture, 0.8 * picture + 0.1 * torch.rand_like(picture), kernel, torch.float32, smooth=1e-2)


def agree(
    predicted: torch.Tensor, target: torch.Tensor, kernel: int, dtype: torch.dtype, *, smooth: float = 1e-1
) -> None:
    predicted, target = predicted.to(dtype), target.to(dtype)
    reference = predicted.double().requires_grad_()
    wanted = loss(reference, target.double(), kernel, smooth)
    (2 * wanted).backward()
    leaf = predicted.musa().requires_grad_()
    got = fused_lncc_loss(leaf, target.musa(), kernel, smooth)
    (2 * got).backward()
    assert got.device.type == "musa" and leaf.grad is not None and reference.grad is not None
    torch.testing.assert_close(got.detach().cpu().double(), wanted.detach(), rtol=1e-5, atol=1e-5)
    relative = 1e-3 if dtype == torch.float32 else 1e-2
    largest = reference.grad.abs().max().item()
    torch.testing.assert_close(leaf.grad.cpu().double(), reference.grad, rtol=relative, atol=relative * largest)


def loss(predicted: torch.Tensor, target: torch.Tensor, kernel: int, smooth: float) -> torch.Tensor:
    count = kernel**3

    def sums(values: torch.Tensor) -> torch.Tensor:
        ones = torch.ones(1, 1, kernel, kernel, kernel, dtype=values.dtype)
        return torch.nn.functional.conv3d(values.flatten(0, 1)[:, None], ones, padding=kernel // 2)

    one, other = sums(predicted), sums(target)
    cross = sums(predicted * target) - one * other / count
    spread = (sums(predicted**2) - one**2 / count + smooth) * (sums(target**2) - other**2 / count + smooth)
    return 1 - (cross**2 / spread).clamp(max=1).mean()


if __name__ == "__main__":
    run_all()
