"""Elementwise kernels against PyTorch's CPU, over types, shapes, strides, numbers, `out` and in-place forms."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from .compare import ALL, FLOATING, agree, assert_native, layouts, numbers_within, on_device

UNARY = ("exp", "log", "sqrt", "rsqrt", "sigmoid", "tanh", "sin", "cos", "erf", "reciprocal")
BINARY = ("add", "sub", "mul", "div")


def operand(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Return random numbers for which all functions are defined."""
    is_integral = not (dtype.is_floating_point or dtype.is_complex)
    return numbers_within(shape, dtype, 0, 99) if is_integral else numbers_within(shape, dtype, 0.1, 1.1)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", FLOATING)
def test_unary(name: str, dtype: torch.dtype) -> None:
    function: Callable[..., Tensor] = getattr(torch, name)
    for shape in ((1, 1), (3, 5), (70, 129), (2, 1000)):
        for value in layouts(operand(shape, dtype)):
            device = on_device(value)
            agree(function(device), function(value))
            out = torch.empty(0, dtype=dtype, device="musa")
            agree(function(device, out=out), function(value))
            agree(getattr(device.clone(), f"{name}_")(), function(value))
    assert_native(f"{name}.out")


@pytest.mark.parametrize("name", UNARY)
def test_unary_of_integers_gives_floats(name: str) -> None:
    value = torch.randint(1, 9, (6, 7))
    agree(getattr(torch, name)(value.to("musa")), getattr(torch, name)(value))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", ALL)
def test_binary(name: str, dtype: torch.dtype) -> None:
    if (name, dtype) == ("sub", torch.bool):
        with pytest.raises(RuntimeError, match="Subtraction"):
            torch.sub(*[torch.ones(3, dtype=torch.bool, device="musa")] * 2)
        return
    function: Callable[..., Tensor] = getattr(torch, name)
    for shape in ((1, 1), (3, 5), (70, 129)):
        left, right = operand(shape, dtype), operand(shape, dtype)
        if name == "div" and not (dtype.is_floating_point or dtype.is_complex):
            right = right + (1 if dtype != torch.bool else True)
        for a, b in zip(layouts(left), layouts(right)):
            agree(function(on_device(a), on_device(b)), function(a, b))
        a, b = left.to("musa"), right.to("musa")
        agree(function(a, b.t().contiguous().t()), function(left, right))  # strides of two kinds
        agree(function(a, b[:, :1]), function(left, right[:, :1]))  # broadcast
        if dtype != torch.bool:
            agree(function(a, 3), function(left, 3))
            agree(function(a, torch.tensor(3).to(dtype)), function(left, torch.tensor(3).to(dtype)))
            agree(function(torch.tensor(3).to(dtype), b), function(torch.tensor(3).to(dtype), right))
    assert_native(f"{name}.out")


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(
    "types", [(torch.float32, torch.float64), (torch.int32, torch.float16), (torch.int8, torch.int64)]
)
def test_types_are_promoted(name: str, types: tuple[torch.dtype, torch.dtype]) -> None:
    a, b = operand((9, 11), types[0]), operand((9, 11), types[1])
    b = b if b.dtype.is_floating_point else b + 1
    agree(getattr(torch, name)(a.to("musa"), b.to("musa")), getattr(torch, name)(a, b))


def test_alpha() -> None:
    a, b = torch.randn(33), torch.randn(33)
    agree(torch.add(a.to("musa"), b.to("musa"), alpha=-2.5), torch.add(a, b, alpha=-2.5))
    agree(torch.sub(a.to("musa"), b.to("musa"), alpha=3), torch.sub(a, b, alpha=3))


@pytest.mark.parametrize("shape", [(3, 4, 5, 6, 7), (1, 70000, 2), (300, 1, 2, 3)])
def test_many_dimensions(shape: tuple[int, ...]) -> None:
    value = torch.randn(shape)
    for order in (tuple(reversed(range(len(shape)))), (*range(1, len(shape)), 0)):
        a, b = value.permute(order), torch.randn(tuple(shape[i] for i in order))
        agree(on_device(a) * b.to("musa"), a * b)


def test_results_overlap_inputs() -> None:
    value = torch.randn(1000)
    device = value.to("musa")
    agree(torch.mul(device, device, out=device), value * value)


def test_gradients() -> None:
    a = torch.rand(4, 5, dtype=torch.float64, device="musa").add_(0.5).requires_grad_()
    b = torch.rand(5, dtype=torch.float64, device="musa").add_(0.5).requires_grad_()
    assert torch.autograd.gradcheck(lambda x, y: (x * y / (x + y)).sigmoid().sqrt(), (a, b))
