"""Operators that Moore Threads' torch_musa adds to PyTorch: swish_glu, gated_silu, rope and the parts of rms_norm.

The operators are in PyTorch's namespace `aten`, as torch_musa's are. The kernel library has kernels for them; without
it, and on other devices, what is written here computes them out of PyTorch's operators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import torch
from torch import Tensor
from torch.nn import functional

_LIBRARY = torch.library.Library("aten", "FRAGMENT")
"""It lives as long as the process: its end would take the operators away."""
_ROPE = "(Tensor {}, Tensor freq_cis, bool rotary_interleaved, bool batch_first, bool multi_latent_attention=False)"
_SCHEMAS = (
    "gated_silu(Tensor input) -> Tensor",
    "swish_glu(Tensor input) -> Tensor",
    "_fused_swiglu_forward(Tensor input) -> Tensor",
    "_fused_swiglu_backward(Tensor grad, Tensor input) -> Tensor",
    f"rope{_ROPE.format('input')} -> Tensor",
    f"_fused_rope_forward{_ROPE.format('input')} -> Tensor",
    f"_fused_rope_backward{_ROPE.format('grad')} -> Tensor",
    "_fused_rmsnorm_forward(Tensor input, SymInt[] normalized_shape, float eps, Tensor? weight=None) "
    "-> (Tensor output, Tensor invvar)",
    "_fused_rmsnorm_backward(Tensor grad_out, Tensor invvar, Tensor input, SymInt[] normalized_shape, float eps, "
    "Tensor? weight=None) -> (Tensor grad_input, Tensor grad_weight)",
)


def swish_glu(input: Tensor) -> Tensor:
    """Return silu of the first half of the last dimension, times the second half."""
    result: Tensor = torch.ops.aten.swish_glu(input)
    return result


def gated_silu(input: Tensor) -> Tensor:
    """Return the result of `swish_glu`."""
    result: Tensor = torch.ops.aten.gated_silu(input)
    return result


def rope(
    input: Tensor,
    freq_cis: Tensor,
    rotary_interleaved: bool = False,
    batch_first: bool = False,
    multi_latent_attention: bool = False,
) -> Tensor:
    """Rotate pairs of elements of the last dimension by angles (rotary position embedding).

    Args:
        input: Of the dimensions sequence, batch, head and element.
        freq_cis: The angles: of the dimensions sequence and element, or as many as the input has. Elements beyond the
            last angle stay as they are.
        rotary_interleaved: Pairs are neighbours. Otherwise an element's partner is half of the dimension away.
        batch_first: The batch is the first dimension, the sequence the second.
        multi_latent_attention: First put elements with even indices before those with odd ones.
    """
    result: Tensor = torch.ops.aten.rope(input, freq_cis, rotary_interleaved, batch_first, multi_latent_attention)
    return result


class SwishGLU(torch.nn.Module):
    """`swish_glu` as a module."""

    def forward(self, input: Tensor) -> Tensor:
        """Return silu of the first half of the last dimension, times the second half."""
        return swish_glu(input)


class RoPE(torch.nn.Module):
    """`rope` as a module, with the angles as a buffer."""

    freq_cis: Tensor

    def __init__(
        self,
        freq_cis: Tensor,
        rotary_interleaved: bool = False,
        batch_first: bool = False,
        multi_latent_attention: bool = False,
    ) -> None:
        super().__init__()
        self.register_buffer("freq_cis", freq_cis)
        self.rotary_interleaved = rotary_interleaved
        self.batch_first = batch_first
        self.multi_latent_attention = multi_latent_attention

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with its pairs rotated."""
        return rope(input, self.freq_cis, self.rotary_interleaved, self.batch_first, self.multi_latent_attention)


def _swiglu(input: Tensor) -> Tensor:
    gate, value = input.chunk(2, dim=-1)
    return functional.silu(gate) * value


def _swiglu_backward(grad: Tensor, input: Tensor) -> Tensor:
    gate, value = input.chunk(2, dim=-1)
    sigmoid = gate.sigmoid()
    return torch.cat((grad * value * sigmoid * (1 + gate * (1 - sigmoid)), grad * gate * sigmoid), dim=-1)


def _evens_first(values: Tensor) -> Tensor:
    return torch.cat((values[..., 0::2], values[..., 1::2]), dim=-1)


def _evens_first_undone(values: Tensor) -> Tensor:
    return torch.stack(values.chunk(2, dim=-1), dim=-1).flatten(-2)


def _partners(values: Tensor, interleaved: bool) -> Tensor:
    """Return for each element the other one of its pair, the first ones with the other sign."""
    first, second = (values[..., 0::2], values[..., 1::2]) if interleaved else values.chunk(2, dim=-1)
    return torch.stack((-second, first), dim=-1).flatten(-2) if interleaved else torch.cat((-second, first), dim=-1)


def _angles(values: Tensor, freq_cis: Tensor, batch_first: bool) -> Tensor:
    if freq_cis.dim() != 2:
        return freq_cis
    sizes = [1] * values.dim()
    sizes[1 if batch_first else 0], sizes[-1] = freq_cis.shape
    return freq_cis.reshape(sizes)


