"""Elementwise kernels against PyTorch's CPU, over types, shapes, strides, numbers, `out` and in-place forms."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

FLOATING = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGRAL = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool)
COMPLEX = (torch.complex64, torch.complex128)
UNARY = ("exp", "log", "sqrt", "rsqrt", "sigmoid", "tanh", "sin", "cos", "erf", "reciprocal")
BINARY = ("add", "sub", "mul", "div")


def operand(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Random numbers for which all functions are defined."""
    if dtype.is_floating_point or dtype.is_complex:
        return (torch.rand(shape, dtype=torch.float64) + 0.1).to(dtype)
    return torch.randint(0, 2 if dtype == torch.bool else 100, shape).to(dtype)


def forms(value: Tensor) -> list[Tensor]:
    """The same numbers without gaps, transposed, with gaps, expanded, and none at all."""
    gaps = torch.empty((*value.shape[:-1], value.shape[-1] * 3), dtype=value.dtype)[..., ::3].copy_(value)
    return [value, value.t(), gaps, value[:1].expand_as(value), value[:0]]


def on_device(value: Tensor) -> Tensor:
    """A copy with the same strides."""
    moved = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="musa")
    return moved.copy_(value) if value.numel() and 0 not in value.stride() else value.to("musa").expand_as(value)


def agree(actual: Tensor, expected: Tensor) -> None:
    assert actual.device.type == "musa"
    torch.testing.assert_close(actual.cpu(), expected)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", FLOATING)
def test_unary(name: str, dtype: torch.dtype) -> None:
    function: Callable[..., Tensor] = getattr(torch, name)
    for shape in ((1, 1), (3, 5), (70, 129), (2, 1000)):
        for value in forms(operand(shape, dtype)):
            device = on_device(value)
            agree(function(device), function(value))
            out = torch.empty(0, dtype=dtype, device="musa")
            agree(function(device, out=out), function(value))
            agree(getattr(device.clone(), f"{name}_")(), function(value))
    assert f"aten::{name}.out" not in {count.name for count in torch.musa.fallback_report().operators}


@pytest.mark.parametrize("name", UNARY)
def test_unary_of_integers_gives_floats(name: str) -> None:
    value = torch.randint(1, 9, (6, 7))
    agree(getattr(torch, name)(value.to("musa")), getattr(torch, name)(value))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", (*FLOATING, *INTEGRAL, *COMPLEX))
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
        for a, b in zip(forms(left), forms(right)):
            agree(function(on_device(a), on_device(b)), function(a, b))
        a, b = left.to("musa"), right.to("musa")
        agree(function(a, b.t().contiguous().t()), function(left, right))  # strides of two kinds
        agree(function(a, b[:, :1]), function(left, right[:, :1]))  # broadcast
        if dtype != torch.bool:
            agree(function(a, 3), function(left, 3))
            agree(function(a, torch.tensor(3).to(dtype)), function(left, torch.tensor(3).to(dtype)))
            agree(function(torch.tensor(3).to(dtype), b), function(torch.tensor(3).to(dtype), right))
    assert not {count.name for count in torch.musa.fallback_report().operators} & {f"aten::{name}.out"}


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
