"""The two functions of torch_musa's library of kernels that work on lists of tensors, over PyTorch's operators.

Their arguments are those of torch_musa's functions, which follow NVIDIA's apex. Here nothing is launched in chunks, and
no gradient that is not finite sets the flag: `chunk_size` and `noop_flag` are accepted and not used.
"""

from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor


def multi_tensor_l2norm(
    chunk_size: int, noop_flag: Tensor, tensor_lists: list[list[Tensor]], per_tensor: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the L2 norm of all elements of all tensors, and those of each tensor if they are wanted."""
    (tensors,) = tensor_lists
    norms = torch.stack([_norm(tensor) for tensor in tensors])
    return norms.norm().reshape(1), norms if per_tensor else norms.new_empty(0)


def _norm(tensor: Tensor) -> Tensor:
    """Return the L2 norm, added up in double precision: a GPU's many partial sums are as exact as that."""
    return torch.linalg.vector_norm(tensor, dtype=torch.float64).float()


def multi_tensor_lamb(
    chunk_size: int,
    noop_flag: Tensor,
    tensor_lists: list[list[Tensor]],
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    step: int,
    bias_correction: int,
    weight_decay: float,
    grad_averaging: int,
    mode: int,
    global_grad_norm: Tensor,
    max_grad_norm: float,
    use_nvlamb: Optional[bool] = False,
) -> None:
    """Take one step of LAMB: the lists are gradients, parameters, averages of gradients and of their squares.

    `mode` 0 adds the decay to the gradient (L2 regularisation), 1 to the update (as AdamW).
    """
    of_gradient = 1 - beta1 if grad_averaging else 1.0
    corrections = (1 - beta1**step, 1 - beta2**step) if bias_correction else (1.0, 1.0)
    clipped = torch.clamp(global_grad_norm / max_grad_norm, min=1.0)
    for grad, parameter, average, square in zip(*tensor_lists):
        gradient = grad.float() / clipped.to(grad.device)
        values = parameter.float()
        if mode == 0:
            gradient = gradient + weight_decay * values
        average.copy_(average.float() * beta1 + gradient * of_gradient)
        square.copy_(square.float() * beta2 + gradient * gradient * (1 - beta2))
        update = average.float() / corrections[0] / ((square.float() / corrections[1]).sqrt() + epsilon)
        if mode == 1:
            update = update + weight_decay * values
        parameter.copy_(values - _rate(lr, values, update, bool(use_nvlamb) or weight_decay != 0) * update)


def _rate(lr: float, values: Tensor, update: Tensor, adaptive: bool) -> Tensor:
    """Return the learning rate of one tensor: LAMB scales it by how large its values are beside the update."""
    size, change = _norm(values), _norm(update)
    scales = adaptive & (size != 0) & (change != 0)
    return torch.where(scales, lr * size / change, torch.full_like(size, lr))
