"""mamba-ssm's selective scan on `musa` against the recurrence, written in PyTorch, on the CPU.

Its extension alone: the package's Python needs Triton, which needs a GPU.
"""

from __future__ import annotations

import importlib
from itertools import product
from typing import Optional

import torch
from comparing import run_all, weights

SCAN = importlib.import_module("selective_scan_cuda")  # after torch: it needs PyTorch's libraries
Tensors = dict[str, Optional[torch.Tensor]]


def per_channel(tensor: torch.Tensor, channels: int, length: int, is_complex: bool) -> torch.Tensor:
    """B or C as (batch, channels, states, length): the same for all steps, or for groups of channels."""
    if tensor.dim() == 2:
        return tensor[None, :, :, None]
    if is_complex:
        tensor = torch.view_as_complex(tensor.float().unflatten(-1, (length, 2)))
    return tensor.repeat_interleave(channels // tensor.shape[1], 1)


def recurrence(given: Tensors, softplus: bool) -> torch.Tensor:
    """Compute the kernels' results step by step, in float32."""
    u, delta, a = given["u"].float(), given["delta"].float(), given["A"]
    if given["delta_bias"] is not None:
        delta = delta + given["delta_bias"][:, None]
    if softplus:
        delta = torch.nn.functional.softplus(delta)
    batch, channels, length = u.shape
    b, c = (
        per_channel(given[name] if a.is_complex() else given[name].float(), channels, length, a.is_complex())
        for name in "BC"
    )
    state, outputs = torch.zeros(batch, *a.shape, dtype=a.dtype), []
    for step in range(length):
        here = b[..., step if b.shape[-1] > 1 else 0]
        state = (delta[..., step, None] * a).exp() * state + delta[..., step, None] * here * u[..., step, None]
        seen = (state * c[..., step if c.shape[-1] > 1 else 0]).sum(-1)
        outputs.append(2 * seen.real if a.is_complex() else seen)
    result = torch.stack(outputs, -1)
    if given["D"] is not None:
        result = result + given["D"][:, None] * u
    if given["z"] is not None:
        result = result * torch.nn.functional.silu(given["z"].float())
    return result.to(given["u"].dtype)


def make(
    batch: int,
    channels: int,
    states: int,
    length: int,
    dtype: torch.dtype,
    is_complex: bool,
    variable: bool,
    groups: int,
) -> Tensors:
    weight = torch.complex64 if is_complex else torch.float32
    decay = -torch.rand(channels, states) - 0.1
    given: Tensors = {
        "u": torch.randn(batch, channels, length).to(dtype),
        "delta": (torch.rand(batch, channels, length) * 0.5).to(dtype),
        "A": torch.complex(decay, torch.randn(channels, states)) if is_complex else decay,
        "D": torch.randn(channels),
        "z": torch.randn(batch, channels, length).to(dtype),
        "delta_bias": torch.rand(channels) * 0.5,
    }
    for name in "BC":
        shape = (batch, groups, states, length * (2 if is_complex else 1)) if variable else (channels, states)
        given[name] = torch.randn(shape).to(dtype) if variable else torch.randn(shape, dtype=weight)
    return given


def on_both_sides(given: Tensors, softplus: bool, tolerance: float) -> None:
    """Results, and the gradients of everything that was given, agree up to `tolerance` of the largest number.

    Where that is zero, the kernel has a rounding error: the gradient of A for one step.
    """
    here = {name: tensor if tensor is None else tensor.clone().requires_grad_() for name, tensor in given.items()}
    wanted = recurrence(here, softplus)
    scale = weights(wanted)
    there = {name: tensor if tensor is None else tensor.musa() for name, tensor in given.items()}
    names = ("u", "delta", "A", "B", "C", "D", "z", "delta_bias")
    arguments = [there[name] for name in names]
    out, states, *gated = SCAN.fwd(*arguments, softplus)
    near("result", (gated or [out])[0], wanted, tolerance)

    total = (wanted * scale).sum()
    present = [name for name in names if given[name] is not None]
    slopes = dict(zip(present, torch.autograd.grad(total, [here[name] for name in present])))
    before = out if gated else None
    got = SCAN.bwd(*arguments, scale.musa(), states, before, None, softplus, False)
    order = ["u", "delta", "A", "B", "C", "D", "delta_bias", "z"]
    for name, slope in zip(order, got):
        if name in slopes:
            near(f"gradient of {name}", slope, slopes[name], tolerance)


def near(what: str, got: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> None:
    assert got.device.type == "musa", what
    got = got.cpu().to(wanted.dtype)
    largest = float(wanted.detach().abs().max())
    message = f"{what}, of at most {largest}: "
    torch.testing.assert_close(
        got, wanted, rtol=tolerance, atol=tolerance * largest + 1e-6, msg=lambda text: message + text
    )


TOLERANCES = {torch.float32: 1e-3, torch.float16: 1e-2, torch.bfloat16: 5e-2}


def check_real() -> None:
    """One step, less than a thread does, not a multiple of it, and more than a block does at once (2048)."""
    for length, dtype, variable in product((1, 7, 130, 256), TOLERANCES, (True, False)):
        given = make(2, 4, 3, length, dtype, False, variable, 1)
        on_both_sides(given, True, TOLERANCES[dtype])
    on_both_sides(make(1, 2, 2, 2100, torch.float32, False, True, 1), False, 1e-3)


def check_complex() -> None:
    for length, variable in product((1, 7, 130), (True, False)):
        on_both_sides(make(2, 4, 3, length, torch.float32, True, variable, 1), True, 1e-3)


def check_groups_and_what_may_be_missing() -> None:
    for absent, softplus in product((("z",), ("D",), ("delta_bias",), ("D", "z", "delta_bias")), (True, False)):
        given = make(2, 4, 2, 40, torch.float32, False, True, 2)
        given.update(dict.fromkeys(absent))
        on_both_sides(given, softplus, 1e-3)


if __name__ == "__main__":
    run_all()
