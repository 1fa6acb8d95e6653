"""Copies between the devices of one process, for torch.nn.DataParallel and torch.nn.parallel.comm.

PyTorch has these functions in torch._C when it was built for CUDA. Where they are absent they are added there,
for musa.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import torch
from torch import Tensor

HOST = -1
"""The destination that stands for the CPU."""


def _device(index: int) -> torch.device:
    return torch.device("cpu") if index == HOST else torch.device("musa", index)


def broadcast(tensor: Tensor, devices: Sequence[int]) -> list[Tensor]:
    """Copy a tensor to each device; where it is already it is not copied."""
    return [tensor.to(_device(index), non_blocking=True) for index in devices]


def broadcast_out(tensor: Tensor, out: Sequence[Tensor]) -> list[Tensor]:
    """Copy a tensor into each of `out`."""
    for target in out:
        if target.shape != tensor.shape:
            raise RuntimeError(f"Expected out tensors of shape {tuple(tensor.shape)}, but got {tuple(target.shape)}")
        target.copy_(tensor, non_blocking=True)
    return list(out)


def broadcast_coalesced(tensors: Sequence[Tensor], devices: Sequence[int], buffer_size: int) -> list[list[Tensor]]:
    """Copy tensors of the first device to each device: the lists of the devices' tensors.

    There is nothing to gain by copying several at once, as `buffer_size` would have it.
    """
    for tensor in tensors:
        if tensor.get_device() != devices[0]:
            raise RuntimeError(f"All tensors must be on devices[0]: {devices[0]}, but one is on {tensor.device}")
    copies = [[tensor.detach().to(_device(index), non_blocking=True) for tensor in tensors] for index in devices[1:]]
    return [list(tensors), *copies]


def scatter(
    tensor: Tensor,
    devices: Sequence[int],
    chunk_sizes: Optional[Sequence[int]] = None,
    dim: int = 0,
    streams: Optional[Sequence[Optional[torch.Stream]]] = None,
) -> tuple[Tensor, ...]:
    """Cut a tensor along `dim` and copy each piece to its device, on its stream if there is one."""
    chunks = _chunks(tensor, len(devices), chunk_sizes, dim)
    used = [None] * len(chunks) if streams is None else streams
    return tuple(_copy_on(chunk, _device(index), stream) for chunk, index, stream in zip(chunks, devices, used))


def _chunks(tensor: Tensor, count: int, sizes: Optional[Sequence[int]], dim: int) -> Sequence[Tensor]:
    if sizes is None:
        return tensor.chunk(count, dim)
    if sum(sizes) != tensor.size(dim):
        raise RuntimeError(f"Expected chunk sizes with the sum {tensor.size(dim)}, but got: {list(sizes)}")
    return tensor.split(list(sizes), dim)


def _copy_on(tensor: Tensor, device: torch.device, stream: Optional[torch.Stream]) -> Tensor:
    if stream is None:
        return tensor.to(device, non_blocking=True)
    with torch.musa.stream(stream):  # type: ignore[attr-defined]
        return tensor.to(device, non_blocking=True)


def scatter_out(
    tensor: Tensor,
    out: Sequence[Tensor],
    dim: int = 0,
    streams: Optional[Sequence[Optional[torch.Stream]]] = None,
) -> tuple[Tensor, ...]:
    """Cut a tensor along `dim` into pieces as large as those of `out`, and copy them there."""
    for target, chunk in zip(out, _chunks(tensor, len(out), [target.size(dim) for target in out], dim)):
        target.copy_(chunk, non_blocking=True)
    return tuple(out)


def gather(tensors: Sequence[Tensor], dim: int, destination: Optional[int] = None) -> Tensor:
    """Put tensors of several devices together along `dim`, on `destination` (default: the current device)."""
    index = torch.musa.current_device() if destination is None else destination  # type: ignore[attr-defined]
    return torch.cat([tensor.to(_device(index)) for tensor in tensors], dim)


def gather_out(tensors: Sequence[Tensor], out: Tensor, dim: int) -> Tensor:
    """Put tensors of several devices together along `dim`, in `out`."""
    return torch.cat([tensor.to(out.device) for tensor in tensors], dim, out=out)


def register() -> None:
    """Add the functions to torch._C, unless this PyTorch has its own."""
    functions = {
        "_broadcast": broadcast,
        "_broadcast_out": broadcast_out,
        "_broadcast_coalesced": broadcast_coalesced,
        "_scatter": scatter,
        "_scatter_out": scatter_out,
        "_gather": gather,
        "_gather_out": gather_out,
    }
    for name, function in functions.items():
        if not hasattr(torch._C, name):
            setattr(torch._C, name, function)
