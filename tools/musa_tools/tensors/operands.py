"""The tensors among the arguments and results of operators: find them in nests, and find out which have values.

A nest is a list, a tuple or a dict, visited and rebuilt with everything in it. Of a tensor without values in memory,
only the facts can be read.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, Callable, Optional

import torch
from torch.nn.parameter import is_lazy

#: types that are no nest and no tensor; isinstance() with torch.Tensor takes longer
_LEAVES = frozenset((int, float, bool, str, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format))


def leaves(value: Any, path: str = "", inside: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Return everything that is not a list, tuple or dict, with its path, as ``1.0``.

    `inside`: the ids of the nests that the value lies in. One that contains itself is a leaf there.
    """
    if id(value) in inside:
        yield path, value
    elif isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}.{index}" if path else str(index), (*inside, id(value)))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else str(key), (*inside, id(value)))
    else:
        yield path, value


def tensors(value: Any) -> list[torch.Tensor]:
    """Return the tensors of a nest."""
    found: list[torch.Tensor] = []
    _collect(value, found, ())
    return found


def _collect(value: Any, found: list[torch.Tensor], inside: tuple[int, ...]) -> None:
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif isinstance(value, (list, tuple)) and id(value) not in inside:
        for item in value:
            if type(item) not in _LEAVES:
                _collect(item, found, (*inside, id(value)))
    elif isinstance(value, dict) and id(value) not in inside:
        for item in value.values():
            _collect(item, found, (*inside, id(value)))


def mapped(value: Any, function: Callable[[Any], Any], inside: tuple[int, ...] = ()) -> Any:
    """Return a nest of the same form with every leaf replaced. A nest in itself, one of `inside`, is kept."""
    kind = type(value)
    if kind is torch.Tensor or kind is int or kind is float:
        return function(value)
    if kind is torch.Size or id(value) in inside:
        return value
    within = (*inside, id(value))
    if kind is list:
        return [mapped(item, function, within) for item in value]
    if isinstance(value, tuple):
        items = [mapped(item, function, within) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if kind is dict:
        return {key: mapped(item, function, within) for key, item in value.items()}
    return function(value)


def strided(value: Any) -> Iterator[torch.Tensor]:
    """Return the tensors that have a storage."""
    return (each for each in tensors(value) if each.layout == torch.strided and torch._C._has_storage(each))


def references(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return weak references to tensors, with their versions."""
    try:
        return tuple([(weakref.ref(tensor), tensor._version) for tensor in tensors(args)])
    except RuntimeError:  # tensors of the inference mode have no version
        return tuple([(weakref.ref(tensor), _version(tensor)) for tensor in tensors(args)])


def unchanged(inputs: tuple[Any, ...]) -> list[torch.Tensor]:
    """Return the tensors that are still alive and unchanged."""
    alive = [(reference(), version) for reference, version in inputs]
    return [tensor for tensor, version in alive if tensor is not None and _version(tensor) == version]


def _version(tensor: torch.Tensor) -> int:
    return 0 if tensor.is_inference() else tensor._version


def as_tuple(outputs: Any) -> tuple[Any, ...]:
    """Return the results of a call one by one."""
    return outputs if type(outputs) is tuple else (outputs,)


def tensors_by_position(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """Return the tensors of arguments with their positions, as ``0``, ``1.0`` or ``mask``."""
    for index, value in enumerate(args):
        if isinstance(value, torch.Tensor):
            yield str(index), value
        elif isinstance(value, (list, tuple, dict)):
            yield from _tensors_in(value, str(index))
    for name, value in kwargs.items():
        yield from _tensors_in(value, name)


def _tensors_in(value: Any, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    for position, leaf in leaves(value, path):
        if isinstance(leaf, torch.Tensor):
            yield position, leaf


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
