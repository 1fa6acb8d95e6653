"""Functions of lists of tensors against PyTorch's functions of tensors, with results of their own and in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from .compare import FLOATING, INTEGERS, agree, numbers, numbers_within, on_device

UNARY = ("sqrt", "rsqrt", "neg", "abs", "reciprocal", "sign", "exp")
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "clamp_min", "clamp_max", "pow")


def operands(dtype: torch.dtype, many: int = 5) -> list[Tensor]:
    """Return tensors of several sizes and layouts, one of them empty and one longer than a block's share."""
    shapes = [(4, 6), (0,), (3, 5, 2), (1100,), ()] + [(7,)] * (many - 5)
    made = [numbers_within(shape, dtype, 0.3, 2) for shape in shapes]
    made[2] = made[2].permute(2, 0, 1).contiguous().permute(1, 2, 0)
    return made


def check(name: str, one: Callable[..., Tensor], tensors: list[Tensor], *others: Any) -> None:
    """Compare an operator on lists with `one` for each tensor. Of `others`, lists have an element for each tensor."""
    wanted = []
    for k, tensor in enumerate(tensors):
        operand = tensor.float() if tensor.dtype.itemsize == 2 and tensor.is_floating_point() else tensor
        result = one(operand, *(other[k] if isinstance(other, list) else other for other in others))
        wanted.append(result.to(tensor.dtype) if tensor.is_floating_point() else result)
    device = [on_device(tensor) for tensor in tensors]
    moved = [[on_device(each) for each in other] if isinstance(other, list) else other for other in others]
    results = getattr(torch, f"_foreach_{name}")(device, *moved)
    agree(results, wanted)
    for result, tensor in zip(results, tensors):
        assert result.stride() == tensor.stride()
    if not all(w.dtype == t.dtype for w, t in zip(wanted, tensors)):
        return
    versions = [tensor._version for tensor in device]
    getattr(torch, f"_foreach_{name}_")(device, *moved)
    agree(device, wanted)
    assert all(tensor._version > version for tensor, version in zip(device, versions))


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("name", UNARY)
def test_of_one(name: str, dtype: torch.dtype) -> None:
    check(name, getattr(torch, name), operands(dtype))


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("name", BINARY)
def test_of_two(name: str, dtype: torch.dtype) -> None:
    one = getattr(torch, name)
    if name in ("maximum", "minimum"):
        one = {"maximum": torch.clamp_min, "minimum": torch.clamp_max}[name]
    tensors = operands(dtype, 60)  # more than a launch takes
    check(name, one, tensors, 1.25)
    check(name, one, tensors, [0.5 + k / 8 for k in range(60)])
    check(name, one, tensors, [tensor + 0.5 for tensor in tensors])
    if name in ("add", "sub"):
        results = getattr(torch, f"_foreach_{name}")(
            [on_device(tensor) for tensor in tensors], [on_device(tensor) for tensor in tensors], alpha=3
        )
        sign = 3 if name == "add" else -3
        agree(results, [(tensor.double() + sign * tensor.double()).to(dtype) for tensor in tensors])


@pytest.mark.parametrize("dtype", FLOATING)
def test_of_three(dtype: torch.dtype) -> None:
    a, b, c = operands(dtype), operands(dtype), operands(dtype)
    numbers_of_each = [0.25, 1.0, -2.0, 0.75, 3.0]
    for name in ("addcmul", "addcdiv"):
        one = getattr(torch, name)
        for value in (0.5, numbers_of_each):
            check(name, lambda x, y, z, v, f=one: f(x, y.to(x.dtype), z.to(x.dtype), value=v), a, b, c, value)
    for weight in (0.3, 0.8, numbers_of_each):
        check("lerp", lambda x, y, w: torch.lerp(x, y.to(x.dtype), w), a, b, weight)
    check("lerp", lambda x, y, w: torch.lerp(x, y.to(x.dtype), w.to(x.dtype)), a, b, c)


