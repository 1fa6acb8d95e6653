"""causal-conv1d on `musa` against PyTorch's own convolution on the CPU, in double precision on the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import torch
from causal_conv1d import causal_conv1d_fn, causal_conv1d_update
from comparing import run_all
from torch.nn import functional

TOLERANCES = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}
BATCH, CHANNELS = 2, 24


def reference(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, activation: str | None) -> torch.Tensor:
    padded = functional.pad(x.double(), (weight.shape[1] - 1, 0))
    out = functional.conv1d(padded, weight.double()[:, None], bias.double(), groups=weight.shape[0])
    return functional.silu(out) if activation else out


def cases() -> Iterator[tuple[torch.dtype, int, int, str | None]]:
    """Element type, width of the filter, length, activation; lengths on both sides of what a block does at once."""
    for dtype, width in product(TOLERANCES, (2, 3, 4)):
        for length, activation in ((1, None), (7, "silu"), (128, None), (517, "silu"), (2060, None)):
            yield dtype, width, length, activation


def check_forward_and_backward() -> None:
    for (dtype, width, length, activation), channels_last in product(cases(), (False, True)):
        x = torch.randn(BATCH, CHANNELS, length).to(dtype)
        weight, bias = torch.randn(CHANNELS, width).to(dtype), torch.randn(CHANNELS).to(dtype)
        gradient = torch.randn(BATCH, CHANNELS, length).to(dtype)
        here = [tensor.double().requires_grad_() for tensor in (x, weight, bias)]
        wanted = reference(*here, activation)
        wanted_gradients = torch.autograd.grad(wanted, here, gradient.double())

        there = [tensor.musa() for tensor in (x, weight, bias)]
        if channels_last:
            there[0] = there[0].transpose(1, 2).contiguous().transpose(1, 2)
        there = [tensor.requires_grad_() for tensor in there]
        got = causal_conv1d_fn(*there, activation=activation)
        gradients = torch.autograd.grad(got, there, gradient.musa())
        for one, other in zip((got, *gradients), (wanted, *wanted_gradients)):
            assert one.device.type == "musa"
            scale = max(1.0, float(other.detach().abs().max()))
            torch.testing.assert_close(
                one.detach().cpu().double(), other.detach(), rtol=0, atol=TOLERANCES[dtype] * scale
            )


def check_one_step_after_the_other() -> None:
    """The update of a state, fed one element at a time, is the convolution of the whole."""
    for dtype, width in product(TOLERANCES, (2, 3, 4)):
        x, weight = torch.randn(BATCH, CHANNELS, 9).to(dtype), torch.randn(CHANNELS, width).to(dtype)
        bias = torch.randn(CHANNELS).to(dtype)
        state = torch.zeros(BATCH, CHANNELS, width - 1, dtype=dtype).musa()
        steps = [
            causal_conv1d_update(x[:, :, at].musa(), state, weight.musa(), bias.musa(), "silu")
            for at in range(x.shape[2])
        ]
        wanted = reference(x, weight, bias, "silu")
        got = torch.stack([step.cpu() for step in steps], dim=2).double()
        torch.testing.assert_close(got, wanted, rtol=0, atol=TOLERANCES[dtype] * max(1.0, float(wanted.abs().max())))


if __name__ == "__main__":
    run_all()
