"""inplace-abn on `musa` against its own CPU code, and its reduction over devices against the formula."""

from __future__ import annotations

from itertools import product

import torch
from comparing import on_both, run_all
from inplace_abn import _backend
from inplace_abn.functions import inplace_abn

# One sample per thread, more than a warp, more than a block in a plane, and more planes than rows.
SHAPES = ((4, 5), (2, 3, 17), (3, 70, 9, 11), (2, 2, 40, 40), (600, 3))
ACTIVATIONS = (("leaky_relu", 0.01), ("leaky_relu", 0.3), ("elu", 1.0), ("identity", 0.0))


def trained(
    activation: str, parameter: float, x: torch.Tensor, *affine: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The output in training, and what the running statistics become. (It overwrites its input: hence the product.)"""
    weight, bias = affine or (None, None)
    statistics = torch.float32 if x.dtype == torch.float16 else x.dtype
    mean = torch.full((x.shape[1],), 0.1, dtype=statistics, device=x.device)
    variance = torch.full_like(mean, 1.5)
    result = inplace_abn(x * 1, weight, bias, mean, variance, True, 0.1, 1e-5, activation, parameter)
    return result, mean, variance


def tested(
    activation: str,
    parameter: float,
    x: torch.Tensor,
    mean: torch.Tensor,
    variance: torch.Tensor,
    *affine: torch.Tensor,
) -> torch.Tensor:
    weight, bias = affine or (None, None)
    if x.dtype == torch.float16:
        mean, variance = mean.float(), variance.float()
    return inplace_abn(x * 1, weight, bias, mean, variance, False, 0.1, 1e-5, activation, parameter)


def inputs(shape: tuple[int, ...], dtype: torch.dtype) -> list[torch.Tensor]:
    """The input, and scales of both signs, none near zero: backward divides by them."""
    scale = (torch.rand(shape[1], dtype=dtype) + 0.5) * (-1.0) ** torch.arange(shape[1])
    parts = [torch.randn(shape, dtype=dtype) * 2 + 0.5, scale.to(dtype), torch.randn(shape[1], dtype=dtype)]
    return [part.requires_grad_() for part in parts]


def check_training() -> None:
    for shape, (name, parameter), dtype in product(SHAPES, ACTIVATIONS, (torch.float32, torch.float64)):
        tolerance = 1e-3 if dtype == torch.float32 else 1e-9
        for given in (inputs(shape, dtype), inputs(shape, dtype)[:1]):
            on_both(lambda *a, n=name, p=parameter: trained(n, p, *a), given, rtol=tolerance, atol=tolerance)


def check_evaluation() -> None:
    for shape, (name, parameter), dtype in product(SHAPES, ACTIVATIONS, (torch.float32, torch.float64)):
        x, *affine = inputs(shape, dtype)
        mean, variance = torch.randn(shape[1], dtype=dtype), torch.rand(shape[1], dtype=dtype) + 0.5
        given = [x, mean, variance, *affine]
        on_both(lambda *a, n=name, p=parameter: tested(n, p, *a), given, rtol=1e-3, atol=1e-3)


def check_half() -> None:
    """Backward computes the input again from the rounded output: 0.5 for the steep half of an activation."""
    for shape, (name, parameter) in product(SHAPES, ACTIVATIONS[1:]):
        given = inputs(shape, torch.float32)
        on_both(
            lambda *a, n=name, p=parameter: trained(n, p, *a),
            given,
            dtype=torch.float16,
            rtol=5e-2,
            atol=5e-2 * shape[0],
        )


def check_statistics_of_several_devices() -> None:
    for devices, channels, dtype in product((1, 2, 5), (1, 40, 700), (torch.float32, torch.float64)):
        parts = [torch.randn(7 + 3 * index, channels, dtype=dtype) * 3 + index for index in range(devices)]
        mean = torch.stack([part.mean(0) for part in parts]).musa()
        variance = torch.stack([part.var(0, unbiased=False) for part in parts]).musa()
        count = torch.tensor([[len(part)] for part in parts]).musa()
        together = torch.cat(parts)
        got = _backend.reduce_statistics(mean, variance, count)
        assert got[0].device.type == "musa"
        torch.testing.assert_close(got[0].cpu(), together.mean(0), rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(got[1].cpu(), together.var(0, unbiased=False), rtol=1e-4, atol=1e-5)
        assert got[2].tolist() == [len(together)]


if __name__ == "__main__":
    run_all()
