"""Calls a function of torch_musa._ext with lists of tensors, as apex does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor


class MultiTensorApply:
    """Calls functions of lists of tensors, with the size of the chunks that a GPU's kernels would work in."""

    available = True

    def __init__(self, chunk_size: int) -> None:
        self.chunk_size = chunk_size

    def __call__(
        self, op: Callable[..., Any], noop_flag_buffer: Tensor, tensor_lists: list[list[Tensor]], *args: Any
    ) -> Any:
        """Call `op`."""
        return op(self.chunk_size, noop_flag_buffer, tensor_lists, *args)


multi_tensor_applier = MultiTensorApply(2048 * 32)
