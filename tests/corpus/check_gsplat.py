"""gsplat on `musa`: projection and harmonics against its PyTorch code, pictures against the sum over all Gaussians.

Its kernels know float32 alone.
"""

from __future__ import annotations

import torch
from comparing import on_both, run_all
from gsplat.cuda import _torch_impl, _wrapper
from gsplat.rendering import rasterization

WIDTH, HEIGHT = 40, 28


def check_harmonics() -> None:
    for degree, shape in ((0, (7,)), (1, (2, 5)), (2, (33,)), (3, (300,)), (4, (3, 20))):
        directions = torch.randn(*shape, 3, requires_grad=degree > 0)
        coefficients = torch.randn(*shape, 25, 3, requires_grad=True)
        on_both(
            lambda d, c, degree=degree: _torch_impl._spherical_harmonics(degree, d, c),
            [directions, coefficients],
            other_device=lambda d, c, degree=degree: _wrapper.spherical_harmonics(degree, d, c),
            rtol=1e-4,
            atol=1e-5,
        )


def check_covariances() -> None:
    for count in (1, 40, 300):
        rotations = torch.randn(count, 4, requires_grad=True)
        scales = torch.rand(count, 3).add(0.1).requires_grad_()
        on_both(
            _torch_impl._quat_scale_to_covar_preci,
            [rotations, scales],
            other_device=_wrapper.quat_scale_to_covar_preci,
            rtol=2e-3,
            atol=2e-3,
        )


def check_projection() -> None:
    views, intrinsics = cameras(3)
    for camera in ("pinhole", "ortho"):
        means, rotations, scales = gaussians(200)

        def visible(got: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            seen = (got[0] > 0).all(-1)[..., None]
            return tuple(torch.where(seen, each, 0) for each in (got[1], got[2][..., None], got[3]))

        def reference(m: torch.Tensor, q: torch.Tensor, s: torch.Tensor, camera: str = camera) -> object:
            covariances, _ = _torch_impl._quat_scale_to_covar_preci(q, s, True, False)
            arguments = (m, covariances, views, intrinsics, WIDTH, HEIGHT)
            return visible(_torch_impl._fully_fused_projection(*arguments, camera_model=camera))

        def kernel(m: torch.Tensor, q: torch.Tensor, s: torch.Tensor, camera: str = camera) -> object:
            arguments = (m, None, q, s, views.musa(), intrinsics.musa(), WIDTH, HEIGHT)
            return visible(_wrapper.fully_fused_projection(*arguments, camera_model=camera))

        on_both(reference, [means, rotations, scales], other_device=kernel, rtol=2e-3, atol=2e-3)


def check_pictures() -> None:
    """The whole pipeline, against each pixel as a sum over all Gaussians by their depth, in double precision."""
    for count, channels in ((1, 3), (60, 3), (150, 5)):
        means, rotations, scales = gaussians(count)
        views, intrinsics = cameras(1)
        opacities = torch.rand(count).mul(0.8).add(0.1).requires_grad_()
        colours = torch.rand(count, channels, requires_grad=True)
        inputs = [means, rotations, scales, opacities, colours]
        weights = torch.rand(HEIGHT, WIDTH, channels)
        results = []
        for device, dtype, draw in (("cpu", torch.float64, summed), ("musa", torch.float32, drawn)):
            moved = [each.detach().to(device, dtype).requires_grad_() for each in inputs]
            picture, coverage = draw(*moved, views.to(device, dtype), intrinsics.to(device, dtype))
            loss = (picture * weights.to(device, dtype)).sum() + coverage.sum()
            gradients = torch.autograd.grad(loss, moved)
            results.append([picture.detach(), coverage.detach(), *gradients])
        for wanted, got in zip(*results):
            assert got.device.type == "musa"
            scale = wanted.abs().max().clamp(min=1e-6)
            torch.testing.assert_close(got.cpu().double() / scale, wanted / scale, rtol=0, atol=2e-3)


def gaussians(count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    means = torch.randn(count, 3).mul(0.8).requires_grad_()
    rotations = torch.nn.functional.normalize(torch.randn(count, 4), dim=-1).requires_grad_()
    return means, rotations, torch.rand(count, 3).mul(0.2).add(0.05).requires_grad_()


def cameras(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    views = torch.eye(4).repeat(count, 1, 1)
    views[:, 2, 3] = torch.arange(count) + 4.0
    views[:, 0, 3] = torch.arange(count) * 0.1
    intrinsics = torch.tensor([[30.0, 0, WIDTH / 2], [0, 32.0, HEIGHT / 2], [0, 0, 1]]).repeat(count, 1, 1)
    return views, intrinsics


def drawn(
    m: torch.Tensor, q: torch.Tensor, s: torch.Tensor, o: torch.Tensor, c: torch.Tensor, *camera: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    picture, coverage, _ = rasterization(m, q, s, o, c, *camera, WIDTH, HEIGHT)
    return picture[0], coverage[0, ..., 0]


def summed(
    m: torch.Tensor, q: torch.Tensor, s: torch.Tensor, o: torch.Tensor, c: torch.Tensor, *camera: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    covariances, _ = _torch_impl._quat_scale_to_covar_preci(q, s, True, False)
    radii, centres, depths, conics, _ = _torch_impl._fully_fused_projection(m, covariances, *camera, WIDTH, HEIGHT)
    x, y = torch.arange(WIDTH, dtype=m.dtype) + 0.5, torch.arange(HEIGHT, dtype=m.dtype) + 0.5
    left = torch.ones(HEIGHT, WIDTH, dtype=m.dtype)
    picture, open_ = torch.zeros(HEIGHT, WIDTH, c.shape[1], dtype=m.dtype), left > 0
    for at in depths[0].argsort().tolist():
        if not (radii[0, at] > 0).all():
            continue
        dx, dy, (a, b, d) = centres[0, at, 0] - x, centres[0, at, 1] - y[:, None], conics[0, at]
        exponent = 0.5 * (a * dx**2 + d * dy**2) + b * dx * dy
        alpha = (o[at] * torch.exp(-exponent)).clamp(max=0.999)
        alpha = torch.where((exponent >= 0) & (alpha >= 1 / 255) & open_, alpha, 0)
        open_ = open_ & (left * (1 - alpha) > 1e-4)
        alpha = torch.where(open_, alpha, 0)
        picture = picture + (alpha * left)[..., None] * c[at]
        left = left * (1 - alpha)
    return picture, 1 - left


if __name__ == "__main__":
    run_all()
