"""Visit and rebuild what operators take and return: tensors in lists, tuples and dicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable

import torch


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Return everything that is not a list, tuple or dict, with its path, as ``1.0``."""
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}.{index}" if path else str(index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Return the tensors of a nest."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors(item)


def mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """Return a nest of the same form with every leaf replaced."""
    if isinstance(value, torch.Size):
        return value
    if isinstance(value, list):
        return [mapped(item, function) for item in value]
    if isinstance(value, tuple):
        items = [mapped(item, function) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {key: mapped(item, function) for key, item in value.items()}
    return function(value)
