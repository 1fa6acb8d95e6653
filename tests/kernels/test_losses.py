"""Losses of class indices, with their gradients, against PyTorch's CPU."""

from __future__ import annotations

from typing import Optional

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

FLOATING = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
SHAPES = ((7,), (1, 4), (33, 10), (3, 5, 8), (2, 6, 5, 7))


def targets_of(shape: tuple[int, ...]) -> Tensor:
    classes = shape[1] if len(shape) > 1 else shape[0]
    return torch.randint(0, classes, shape[:1] + shape[2:] if len(shape) > 1 else ())


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_nll_loss(reduction: str, weighted: bool, dtype: torch.dtype) -> None:
    for shape in SHAPES:
        value = torch.log_softmax(torch.randn(shape), 0 if len(shape) == 1 else 1).to(dtype)
        target = targets_of(shape)
        if target.dim() and target.numel() > 1:
            target.view(-1)[0] = 3  # ignored below
        classes = shape[1] if len(shape) > 1 else shape[0]
        weight: Optional[Tensor] = (torch.rand(classes) + 0.5).to(dtype) if weighted else None
        device = value.to("musa").requires_grad_()
        wide = value.double().clone().requires_grad_()
        ignored = 3 if target.numel() > 1 else -100
        on_musa = None if weight is None else weight.to("musa")
        actual = F.nll_loss(device, target.to("musa"), on_musa, reduction=reduction, ignore_index=ignored)
        double_weight = None if weight is None else weight.double()
        expected = F.nll_loss(wide, target, double_weight, reduction=reduction, ignore_index=ignored)
        assert actual.dtype == dtype and actual.device.type == "musa"
        loose = {torch.float16: 3e-3, torch.bfloat16: 2e-2}.get(dtype, 1e-5)
        torch.testing.assert_close(actual.detach().cpu().double(), expected.detach(), rtol=loose, atol=loose)
        actual.sum().backward()
        expected.sum().backward()
        assert device.grad is not None and wide.grad is not None
        torch.testing.assert_close(device.grad.cpu().double(), wide.grad, rtol=loose, atol=loose)
    names = {count.name.split("::")[1] for count in torch.musa.fallback_report().operators}
    assert not {name for name in names if name.startswith("nll_loss")}


def test_cross_entropy() -> None:
    value = torch.randn(12, 9)
    target = torch.randint(0, 9, (12,))
    for how in ({}, {"label_smoothing": 0.1}):
        device, host = value.to("musa").requires_grad_(), value.clone().requires_grad_()
        actual, expected = F.cross_entropy(device, target.to("musa"), **how), F.cross_entropy(host, target, **how)
        torch.testing.assert_close(actual.detach().cpu(), expected.detach())
        actual.backward()
        expected.backward()
        assert device.grad is not None and host.grad is not None
        torch.testing.assert_close(device.grad.cpu(), host.grad)


def test_bytes_and_nothing() -> None:
    value = torch.log_softmax(torch.randn(6, 4), 1)
    target = torch.randint(0, 4, (6,))
    actual = F.nll_loss(value.to("musa"), target.to(torch.uint8).to("musa"))
    torch.testing.assert_close(actual.cpu(), F.nll_loss(value, target))
    empty = F.nll_loss(torch.empty(0, 4, device="musa"), torch.empty(0, dtype=torch.long, device="musa"))
    assert torch.isnan(empty)
