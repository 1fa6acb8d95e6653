"""spatial-correlation-sampler on `musa` against its own CPU code, in float32 for the types that it lacks."""

from __future__ import annotations

from itertools import product
from typing import Any

import torch
from comparing import on_both, run_all
from spatial_correlation_sampler import spatial_correlation_sample

# Patches are odd: a dilated even one is centred elsewhere by the forward kernel of 0.5.0 than by its backward kernels
# and its CPU code.
OPTIONS: tuple[dict[str, Any], ...] = (
    {"kernel_size": 1, "patch_size": 5},
    {"kernel_size": 3, "patch_size": (3, 7), "padding": 1, "stride": 2},
    {"kernel_size": (2, 3), "patch_size": 3, "dilation": 2, "dilation_patch": 2, "padding": (2, 1)},
)
SIZES = ((1, 1, 4, 5), (2, 3, 10, 8), (1, 70, 7, 9))


def check_double_and_float() -> None:
    for options, size, dtype in product(OPTIONS, SIZES, (torch.float64, torch.float32)):
        images = [torch.randn(size, dtype=dtype, requires_grad=True) for _ in range(2)]
        on_both(lambda a, b, options=options: spatial_correlation_sample(a, b, **options), images, rtol=1e-4, atol=1e-4)


def check_half() -> None:
    """The kernels add in the type of the images, so the tolerance grows with what they add."""
    for options, size in product(OPTIONS, SIZES[:2]):
        images = [torch.randn(size, requires_grad=True) for _ in range(2)]
        on_both(
            lambda a, b, options=options: spatial_correlation_sample(a, b, **options),
            images,
            dtype=torch.float16,
            rtol=2e-2,
            atol=5e-2,
        )


def check_bfloat16() -> None:
    for options in OPTIONS:
        images = [torch.randn(2, 3, 10, 8).bfloat16() for _ in range(2)]
        wanted = spatial_correlation_sample(*(image.float() for image in images), **options)
        got = spatial_correlation_sample(*(image.musa() for image in images), **options)
        assert got.dtype == torch.bfloat16 and got.device.type == "musa"
        torch.testing.assert_close(got.cpu().float(), wanted, rtol=5e-2, atol=0.2)


if __name__ == "__main__":
    run_all()
