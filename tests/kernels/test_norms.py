"""Layer, RMS, group and batch normalisation, with their gradients, against PyTorch's CPU computing in double."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

FLOATING = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
CLOSE = {torch.float32: 1e-4, torch.float64: 1e-9, torch.float16: 1e-2, torch.bfloat16: 6e-2}


@dataclass(frozen=True)
class Norm:
    """A call: the input's shape, those of weight and bias, and how it is called with them."""

    name: str
    shape: tuple[int, ...]
    weights: tuple[tuple[int, ...], ...]
    call: Callable[..., Tensor]

    def __str__(self) -> str:
        return f"{self.name}-{'x'.join(map(str, self.shape))}-{len(self.weights)}"


def layer(shape: tuple[int, ...], normalized: tuple[int, ...], weights: int) -> Norm:
    def call(x: Tensor, *parameters: Tensor) -> Tensor:
        return F.layer_norm(x, normalized, *parameters)

    return Norm("layer_norm", shape, (normalized,) * weights, call)


def rms(shape: tuple[int, ...], size: int, weights: int) -> Norm:
    def call(x: Tensor, *parameters: Tensor) -> Tensor:
        return F.rms_norm(x, (size,), *parameters, eps=1e-5)

    return Norm("rms_norm", shape, ((size,),) * weights, call)


def group(shape: tuple[int, ...], groups: int, weights: int) -> Norm:
    def call(x: Tensor, *parameters: Tensor) -> Tensor:
        return F.group_norm(x, groups, *parameters)

    return Norm("group_norm", shape, (shape[1:2],) * weights, call)


def batch(shape: tuple[int, ...], weights: int, **how: Any) -> Norm:
    def call(x: Tensor, *parameters: Tensor) -> Tensor:
        if how.get("channels_last"):
            x = x.contiguous(memory_format=torch.channels_last)
        return F.batch_norm(x, None, None, *parameters, training=True)

    return Norm("batch_norm" + "-channels_last" * bool(how), shape, (shape[1:2],) * weights, call)


NORMS = (
    layer((5, 17), (17,), 2),
    layer((4, 6, 40), (6, 40), 1),
    layer((300, 33), (33,), 2),
    layer((3, 1000), (1000,), 0),
    rms((7, 50), 50, 1),
    rms((2, 9, 64), 64, 0),
    group((3, 6, 5, 7), 2, 2),
    group((2, 8, 33), 8, 0),
    group((4, 4), 1, 1),
    batch((6, 5), 2),
    batch((300, 40), 2),
    batch((3, 4, 5, 7), 2),
    batch((3, 4, 50), 0),
    batch((3, 4, 5, 7), 2, channels_last=True),
)


def close(actual: Tensor, expected: Tensor, dtype: torch.dtype) -> None:
    assert actual.device.type == "musa"
    scale = max(1.0, float(expected.detach().abs().max())) if expected.numel() else 1.0
    torch.testing.assert_close(
        actual.detach().cpu().double() / scale, expected.detach() / scale, rtol=0, atol=CLOSE[dtype]
    )


def leaves(values: Sequence[Tensor], device: str, dtype: torch.dtype) -> list[Tensor]:
    return [value.detach().clone().to(device, dtype).requires_grad_() for value in values]


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("norm", NORMS, ids=str)
def test_forward_and_backward(norm: Norm, dtype: torch.dtype) -> None:
    values = [torch.randn(norm.shape) * 2 + 3, *(torch.randn(shape) for shape in norm.weights)]
    values = [value.to(dtype) for value in values]
    mine, theirs = leaves(values, "musa", dtype), leaves(values, "cpu", torch.float64)
    actual, expected = norm.call(*mine), norm.call(*theirs)
    assert actual.dtype == dtype
    close(actual, expected, dtype)
    gradient = torch.randn(norm.shape).to(dtype)
    actual.backward(gradient.to("musa"))
    expected.backward(gradient.double())
    for one, other in zip(mine, theirs):
        assert one.grad is not None and other.grad is not None
        close(one.grad, other.grad, dtype)
    names = {count.name.split("::")[1] for count in torch.musa.fallback_report().operators}
    assert not {name for name in names if "norm" in name}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_running_statistics_and_evaluation(dtype: torch.dtype) -> None:
    value = (torch.randn(4, 3, 6, 5) * 2 + 1).to(dtype)
    parameters = torch.randn(3), torch.randn(3)
    means, variances = torch.zeros(3), torch.ones(3)
    on_musa = [each.clone().to("musa") for each in (means, variances)]
    for _ in range(2):
        F.batch_norm(value.double(), means.double(), variances.double(), training=True)
        mine = F.batch_norm(value.to("musa"), *on_musa, *(p.to("musa") for p in parameters), training=True)
        wide = value.double()
        expected = F.batch_norm(wide, None, None, *(p.double() for p in parameters), training=True)
        close(mine, expected, dtype)
        means = means * 0.9 + wide.mean((0, 2, 3)).float() * 0.1
        variances = variances * 0.9 + wide.var((0, 2, 3)).float() * 0.1
    close(on_musa[0], means.double(), torch.float32)
    close(on_musa[1], variances.double(), torch.float32)
    device = value.to("musa").requires_grad_()
    wide = value.double().clone().requires_grad_()
    actual = F.batch_norm(device, *on_musa, *(p.to("musa") for p in parameters))
    expected = F.batch_norm(wide, means.double(), variances.double(), *(p.double() for p in parameters))
    close(actual, expected, dtype)
    actual.sum().backward()
    expected.sum().backward()
    assert device.grad is not None and wide.grad is not None
    close(device.grad, wide.grad, dtype)


@pytest.mark.parametrize("weighted", [False, True])
def test_fused_rms_norm(weighted: bool) -> None:
    value = torch.randn(6, 40)
    weight = torch.randn(40) if weighted else None
    expected = F.rms_norm(value, (40,), weight)
    actual, rstd = torch.ops.aten._fused_rms_norm(
        value.to("musa"), (40,), weight.to("musa") if weighted else None, None
    )
    torch.testing.assert_close(actual.cpu(), expected)
    torch.testing.assert_close(rstd.cpu(), value.pow(2).mean(1, keepdim=True).rsqrt())


def test_mixed_types_and_nothing() -> None:
    value = torch.randn(4, 8)
    actual = F.layer_norm(value.half().to("musa"), (8,), torch.ones(8, device="musa"), torch.zeros(8, device="musa"))
    torch.testing.assert_close(actual.cpu(), F.layer_norm(value.half().float(), (8,)).half(), rtol=1e-3, atol=2e-3)
    for shape in ((0, 8), (3, 0)):
        empty = torch.randn(shape, device="musa", requires_grad=True)
        F.layer_norm(empty, shape[1:]).sum().backward()
        assert empty.grad is not None and empty.grad.shape == shape
