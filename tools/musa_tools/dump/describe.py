"""Values as entries of dump.json: tensors by type, shape and numbers, everything else by type and value."""

from __future__ import annotations

import functools
import zlib
from typing import Any, Callable, Optional

import torch

from musa_tools.observe.process import is_capturing
from musa_tools.tensors.readable import is_initialised, readable, sizes
from musa_tools.tensors.statistics import Statistics

#: (tensor, position) -> the name of the file that it was written to
Keep = Callable[[torch.Tensor, str], Optional[str]]

_PLAIN = (bool, int, float, str)


class Describer:
    """Makes entries.

    Args:
        statistics: Computes the numbers.
        digests: Whether tensors get a checksum in place of numbers.
        numbers: False leaves both out.
    """

    def __init__(self, statistics: Statistics, digests: bool = False, numbers: bool = True) -> None:
        self._statistics = statistics
        self._digests = digests
        self._numbers = numbers

    def entry(self, value: Any, position: str, keep: Optional[Keep] = None) -> Any:
        """Return the entry of a value.

        Args:
            value: A tensor, a plain value, or a nest of them.
            position: Its position among the arguments, as ``1.0``.
            keep: Writes a tensor to a file.
        """
        if isinstance(value, torch.Tensor):
            return self._tensor(value, position, keep) if is_initialised(value) else _other(value)
        if value is None or isinstance(value, _PLAIN):
            return {"type": type(value).__name__, "value": value}
        if isinstance(value, torch.Size):
            return {"type": "torch.Size", "value": list(value)}
        if isinstance(value, (list, tuple)):
            return [self.entry(item, f"{position}.{index}", keep) for index, item in enumerate(value)]
        if isinstance(value, dict):
            return {str(key): self.entry(item, f"{position}.{key}", keep) for key, item in value.items()}
        return _other(value)

    def _tensor(self, tensor: torch.Tensor, position: str, keep: Optional[Keep]) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "type": "torch.Tensor",
            "dtype": _name(tensor.dtype),
            "shape": sizes(tensor),
        }
        captured = is_capturing(tensor.device.type)  # then the tool may neither compute nor fetch
        if self._numbers and not captured:
            self._statistics.add(tensor, entry)
        entry["requires_grad"] = tensor.requires_grad
        if captured:
            return entry
        if self._digests:
            entry["md5"] = digest(tensor)
        if keep is not None:
            entry["data_name"] = keep(tensor, position)
        return entry


@functools.cache
def _name(dtype: torch.dtype) -> str:
    return str(dtype)


def digest(tensor: torch.Tensor) -> Optional[str]:
    """Return the CRC-32 of a tensor's bytes, as msprobe writes it under the name md5; None where it has no bytes."""
    values = readable(tensor)
    if values is None:
        return None
    try:
        flat = values.resolve_conj().resolve_neg().to("cpu", copy=True).contiguous().reshape(-1)
        data: Any = flat.view(torch.uint8).numpy() if flat.numel() else b""
    except RuntimeError:  # PyTorch cannot copy this type
        return None
    return f"{zlib.crc32(data):08x}"


def _other(value: Any) -> dict[str, Any]:
    if isinstance(value, slice):
        return {"type": "slice", "value": [_index(part) for part in (value.start, value.stop, value.step)]}
    if value is Ellipsis:
        return {"type": "ellipsis", "value": "..."}
    if isinstance(value, complex):
        return {"type": "complex", "value": [value.real, value.imag]}
    if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
        return {"type": f"torch.{type(value).__name__}", "value": str(value)}
    return {"type": type(value).__name__, "value": None}


def _index(part: Any) -> Any:
    return part if part is None or isinstance(part, int) else str(part)


def nested_by_position(entries: dict[str, Any]) -> list[Any]:
    """Return entries by position as nested lists; a missing gradient is None."""
    found: list[Any] = []
    inner: dict[int, dict[str, Any]] = {}
    for position, entry in entries.items():
        first, _, rest = position.partition(".")
        if not first.isdigit():
            continue
        index = int(first)
        found.extend([None] * (index + 1 - len(found)))
        if rest:
            inner.setdefault(index, {})[rest] = entry
        else:
            found[index] = entry
    for index, within in inner.items():
        found[index] = nested_by_position(within) or within
    return found
