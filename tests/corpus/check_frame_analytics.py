"""frame-analytics on `musa`: its kernels, compiled by nvcc when they are used, against formulas in double precision.

Such a package runs by `musa-build run`, with which this script starts itself again.
"""

from __future__ import annotations

import os
import sys

if "CUDA_HOME" not in os.environ:
    os.environ["FA_NATIVE"] = "1"  # an error instead of PyTorch's code where the kernels cannot be compiled
    os.execvp(sys.executable, [sys.executable, "-m", "musa_build", "run", "--", sys.executable, *sys.argv])

import frame_analytics
import torch
from comparing import on_both, run_all
from frame_analytics import backend, reference

DTYPES = (torch.uint8, torch.float16, torch.bfloat16, torch.float32, torch.float64)
SIZES = ((2, 3, 97, 131), (1, 1, 64, 64), (3, 1, 33, 40))


def check_its_kernels_are_used() -> None:
    native = backend.load()
    assert native is not None and native.has_cuda and native.cuda_origin == "jit"


def check_pixels() -> None:
    for size in SIZES:
        x, y = pictures(size)
        d = x - y
        wanted = {"mse": d.square(), "l1": d.abs(), "charbonnier": (d.square() + 1e-6).sqrt()}
        for dtype in DTYPES:
            for name, values in wanted.items():
                for reduction in ("mean", "none"):
                    got = getattr(frame_analytics, name)(*on_device(x, y, dtype), reduction=reduction)
                    expected = values.mean() if reduction == "mean" else values.mean(dim=(1, 2, 3))
                    close(got, expected, 1e-5)
            got = frame_analytics.psnr(*on_device(x, y, dtype), data_range=255.0, reduction="none")
            close(got, 10 * torch.log10(255.0**2 / d.square().mean(dim=(1, 2, 3))), 1e-5)


def check_structures() -> None:
    for size in SIZES:
        x, y = pictures(size)
        planes = [(one.numpy(), other.numpy()) for one, other in zip(x.flatten(0, 1), y.flatten(0, 1))]
        similar = sum(reference.ssim_reference(*pair, 255.0) for pair in planes) / len(planes)
        gray = zip(x[:, 0], y[:, 0])
        deviations = [reference.gmsd_reference(one.numpy(), other.numpy(), 255.0) for one, other in gray]
        for dtype in DTYPES:
            close(frame_analytics.ssim(*on_device(x, y, dtype), data_range=255.0), torch.tensor(similar), 1e-5)
            got = frame_analytics.gmsd(*on_device(x[:, :1], y[:, :1], dtype), data_range=255.0)
            close(got, torch.tensor(sum(deviations) / len(deviations)), 1e-4)


def check_gradients() -> None:
    def loss(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return frame_analytics.ssim(x, y, data_range=1.0, backend_hint="torch" if x.device.type == "cpu" else "auto")

    for size in SIZES:
        given = [(picture / 255).float().requires_grad_() for picture in pictures(size)]
        on_both(loss, given, rtol=1e-3, atol=1e-6)


def pictures(size: tuple[int, ...]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two pictures whose values all types here have: integers below 256."""
    x = torch.randint(0, 256, size).double()
    return x, (x + 9 * torch.randn(size)).round().clamp(0, 255).double()


def on_device(x: torch.Tensor, y: torch.Tensor, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    return x.to(dtype).musa(), y.to(dtype).musa()


def close(got: torch.Tensor, wanted: torch.Tensor, relative: float) -> None:
    assert got.device.type == "musa"
    torch.testing.assert_close(got.cpu().double(), wanted.double(), rtol=relative, atol=relative)


if __name__ == "__main__":
    run_all()