def _rope(
    input: Tensor, freq_cis: Tensor, interleaved: bool, batch_first: bool, multi_latent_attention: bool = False
) -> Tensor:
    angles = _angles(input, freq_cis, batch_first)
    rotated, rest = input[..., : angles.shape[-1]], input[..., angles.shape[-1] :]
    rotated = _evens_first(rotated) if multi_latent_attention else rotated
    cosines, sines = angles.cos().to(input.dtype), angles.sin().to(input.dtype)
    return torch.cat((rotated * cosines + _partners(rotated, interleaved) * sines, rest), dim=-1)


def _rope_backward(
    grad: Tensor, freq_cis: Tensor, interleaved: bool, batch_first: bool, multi_latent_attention: bool = False
) -> Tensor:
    angles = _angles(grad, freq_cis, batch_first)
    rotated, rest = grad[..., : angles.shape[-1]], grad[..., angles.shape[-1] :]
    cosines, sines = angles.cos().to(grad.dtype), angles.sin().to(grad.dtype)
    turned_back = rotated * cosines - _partners(rotated * sines, interleaved)
    return torch.cat((_evens_first_undone(turned_back) if multi_latent_attention else turned_back, rest), dim=-1)


def _rmsnorm(
    input: Tensor, normalized_shape: Sequence[int], eps: float, weight: Optional[Tensor] = None
) -> tuple[Tensor, Tensor]:
    dims = tuple(range(-len(normalized_shape), 0))
    values = input if input.dtype == torch.float64 else input.float()
    scale = (values.square().mean(dims, keepdim=True) + eps).rsqrt()
    result = values * scale if weight is None else values * scale * weight
    return result.to(input.dtype), scale.reshape(input.shape[: -len(dims)])


def _rmsnorm_backward(
    grad_out: Tensor,
    invvar: Tensor,
    input: Tensor,
    normalized_shape: Sequence[int],
    eps: float,
    weight: Optional[Tensor] = None,
) -> tuple[Tensor, Tensor]:
    dims = tuple(range(-len(normalized_shape), 0))
    scale = invvar.reshape((*invvar.shape, *[1] * len(dims)))
    normalized, grad = input * scale, grad_out.to(invvar.dtype)
    scaled = grad if weight is None else grad * weight
    of_input = scale * (scaled - normalized * (scaled * normalized).mean(dims, keepdim=True))
    if weight is None:
        return of_input.to(input.dtype), input.new_empty(0)
    of_weight = (grad * normalized).reshape(-1, *weight.shape).sum(0)
    return of_input.to(input.dtype), of_weight.to(weight.dtype)


def _define() -> None:
    """Define the operators, with what computes them without kernels, and with their gradients."""
    ops: Any = torch.ops.aten
    for schema in _SCHEMAS:
        _LIBRARY.define(schema)
    for name, composed in {
        "_fused_swiglu_forward": _swiglu,
        "_fused_swiglu_backward": _swiglu_backward,
        "_fused_rope_forward": _rope,
        "_fused_rope_backward": _rope_backward,
        "_fused_rmsnorm_forward": _rmsnorm,
        "_fused_rmsnorm_backward": _rmsnorm_backward,
    }.items():
        _LIBRARY.impl(name, composed, "CompositeExplicitAutograd")
    for name, forward in {
        "gated_silu": ops._fused_swiglu_forward,
        "swish_glu": ops._fused_swiglu_forward,
        "rope": ops._fused_rope_forward,
    }.items():
        _LIBRARY.impl(name, forward.default, "CompositeImplicitAutograd")
    _define_gradients(ops)


def _define_gradients(ops: Any) -> None:
    def keep_inputs(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(*(value for value in inputs if isinstance(value, Tensor)))
        ctx.others = [value for value in inputs if value is not None and not isinstance(value, Tensor)]

    def keep_scale(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        input, ctx.shape, ctx.eps, weight = inputs
        ctx.save_for_backward(input, output[1], weight)
        ctx.mark_non_differentiable(output[1])

    def of_swiglu(ctx: Any, grad: Tensor) -> Tensor:
        gradient: Tensor = ops._fused_swiglu_backward(grad, *ctx.saved_tensors)
        return gradient

    def of_rope(ctx: Any, grad: Tensor) -> tuple[Optional[Tensor], ...]:
        return ops._fused_rope_backward(grad, ctx.saved_tensors[1], *ctx.others), None, None, None, None

    def of_rmsnorm(ctx: Any, grad: Tensor, _: Any) -> tuple[Optional[Tensor], ...]:
        input, invvar, weight = ctx.saved_tensors
        of_input, of_weight = ops._fused_rmsnorm_backward(grad, invvar, input, ctx.shape, ctx.eps, weight)
        return of_input, None, None, None if weight is None else of_weight

    for name, gradient, keep in (
        ("_fused_swiglu_forward", of_swiglu, keep_inputs),
        ("_fused_rope_forward", of_rope, keep_inputs),
        ("_fused_rmsnorm_forward", of_rmsnorm, keep_scale),
    ):
        torch.library.register_autograd(f"aten::{name}", gradient, setup_context=keep, lib=_LIBRARY)


def register() -> None:
    """Define the operators, and put the functions and modules where torch_musa has them."""
    _define()
    vars(torch).update(rope=rope, swish_glu=swish_glu, gated_silu=gated_silu)
    vars(functional).update(rope=rope, swish_glu=swish_glu)
    vars(torch.nn).update(RoPE=RoPE, SwishGLU=SwishGLU)
