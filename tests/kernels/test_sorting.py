"""Sorting and scans against PyTorch's CPU, over types, dimensions and layouts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

FLOATING = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGRAL = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
COMPLEX = (torch.complex64, torch.complex128)
SHAPES = ((1,), (17,), (5, 40), (3, 1500), (4, 33, 7))


def operand(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Random numbers: integers have ties."""
    if dtype == torch.bool:
        return torch.rand(shape) < 0.5
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, dtype=torch.complex128 if dtype.is_complex else torch.float64).to(dtype)
    return torch.randint(0, 20, shape).to(dtype)


def layouts(value: Tensor) -> list[Tensor]:
    return [value, value.transpose(0, -1), value[..., ::2], value[:0]]


def nothing_fell_back(*names: str) -> None:
    found = {count.name.split("::")[1].split(".")[0] for count in torch.musa.fallback_report().operators}
    assert not found & set(names)


@pytest.mark.parametrize("dtype", [*FLOATING, *INTEGRAL, torch.bool])
def test_sort(dtype: torch.dtype) -> None:
    for shape in SHAPES:
        for value in layouts(operand(shape, dtype)):
            device = value.to("musa")
            for dim in range(-1, value.dim() - 1):
                for descending in (False, True):
                    values, indices = torch.sort(device, dim=dim, descending=descending, stable=True)
                    expected = torch.sort(value, dim=dim, descending=descending, stable=True)
                    assert torch.equal(values.cpu(), expected.values)
                    assert torch.equal(indices.cpu(), expected.indices)
    nothing_fell_back("sort")


@pytest.mark.parametrize("dtype", [*FLOATING, *INTEGRAL])
def test_topk(dtype: torch.dtype) -> None:
    for shape in SHAPES:
        for value in layouts(operand(shape, dtype)):
            device = value.to("musa")
            for dim in range(-1, value.dim() - 1):
                for k in {1, min(3, value.size(dim)), min(100, value.size(dim))} if value.size(dim) else {0}:
                    for largest in (False, True):
                        values, indices = torch.topk(device, k, dim=dim, largest=largest)
                        expected = torch.topk(value, k, dim=dim, largest=largest)
                        assert torch.equal(values.cpu(), expected.values)
                        assert torch.equal(torch.gather(value, dim, indices.cpu()), expected.values)
    nothing_fell_back("topk")


def test_nan_infinities_and_long_rows() -> None:
    value = torch.randn(100_003)
    value[torch.rand(100_003) < 0.01] = torch.nan
    value[torch.rand(100_003) < 0.01] = torch.inf
    value[torch.rand(100_003) < 0.01] = -torch.inf
    device = value.to("musa")
    for descending in (False, True):
        actual = torch.sort(device, descending=descending, stable=True)
        expected = torch.sort(value, descending=descending, stable=True)
        torch.testing.assert_close(actual.values.cpu(), expected.values, equal_nan=True, rtol=0, atol=0)
        assert torch.equal(actual.indices.cpu(), expected.indices)
    for k in (5, 5000):
        best = torch.topk(device, k).values
        torch.testing.assert_close(best.cpu(), torch.topk(value, k).values, equal_nan=True, rtol=0, atol=0)


def test_out_and_single_numbers() -> None:
    value = torch.randn(6, 9)
    values, indices = torch.empty(9, 6, device="musa").t(), torch.empty(9, 6, dtype=torch.long, device="musa").t()
    torch.sort(value.to("musa"), 1, out=(values, indices))
    assert torch.equal(values.cpu(), torch.sort(value, 1).values)
    assert torch.equal(torch.argsort(value.to("musa"), 0).cpu(), torch.argsort(value, 0))
    assert torch.sort(torch.tensor(3.0, device="musa")).values.item() == 3.0


@pytest.mark.parametrize("dtype", [*FLOATING, *INTEGRAL, *COMPLEX])
@pytest.mark.parametrize("function", [torch.cumsum, torch.cumprod])
def test_sums_and_products(function: Callable[..., Tensor], dtype: torch.dtype) -> None:
    for shape in SHAPES:
        value = operand(shape, dtype)
        value = value if function is torch.cumsum else value.clamp(0, 2) if not value.is_complex() else value / 4
        for form in layouts(value):
            device = form.to("musa")
            for dim in range(-1, form.dim() - 1):
                wide = form.double() if form.is_floating_point() else form
                expected = function(wide, dim)
                actual = function(device, dim)
                assert actual.dtype == function(form, dim).dtype
                torch.testing.assert_close(actual.cpu(), expected.to(actual.dtype))
    nothing_fell_back("cumsum", "cumprod")


@pytest.mark.parametrize("dtype", [*FLOATING, *INTEGRAL, torch.bool])
@pytest.mark.parametrize("function", [torch.cummax, torch.cummin])
def test_running_extremes(function: Callable[..., tuple[Tensor, Tensor]], dtype: torch.dtype) -> None:
    for shape in SHAPES:
        value = operand(shape, dtype)
        if dtype.is_floating_point and value.numel() > 50:
            value[..., 3] = torch.nan
        for form in layouts(value):
            for dim in range(-1, form.dim() - 1):
                for mine, theirs in zip(function(form.to("musa"), dim), function(form, dim)):
                    torch.testing.assert_close(mine.cpu(), theirs, equal_nan=True, rtol=0, atol=0)
    nothing_fell_back("_cummax_helper", "_cummin_helper")


@pytest.mark.parametrize("dtype", [*FLOATING, *COMPLEX])
def test_running_logarithms_of_sums(dtype: torch.dtype) -> None:
    close = {"rtol": 3e-2, "atol": 3e-2} if dtype.itemsize == 2 else {"rtol": 1e-4, "atol": 1e-4}
    for shape in SHAPES:
        value = operand(shape, dtype)
        for form in layouts(value):
            for dim in range(-1, form.dim() - 1):
                found, wanted = torch.logcumsumexp(form.to("musa"), dim).cpu(), torch.logcumsumexp(form, dim)
                torch.testing.assert_close(found.exp(), wanted.exp(), **close)  # an angle may be one turn further
    if not dtype.is_complex:
        special = torch.tensor([-torch.inf, -torch.inf, 1, -torch.inf, torch.inf, -1, torch.nan, 2]).to(dtype)
        found, wanted = torch.logcumsumexp(special.to("musa"), 0).cpu(), torch.logcumsumexp(special, 0)
        torch.testing.assert_close(found, wanted, equal_nan=True)
    nothing_fell_back("_logcumsumexp")


def test_in_place_and_gradients() -> None:
    value = torch.randn(7, 8)
    assert torch.equal(value.to("musa").cumsum_(1).cpu(), value.double().cumsum(1).float())
    small = torch.rand(3, 5, dtype=torch.float64, device="musa", requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: x.sort(1).values.cumsum(0), (small,))
