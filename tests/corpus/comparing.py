"""Run a function on the CPU and on `musa`, forward and backward, for the check_*.py scripts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch_musa  # noqa: F401


def on_both(
    function: Callable[..., Any],
    inputs: Sequence[torch.Tensor],
    *,
    rtol: float | None = None,
    atol: float | None = None,
    other_device: Callable[..., Any] | None = None,
    dtype: torch.dtype | None = None,
) -> None:
    """Call `function` with `inputs` on the CPU and on `musa`: results and gradients of floating inputs must agree.

    `other_device` is called on `musa` instead where the two have different names. Floating inputs are rounded to
    `dtype`; for float16 the CPU computes with the rounded numbers in float32. Raises AssertionError.
    """
    sides = []
    for device, call in (("cpu", function), ("musa", other_device or function)):
        moved = [rounded(tensor, dtype, device).requires_grad_(tensor.requires_grad) for tensor in inputs]
        results = call(*moved)
        results = results if isinstance(results, (tuple, list)) else (results,)
        differentiable = [result for result in results if result.requires_grad]
        # A weight for each element, the same on both devices: a plain sum would hide elements that were exchanged.
        total = sum((result * weights(result)).sum() for result in differentiable)
        gradients = []
        if differentiable:
            wanted = [tensor for tensor in moved if tensor.requires_grad]
            gradients = [g for g in torch.autograd.grad(total, wanted, allow_unused=True) if g is not None]
        sides.append([tensor.detach() for tensor in (*results, *gradients)])
    wanted_side, got_side = sides
    assert len(wanted_side) == len(got_side), "one side has more results or gradients"
    for wanted, got in zip(wanted_side, got_side):
        assert got.device.type == "musa", "the result must come from the device"
        got = got.cpu().to(wanted.dtype) if dtype == torch.float16 and wanted.is_floating_point() else got.cpu()
        torch.testing.assert_close(got, wanted, rtol=rtol, atol=atol)


def rounded(tensor: torch.Tensor, dtype: torch.dtype | None, device: str) -> torch.Tensor:
    """`tensor` on `device`; a floating one as `dtype`, and with float16's values in float32 on the CPU."""
    if dtype is None or not tensor.is_floating_point():
        return tensor.detach().to(device)
    tensor = tensor.detach().to(dtype)
    return tensor.float() if device == "cpu" and dtype == torch.float16 else tensor.to(device)


def weights(like: torch.Tensor) -> torch.Tensor:
    """Numbers between 0.5 and 1.5 that depend on the position only, on `like`'s device."""
    return (torch.arange(like.numel()) * 0.37 % 1 + 0.5).reshape(like.shape).to(like.dtype).to(like.device)


def run_all(module: str = "__main__") -> None:
    """Run every function of the script whose name begins with check_, with a fixed seed, and say so."""
    for name, function in list(vars(sys.modules[module]).items()):
        if name.startswith("check_") and callable(function):
            torch.manual_seed(2026)
            function()
            print(f"{name}: agrees", flush=True)