@pytest.mark.parametrize("dtype", FLOATING)
def test_zero_copy_and_powers_of_a_number(dtype: torch.dtype) -> None:
    tensors, others = [on_device(tensor) for tensor in operands(dtype)], operands(dtype)
    agree(torch._foreach_pow(1.5, tensors), [torch.pow(1.5, t.cpu().double()).to(dtype) for t in tensors])
    torch._foreach_copy_(tensors, [on_device(other) for other in others])
    agree(tensors, others)
    torch._foreach_copy_(tensors, others)  # from the host
    agree(tensors, others)
    torch._foreach_zero_(tensors)
    agree(tensors, [torch.zeros_like(other) for other in others])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_tensor_by_tensor(dtype: torch.dtype) -> None:
    """Types without kernels of lists, tensors that differ, and wrong calls behave as PyTorch has it."""
    tensors = [numbers((3, 4), dtype), numbers((5,), dtype)]
    check("add", torch.add, tensors, 2)
    check("div", torch.div, tensors, 2)
    check("sqrt", torch.sqrt, tensors)
    check("mul", torch.mul, tensors, [tensor + 1 for tensor in tensors])


def test_tensors_that_differ() -> None:
    mixed = [torch.randn(3), torch.randn(4).double(), torch.randn(2, 2).half()]
    device = [each.to("musa") for each in mixed]
    agree(torch._foreach_mul(device, 2.0), [each * 2 for each in mixed])
    agree(torch._foreach_add(device, [each[:1] for each in device]), [each + each[:1] for each in mixed])
    a, b = torch.randn(4, 5), torch.randn(5, 4).t()
    agree(torch._foreach_add([a.to("musa")], [on_device(b)]), [a + b])
    gaps = torch.randn(4, 10)[:, ::2]
    agree(torch._foreach_add([on_device(gaps)], 1), [gaps + 1])
    agree(torch._foreach_add([torch.ones(3, device="musa")], 1j), [torch.ones(3) + 1j])
    with pytest.raises(RuntimeError, match="same number of"):
        torch._foreach_add(device, [1.0])
    with pytest.raises(RuntimeError, match="same number of"):
        torch._foreach_add(device, device[:1])


def test_not_a_number_and_signs() -> None:
    value = torch.tensor([float("nan"), float("inf"), -0.0, 2.0])
    device = [value.to("musa")]
    agree(torch._foreach_maximum(device, 1.0), [value.clamp_min(1)])
    agree(torch._foreach_minimum(device, [value.flip(0).to("musa")]), [torch.minimum(value, value.flip(0))])
    agree(torch._foreach_sign(device), [value.sign()])


def test_optimizers_step_by_lists() -> None:
    for kind, options in ((torch.optim.Adam, {"amsgrad": True}), (torch.optim.SGD, {"momentum": 0.9}),
                          (torch.optim.RMSprop, {}), (torch.optim.Adagrad, {}), (torch.optim.Adadelta, {}),
                          (torch.optim.NAdam, {}), (torch.optim.AdamW, {"weight_decay": 0.1})):  # fmt: skip
        results = []
        for device, foreach in (("cpu", False), ("musa", True)):
            torch.manual_seed(3)
            parameters = [torch.randn(shape).to(device).requires_grad_() for shape in ((4, 5), (7,), (1,))]
            optimizer = kind(parameters, lr=0.1, foreach=foreach, **options)
            for _ in range(3):
                for parameter in parameters:
                    parameter.grad = torch.randn(parameter.shape).to(device)
                torch.nn.utils.clip_grad_norm_(parameters, 1.0, foreach=foreach)
                optimizer.step()
            results.append([parameter.detach() for parameter in parameters])
        agree(results[1], results[0], {"rtol": 1e-4, "atol": 1e-5})
    assert not torch.musa.fallback_report().operators
