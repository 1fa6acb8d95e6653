"""gimbal-engine on `musa`: correlations, gradients of images, corners, halved and warped images, in float64."""

from __future__ import annotations

import torch
from comparing import on_both, run_all
from gimbal import _cuda as kernels
from gimbal.learned.correlation import FusedLocalCorrelation
from torch.nn import functional as F

SIZES = ((2, 8, 12, 16), (4, 96, 12, 14), (1, 5, 33, 7))
IMAGES = ((96, 128), (33, 41), (5, 6))


def check_correlations() -> None:
    for size in SIZES:
        for dtype, tolerance in ((torch.float64, 1e-10), (torch.float32, 1e-4), (torch.bfloat16, 3e-2)):
            for radius in (1, 3):
                given = [torch.randn(size, dtype=torch.float64).requires_grad_() for _ in range(2)]
                on_both(
                    lambda a, b, radius=radius: correlated(a, b, radius),
                    given,
                    other_device=lambda a, b, radius=radius: FusedLocalCorrelation.apply(a, b, radius),
                    dtype=dtype,
                    rtol=tolerance,
                    atol=10 * tolerance,
                )


def check_other_forms_of_correlations() -> None:
    for size in SIZES:
        a, b = torch.randn(size), torch.randn(size)
        wanted = correlated(a.double(), b.double(), 4)
        close(kernels.correlation_forward_v1(a.musa(), b.musa(), 4), wanted, 1e-4)
        if size[1] % 4 == 0:  # it reads float4
            last = [tensor.permute(0, 2, 3, 1).contiguous().musa() for tensor in (a, b)]
            close(kernels.correlation_forward_v2(*last, 4), wanted, 1e-4)


def correlated(a: torch.Tensor, b: torch.Tensor, radius: int) -> torch.Tensor:
    """Return the products of each pixel's channels with those of its neighbours, by their squares' usual size."""
    height, width = a.shape[2:]
    padded = F.pad(b, (radius,) * 4)
    products = [
        (a * padded[:, :, y : y + height, x : x + width]).sum(1)
        for y in range(2 * radius + 1)
        for x in range(2 * radius + 1)
    ]
    return torch.stack(products, 1) / a.shape[1] ** 0.5


def check_images() -> None:
    rows = torch.tensor([[3.0, 10, 3]]).double() / 32
    steps = torch.tensor([[-1.0, 0, 1]]).double()
    halves = torch.tensor([[1.0, 4, 6, 4, 1]]).double() / 16
    for size in IMAGES:
        image = (255 * torch.rand(size)).float()
        got = kernels.scharr_gradient(image.musa())
        wanted = (filtered(image.double(), rows.T @ steps), filtered(image.double(), steps.T @ rows))
        for one, other in zip(got, wanted):
            close(one, other, 1e-4)
        close(kernels.gaussian_downsample(image.musa()), filtered(image.double(), halves.T @ halves)[::2, ::2], 1e-4)
        for radius in (1, 3):
            box = torch.ones(2 * radius + 1, 2 * radius + 1).double()
            x, y = (gradient.cpu().double() for gradient in got)
            xx, yy, xy = (filtered(product, box) for product in (x * x, y * y, x * y))
            corners = (xx + yy) / 2 - (((xx - yy) / 2).square() + xy.square()).sqrt()
            scale = float((xx + yy).max())
            close(kernels.shi_tomasi_response(*got, radius) / scale, corners / scale, 1e-5)


def filtered(image: torch.Tensor, kernel: torch.Tensor) -> torch.Tensor:
    """Correlate an image with a small one; pixels outside are those at the edge."""
    far = kernel.shape[0] // 2
    padded = F.pad(image[None, None], (far,) * 4, mode="replicate")
    return F.conv2d(padded, kernel[None, None])[0, 0]


def check_warps() -> None:
    for height, width in IMAGES:
        source = torch.randint(0, 256, (height, width, 3), dtype=torch.uint8)
        for _ in range(4):
            matrix = torch.eye(3).double() + torch.randn(3, 3).double() * torch.tensor([[0.1], [0.1], [0.001]]).double()
            got = kernels.warp_bilinear(source.musa(), matrix.musa(), height + 3, width - 2)
            assert got.device.type == "musa" and got.shape == (height + 3, width - 2, 3)
            wanted = warped(source.double(), matrix, height + 3, width - 2)
            # a value half-way between two integers may be rounded either way
            assert (got.cpu().double() - wanted).abs().max() <= 0.5 + 1e-6


def warped(source: torch.Tensor, matrix: torch.Tensor, height: int, width: int) -> torch.Tensor:
    """Return bilinear samples of an image where `matrix` leads the pixels of another; black outside."""
    y, x = torch.meshgrid(torch.arange(height).double(), torch.arange(width).double(), indexing="ij")
    u, v, w = torch.einsum("ij,jyx->iyx", matrix, torch.stack([x, y, torch.ones_like(x)]))
    grid = torch.stack([2 * u / w / (source.shape[1] - 1) - 1, 2 * v / w / (source.shape[0] - 1) - 1], -1)
    samples = F.grid_sample(source.permute(2, 0, 1)[None], grid[None], align_corners=True)
    return samples[0].permute(1, 2, 0)


def close(got: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> None:
    assert got.device.type == "musa"
    torch.testing.assert_close(got.cpu().double(), wanted, rtol=tolerance, atol=10 * tolerance)


if __name__ == "__main__":
    run_all()
