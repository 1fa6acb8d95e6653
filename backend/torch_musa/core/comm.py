"""Copies between the devices of one process, for torch.nn.DataParallel and torch.nn.parallel.comm.

A PyTorch that was built for CUDA has these functions in torch._C. If they are absent, `register` adds them for musa. If
they are there, but no card is, those for musa are called. Devices are indices; -1 is the CPU.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Optional

import torch
from torch import Tensor

HOST = -1
"""The destination that means the CPU."""


def _device(index: int) -> torch.device:
    return torch.device("cpu") if index == HOST else torch.device("musa", index)


def broadcast(tensor: Tensor, devices: Sequence[int]) -> list[Tensor]:
    """Copy a tensor to several devices.

    Args:
        tensor: The tensor.
        devices: Indices of devices; -1 is the CPU.

    Returns:
        One tensor per device. On its own device, it is the tensor itself.
    """
    return [tensor.to(_device(index), non_blocking=True) for index in devices]


def broadcast_out(tensor: Tensor, out: Sequence[Tensor]) -> list[Tensor]:
    """Copy a tensor into each of several tensors, and return these.

    Args:
        tensor: The tensor.
        out: Tensors of the same shape.

    Raises:
        RuntimeError: A shape differs.
    """
    for target in out:
        if target.shape != tensor.shape:
            raise RuntimeError(f"Expected out tensors of shape {tuple(tensor.shape)}, but got {tuple(target.shape)}")
        target.copy_(tensor, non_blocking=True)
    return list(out)


def broadcast_coalesced(tensors: Sequence[Tensor], devices: Sequence[int], buffer_size: int) -> list[list[Tensor]]:
    """Copy several tensors to several devices.

    Args:
        tensors: Tensors on the first device.
        devices: Indices of devices.
        buffer_size: Has no effect: nothing is gained by copying several tensors at once.

    Returns:
        One list of tensors per device.

    Raises:
        RuntimeError: A tensor is not on the first device.
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
    """Split a tensor along a dimension and copy each piece to a device.

    Args:
        tensor: The tensor.
        devices: Indices of devices; -1 is the CPU.
        chunk_sizes: The sizes of the pieces along `dim`; None makes them as equal as possible.
        dim: The dimension.
        streams: For each piece the stream that copies it; None is the current one.

    Returns:
        The pieces, one per device.

    Raises:
        RuntimeError: The sum of `chunk_sizes` is not the size of the dimension.
    """
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
    """Split a tensor along a dimension and copy each piece into a tensor of that size.

    Args:
        tensor: The tensor.
        out: The tensors for the pieces. Their sizes along `dim` are the sizes of the pieces.
        dim: The dimension.
        streams: Has no effect: the current stream copies.

    Returns:
        The tensors of `out`.

    Raises:
        RuntimeError: The sum of their sizes is not the size of the dimension.
    """
    for target, chunk in zip(out, _chunks(tensor, len(out), [target.size(dim) for target in out], dim)):
        target.copy_(chunk, non_blocking=True)
    return tuple(out)


def gather(tensors: Sequence[Tensor], dim: int, destination: Optional[int] = None) -> Tensor:
    """Concatenate tensors of several devices along a dimension, on one device.

    Args:
        tensors: The tensors. Their shapes may differ in `dim` only.
        dim: The dimension.
        destination: The index of the device; -1 is the CPU, None the current device.
    """
    index = torch.musa.current_device() if destination is None else destination  # type: ignore[attr-defined]
    return torch.cat([tensor.to(_device(index)) for tensor in tensors], dim)


def gather_out(tensors: Sequence[Tensor], out: Tensor, dim: int) -> Tensor:
    """Concatenate tensors of several devices along a dimension into a tensor, and return that.

    Args:
        tensors: The tensors. Their shapes may differ in `dim` only.
        out: The tensor for the result.
        dim: The dimension.
    """
    return torch.cat([tensor.to(out.device) for tensor in tensors], dim, out=out)


def _unless_there_is_cuda(for_musa: Callable[..., Any], for_cuda: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that asks at each call: asking at once would start CUDA before the program may fork."""

    @functools.wraps(for_musa)
    def choose(*args: Any, **kwargs: Any) -> Any:
        return (for_cuda if torch.cuda.is_available() else for_musa)(*args, **kwargs)

    return choose


def register() -> None:
    """Add the functions to torch._C; a PyTorch for CUDA keeps its own where it has a card."""
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
        for_cuda = getattr(torch._C, name, None)
        setattr(torch._C, name, function if for_cuda is None else _unless_there_is_cuda(function, for_cuda))
