"""The recurrence of selective scans in PyTorch, and inputs for it: for packages that have kernels of it."""

from __future__ import annotations

from typing import Optional

import torch

Tensors = dict[str, Optional[torch.Tensor]]
TOLERANCES = {torch.float32: 1e-3, torch.float16: 1e-2, torch.bfloat16: 5e-2}


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
    """Make random inputs. With `variable`, B and C differ by step and by group of channels."""
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


def near(what: str, got: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> None:
    """Check that a result of the device agrees, up to `tolerance` of the largest number.

    Where that is zero, the kernel has a rounding error: the gradient of A for one step.
    """
    assert got.device.type == "musa", what
    got = got.cpu().to(wanted.dtype)
    largest = float(wanted.detach().abs().max())
    message = f"{what}, of at most {largest}: "
    torch.testing.assert_close(
        got, wanted, rtol=tolerance, atol=tolerance * largest + 1e-6, msg=lambda text: message + text
    )
