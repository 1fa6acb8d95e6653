"""Find out whether a tensor has values in memory. Of other tensors, only the facts can be read."""

from __future__ import annotations

from typing import Optional

import torch
from torch.nn.parameter import is_lazy

NO_VALUES = "a meta tensor has no values"
_ORDINARY = (torch.Tensor, torch.nn.Parameter)
_NO_DISPATCH = torch._C._disabled_torch_dispatch_impl
_is_wrapped = torch._C._functorch.is_functorch_wrapped_tensor
_unwrapped = torch._C._functorch.get_unwrapped


def computes_itself(kind: type[torch.Tensor]) -> bool:
    """Return whether a class of tensors has a ``__torch_dispatch__`` of its own."""
    return kind not in _ORDINARY and kind.__torch_dispatch__ is not _NO_DISPATCH


def is_initialised(tensor: torch.Tensor) -> bool:
    """Return whether a tensor has a shape; a parameter of a lazy module gets it in the first forward pass."""
    return not is_lazy(tensor)


def holds_values(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is one of PyTorch's own, in any form, and has values."""
    return not (tensor.is_meta or computes_itself(type(tensor))) and is_initialised(tensor)


def why_unreadable(tensor: torch.Tensor) -> str:
    """Return why a tensor's values cannot be read from memory as numbers in a row, or nothing.

    Call this while functions of subclasses are disabled: they might refuse to answer, or record the query.
    """
    if tensor.is_meta:
        return NO_VALUES
    if type(tensor) not in _ORDINARY and not holds_values(tensor):
        return f"a {type(tensor).__name__} has no memory of its own"
    if tensor.layout is not torch.strided:
        return f"a tensor has the layout {tensor.layout}"
    if tensor.is_quantized or tensor.is_nested:
        return "a tensor is quantized" if tensor.is_quantized else "a tensor is nested"
    try:
        address = tensor.data_ptr()
    except RuntimeError:
        return "a tensor is part of a transform" if _is_wrapped(tensor) else "a tensor has no memory"
    return "" if address or not tensor.numel() else "a tensor has no memory"


def readable(tensor: torch.Tensor) -> Optional[torch.Tensor]:
    """Return a tensor whose values can be read, or None: the tensor, or the one that ``torch.func.grad`` has wrapped.

    Call this as ``why_unreadable``.
    """
    if not why_unreadable(tensor):
        return tensor
    inner = tensor
    while _is_wrapped(inner):
        inner = _unwrapped(inner)
    # A tensor that vmap has wrapped holds the values of all samples.
    return inner if inner is not tensor and inner.shape == tensor.shape and not why_unreadable(inner) else None


def copy_if_possible(tensor: torch.Tensor) -> Optional[torch.Tensor]:
    """Return a copy on the CPU, or None of a tensor that has no values or that PyTorch cannot copy."""
    if not holds_values(tensor):
        return None
    in_a_row = tensor.layout is torch.strided and not tensor.is_quantized and not tensor.is_nested
    source = readable(tensor) if in_a_row else tensor
    try:
        return None if source is None else source.detach().to("cpu", copy=True)
    except RuntimeError:
        return None


def sizes(tensor: torch.Tensor) -> list[int]:
    """Return a tensor's shape, with -1 for the dimensions of nested tensors and tracers, which have no number."""
    if not is_initialised(tensor):
        return []
    if tensor.is_nested and tensor.layout is torch.strided:
        return [-1] * tensor.dim()
    return [size if type(size) is int else -1 for size in tensor.shape]
