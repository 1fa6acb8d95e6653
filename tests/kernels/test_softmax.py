"""softmax and log_softmax, and their backwards, against PyTorch's CPU."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

FLOATING = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
FUNCTIONS = (torch.softmax, torch.log_softmax)
SHAPES = ((1,), (5,), (3, 17), (40, 1000), (6, 19, 5), (2, 3, 4, 33))


def layouts(value: Tensor) -> list[Tensor]:
    return [value, value.transpose(0, -1), value[..., ::2], value[:0]]


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_forward_and_backward(function: Callable[..., Tensor], dtype: torch.dtype) -> None:
    for shape in SHAPES:
        for value in layouts((torch.randn(shape, dtype=torch.float64) * 5).to(dtype)):
            device = value.to("musa")
            for dim in range(-1, value.dim() - 1):
                wide = value.double().clone().requires_grad_()
                expected = function(wide, dim)
                gradient = torch.randn(expected.shape).to(dtype)
                expected.backward(gradient.double())
                device.detach_().requires_grad_().grad = None
                actual = function(device, dim)
                actual.backward(gradient.to("musa"))
                torch.testing.assert_close(actual.detach().cpu(), expected.detach().to(dtype))
                assert wide.grad is not None and device.grad is not None
                loose = {"rtol": 1e-2, "atol": 1e-1} if dtype == torch.bfloat16 else {"rtol": 2e-3, "atol": 5e-3}
                close = {"rtol": 2e-5, "atol": 2e-5} if dtype in (torch.float32, torch.float64) else loose
                torch.testing.assert_close(device.grad.cpu(), wide.grad.to(dtype), **close)
    names = {count.name for count in torch.musa.fallback_report().operators}
    assert not {name for name in names if "softmax" in name}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_half_becomes_float(function: Callable[..., Tensor], dtype: torch.dtype) -> None:
    value = torch.randn(9, 33).to(dtype)
    device = value.to("musa").requires_grad_()
    actual = function(device, 1, dtype=torch.float32)
    wide = value.float().requires_grad_()
    expected = function(wide, 1)
    torch.testing.assert_close(actual.detach().cpu(), expected.detach())
    actual.pow(2).sum().backward()
    expected.pow(2).sum().backward()
    assert device.grad is not None and wide.grad is not None
    torch.testing.assert_close(device.grad.cpu(), wide.grad.to(dtype))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_infinities_and_nan(function: Callable[..., Tensor]) -> None:
    value = torch.randn(8, 40)
    value[0, 3] = -torch.inf
    value[1, 3] = torch.inf
    value[2, 3] = torch.nan
    value[3] = -torch.inf
    value[4] *= 1e30
    for dim in (0, 1):
        torch.testing.assert_close(function(value.to("musa"), dim).cpu(), function(value, dim), equal_nan=True)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_out_and_single_numbers(function: Callable[..., Tensor]) -> None:
    value = torch.randn(8, 40)
    out = torch.empty(40, 8, device="musa").t()
    function(value.to("musa"), 1, out=out)
    torch.testing.assert_close(out.cpu(), function(value, 1))
    single = torch.tensor(2.0)
    torch.testing.assert_close(function(single.to("musa"), 0).cpu(), function(single, 0))
