"""Visit and rebuild nests, the arguments and results of operators: tensors in lists, tuples and dicts."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, Callable

import torch

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
