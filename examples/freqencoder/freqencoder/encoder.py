"""The Python interface of the encoder: checks, autograd, and a module."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import torch
from torch import Tensor, nn

SUPPORTED_DTYPES = (torch.float16, torch.float32, torch.float64)


def _load_operators() -> str:
    """Load the compiled operators that this installation has; returns the type of device they run on."""
    if importlib.util.find_spec("freqencoder._MUSAC") is not None:
        importlib.import_module("torch_musa")  # registers the device, and loads the libraries that the module needs
        importlib.import_module("freqencoder._MUSAC")
        return "musa"
    if importlib.util.find_spec("freqencoder._CUDAC") is not None:
        importlib.import_module("freqencoder._CUDAC")
        return "cuda"
    raise ImportError(
        "freqencoder has not been compiled: run `python setup_musa.py build_ext --inplace` (MUSA) or "
        "`python setup.py build_ext --inplace` (CUDA) in the folder that holds setup.py"
    )


DEVICE = _load_operators()


def freq_encode(inputs: Tensor, degree: int) -> Tensor:
    """Encode `inputs` as [x, sin(2^0 x), cos(2^0 x), ..., sin(2^(degree-1) x), cos(2^(degree-1) x)].

    Args:
        inputs: shape (..., dim), of type float16, float32 or float64, on the GPU. It need not be contiguous.
        degree: number of frequencies, 0 or more.

    Returns:
        shape (..., dim * (1 + 2 * degree)), type and device of `inputs`; each entry of the list above is a block of
        `dim` columns. float16 is computed in float32. Differentiable any number of times.

    Raises:
        TypeError: `inputs` is not a tensor of a supported type, or `degree` is not an integer.
        ValueError: `inputs` is on another device or has no dimension, or `degree` is negative.
    """
    _check(inputs, degree)
    *batch, dim = inputs.shape
    # The row count is written out, because -1 is ambiguous for an empty tensor.
    rows = inputs.reshape(inputs.numel() // dim if dim else 0, dim)
    outputs: Tensor = _Encode.apply(rows, degree)
    return outputs.reshape(*batch, dim * (1 + 2 * degree))


class FreqEncoder(nn.Module):
    """`freq_encode` as a layer: (..., input_dim) -> (..., output_dim)."""

    def __init__(self, input_dim: int = 3, degree: int = 4) -> None:
        super().__init__()
        self.input_dim = input_dim
        self.degree = degree
        self.output_dim = input_dim * (1 + 2 * degree)

    def forward(self, inputs: Tensor) -> Tensor:
        if inputs.dim() == 0 or inputs.shape[-1] != self.input_dim:
            raise ValueError(f"the last dimension must be {self.input_dim}, but the shape is {tuple(inputs.shape)}")
        return freq_encode(inputs, self.degree)

    def extra_repr(self) -> str:
        return f"input_dim={self.input_dim}, degree={self.degree}, output_dim={self.output_dim}"


def _check(inputs: Tensor, degree: int) -> None:
    if not isinstance(inputs, Tensor):
        raise TypeError(f"inputs must be a tensor, not {type(inputs).__name__}")
    if not isinstance(degree, int) or isinstance(degree, bool):
        raise TypeError(f"degree must be an integer, not {type(degree).__name__}")
    if inputs.dtype not in SUPPORTED_DTYPES:
        supported = ", ".join(str(dtype) for dtype in SUPPORTED_DTYPES)
        raise TypeError(f"inputs must be of type {supported}; found {inputs.dtype}")
    if inputs.device.type != DEVICE:
        raise ValueError(f"inputs must be on a {DEVICE} device, but are on {inputs.device}: use inputs.to('{DEVICE}')")
    if inputs.dim() == 0:
        raise ValueError("inputs must have at least one dimension, but are a single number")
    if degree < 0:
        raise ValueError(f"degree must not be negative, but is {degree}")


class _Encode(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, degree: int) -> Tensor:
        ctx.save_for_backward(inputs)
        ctx.degree = degree
        outputs: Tensor = torch.ops.freqencoder.encode(inputs.contiguous(), degree)
        return outputs

    @staticmethod
    def backward(ctx: Any, grad_outputs: Tensor) -> tuple[Tensor, None]:
        (inputs,) = ctx.saved_tensors
        grad_inputs: Tensor = _EncodeBackward.apply(grad_outputs, inputs, ctx.degree)
        return grad_inputs, None


class _EncodeBackward(torch.autograd.Function):
    """The first derivative, with a derivative of its own: gradients of gradients work, and so on."""

    @staticmethod
    def forward(ctx: Any, grad_outputs: Tensor, inputs: Tensor, degree: int) -> Tensor:
        ctx.save_for_backward(grad_outputs, inputs)
        ctx.degree = degree
        grad_inputs: Tensor = torch.ops.freqencoder.encode_backward(
            grad_outputs.contiguous(), inputs.contiguous(), degree
        )
        return grad_inputs

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        # Written with differentiable operations only, so that autograd can go on from here by itself.
        grad_outputs, inputs = ctx.saved_tensors
        shape = (*inputs.shape[:-1], ctx.degree, 2, inputs.shape[-1])
        dim = inputs.shape[-1]
        sine, cosine = _Encode.apply(inputs, ctx.degree)[..., dim:].reshape(shape).unbind(-2)
        grad_sine, grad_cosine = grad_outputs[..., dim:].reshape(shape).unbind(-2)
        frequency = (2.0 ** torch.arange(ctx.degree, dtype=inputs.dtype)).to(inputs.device).unsqueeze(-1)

        along = grad.unsqueeze(-2) * frequency
        grad_grad_outputs = torch.stack((along * cosine, -along * sine), dim=-2).flatten(-3)
        curvature = (frequency**2 * (grad_sine * sine + grad_cosine * cosine)).sum(dim=-2)
        return torch.cat((grad, grad_grad_outputs), dim=-1), -grad * curvature, None
