"""Activation functions, limits and choices against PyTorch's CPU, with gradients."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from .compare import ALL, COMPLEX, FLOATING, INTEGERS, SINGLE, agree, assert_native, in_float, layouts, on_device

# The function, and the operators that must not be computed by the CPU.
ACTIVATIONS: dict[str, tuple[Callable[[Tensor], Tensor], str]] = {
    "elu": (lambda x: functional.elu(x, 0.7), "elu.out elu_backward.grad_input"),
    "selu": (functional.selu, "elu.out elu_backward.grad_input"),
    "celu": (lambda x: functional.celu(x, 1.3), "elu.out elu_backward.grad_input"),
    "softplus": (lambda x: functional.softplus(x, 2, 1), "softplus.out softplus_backward.grad_input"),
    "hardsigmoid": (functional.hardsigmoid, "hardsigmoid.out hardsigmoid_backward.grad_input"),
    "hardswish": (functional.hardswish, "hardswish hardswish_backward"),
    "hardtanh": (functional.hardtanh, "hardtanh hardtanh_backward"),
    "hardshrink": (functional.hardshrink, "hardshrink.out hardshrink_backward.grad_input"),
    "softshrink": (functional.softshrink, "softshrink.out softshrink_backward.grad_input"),
    "leaky_relu": (lambda x: functional.leaky_relu(x, 0.2), "leaky_relu.out leaky_relu_backward.grad_input"),
    "relu": (functional.relu, "relu threshold_backward.grad_input"),
    "relu6": (functional.relu6, "hardtanh hardtanh_backward"),
    "silu": (functional.silu, "silu.out silu_backward.grad_input"),
    "mish": (functional.mish, "mish.out mish_backward"),
    "gelu": (functional.gelu, "gelu.out gelu_backward.grad_input"),
    "gelu by tanh": (lambda x: functional.gelu(x, approximate="tanh"), "gelu.out gelu_backward.grad_input"),
    "threshold": (lambda x: functional.threshold(x, 0.1, 5), "threshold.out threshold_backward.grad_input"),
    "sigmoid": (torch.sigmoid, "sigmoid.out sigmoid_backward.grad_input"),
    "tanh": (torch.tanh, "tanh.out tanh_backward.grad_input"),
    "clamp": (lambda x: x.clamp(-0.5, 0.7), "clamp.out"),
    "clamp_min": (lambda x: x.clamp_min(-0.5), "clamp_min.out"),
    "clamp_max": (lambda x: x.clamp_max(0.5), "clamp_max.out"),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation(name: str) -> None:
    function, operators = ACTIVATIONS[name]
    for dtype in FLOATING:
        for value in layouts(torch.randn(40, 33).to(dtype)):
            agree(function(on_device(value)), in_float(function, value))
    for dtype in SINGLE:
        host = (torch.randn(9, 11, dtype=dtype) * 3).requires_grad_()
        device = host.detach().to("musa").requires_grad_()
        weight = torch.randn(9, 11, dtype=dtype)
        function(host).backward(weight)
        function(device).backward(weight.to("musa"))
        assert host.grad is not None and device.grad is not None
        agree(device.grad, host.grad)
    assert_native(*operators.split())


def test_activations_of_two_operands() -> None:
    value, weight = torch.randn(4, 6, 5, dtype=torch.float64), torch.rand(6, dtype=torch.float64)
    for function in (lambda x, w: functional.prelu(x, w), lambda x, w: functional.glu(x, 1) * w[:3].view(3, 1)):
        host = [value.clone().requires_grad_(), weight.clone().requires_grad_()]
        device = [value.to("musa").requires_grad_(), weight.to("musa").requires_grad_()]
        wanted, result = function(*host), function(*device)
        agree(result.detach(), wanted.detach())
        wanted.sum().backward()
        result.sum().backward()
        for mine, theirs in zip(device, host):
            assert mine.grad is not None and theirs.grad is not None
            agree(mine.grad, theirs.grad)
    assert_native("_prelu_kernel", "_prelu_kernel_backward", "glu.out")


@pytest.mark.parametrize("dtype", (*FLOATING, *INTEGERS, *COMPLEX))
def test_sums_of_products(dtype: torch.dtype) -> None:
    a, b, c = ((torch.rand(9, 11, dtype=torch.float64) * 5 + 1).to(dtype) for _ in range(3))
    device = [value.to("musa") for value in (a, b, c)]
    agree(torch.addcmul(*device, value=2), in_float(lambda x, y, z: torch.addcmul(x, y, z, value=2), a, b, c))
    agree(
        torch.addcmul(device[0].t(), device[1].t(), device[2][0, 0], value=2),
        in_float(lambda x, y, z: torch.addcmul(x, y, z, value=2), a.t(), b.t(), c[0, 0]),
    )
    assert_native("addcmul.out")
    if dtype in INTEGERS:
        return
    agree(torch.addcdiv(*device, value=2), in_float(lambda x, y, z: torch.addcdiv(x, y, z, value=2), a, b, c))
    agree(torch.lerp(device[0], device[1], 0.3), in_float(lambda x, y: torch.lerp(x, y, 0.3), a, b))
    agree(torch.lerp(*device), in_float(torch.lerp, a, b, c))
    agree(device[0].clone().lerp_(device[1], device[2]), in_float(torch.lerp, a, b, c))
    assert_native("addcdiv.out", "lerp.Scalar_out", "lerp.Tensor_out")


@pytest.mark.parametrize("dtype", (*FLOATING, *INTEGERS))
def test_limits(dtype: torch.dtype) -> None:
    value, low, high = ((torch.rand(9, 11) * 100).to(dtype) for _ in range(3))
    device = [each.to("musa") for each in (value, low, high)]
    agree(torch.clamp(*device), torch.clamp(value, low, high))
    agree(torch.clamp(device[0].t(), device[1][0, 0], device[2].t()), torch.clamp(value.t(), low[0, 0], high.t()))
    agree(device[0].clamp(min=device[1]), value.clamp(min=low))
    agree(device[0].clamp(max=device[1]), value.clamp(max=low))
    agree(device[0].clamp(20, 60), value.clamp(20, 60))
    agree(device[0].clone().clamp_(20, 60), value.clamp(20, 60))
    if dtype.is_floating_point:
        broken = torch.tensor([float("nan"), 1, -1, float("inf")]).to(dtype)
        agree(broken.to("musa").clamp(0, 2), broken.clamp(0, 2))
    assert_native("clamp.out", "clamp.Tensor_out", "clamp_min.Tensor_out", "clamp_max.Tensor_out")


@pytest.mark.parametrize("dtype", ALL)
def test_choice(dtype: torch.dtype) -> None:
    condition = torch.rand(9, 11) < 0.5
    yes, no = (torch.rand(9, 11) * 100).to(dtype), (torch.rand(9, 11) * 100).to(dtype)
    device = [each.to("musa") for each in (condition, yes, no)]
    agree(torch.where(*device), torch.where(condition, yes, no))
    agree(torch.where(*(each.t() for each in device)), torch.where(condition.t(), yes.t(), no.t()))
    agree(torch.where(device[0][:1], device[1], device[2][:, :1]), torch.where(condition[:1], yes, no[:, :1]))
    agree(torch.where(device[0], device[1], no[0, 0]), torch.where(condition, yes, no[0, 0]))
    agree(torch.where(device[0], device[1], 3), torch.where(condition, yes, 3))
    assert_native("where.self", "where.self_out")
