"""A part of a tensor's values."""

from __future__ import annotations

from typing import Optional

import torch


def head_middle_tail(tensor: torch.Tensor, step: int, ends: int = 256) -> torch.Tensor:
    """Return the first and the last values and every ``step``-th between; a small tensor, or step 1, as it is."""
    if step == 1 or tensor.numel() <= 2 * ends:
        return tensor
    flat = tensor.reshape(-1)
    return torch.cat((flat[:ends], flat[ends:-ends:step], flat[-ends:]))


def first_values(tensor: torch.Tensor, count: Optional[int]) -> torch.Tensor:
    """Return the first values, in one dimension; without a count, all."""
    return tensor.reshape(-1)[:count]
