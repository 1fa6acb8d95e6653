"""Rebuild a call of a dump from plain values and tensors. No name in a file is looked up or run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import torch

from musa_tools.compare_dumps.read_msprobe import read_entry
from musa_tools.compare_dumps.records import call_name
from musa_tools.compare_dumps.tensor_files import load_tensor
from musa_tools.errors import ToolError
from musa_tools.tensors.operands import sizes, why_unreadable

_LAYOUTS = {str(layout): layout for layout in (torch.strided, torch.sparse_coo)}
_FORMATS = {
    str(each): each
    for each in (torch.contiguous_format, torch.preserve_format, torch.channels_last, torch.channels_last_3d)
}
_DTYPES = {str(value): value for value in vars(torch).values() if isinstance(value, torch.dtype)}
_NAMED: dict[str, Mapping[str, Any]] = {
    "torch.dtype": _DTYPES,
    "torch.layout": _LAYOUTS,
    "torch.memory_format": _FORMATS,
}
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")
_KINDS = ("Functional", "Tensor", "Torch", "VF", "Aten")


@dataclass(frozen=True)
class SavedCall:
    """A call with its arguments and results, on the CPU.

    Attributes:
        kind: ``Functional``, ``Tensor``, ``Torch``, ``VF`` or ``Aten``.
        function: The function's name there.
    """

    name: str
    kind: str
    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outputs: list[Any]


def read_call(path: Path, name: str) -> SavedCall:
    """Return a call of a dump.

    Args:
        path: A folder of PrecisionDebugger, or a file in it.
        name: The call's name, as ``Functional.linear.3.forward``.
    """
    kind, function = _checked_name(name)
    entry, folder = read_entry(path, name)
    for part in ("input_args", "output"):
        if part not in entry:
            raise ToolError(f"the dump holds no {part} of {name}", hint="dump again with data_mode=['all']")
    reader = _Reader(name, folder)
    args = tuple(reader.value(each) for each in entry["input_args"])
    kwargs = {str(key): reader.value(each) for key, each in dict(entry.get("input_kwargs") or {}).items()}
    outputs = [reader.value(each) for each in entry["output"]]
    if function in ("__getitem__", "__setitem__") and len(args) > 1 and isinstance(args[1], list):
        args = (args[0], _index(args, outputs), *args[2:])
    return SavedCall(name, kind, function, args, kwargs, outputs)


def _checked_name(name: str) -> tuple[str, str]:
    base, number, direction = call_name(name)
    kind, _, function = base.partition(".")
    if direction != "forward":
        raise ToolError(f"{name} is no call of the forward pass, and only these can be replayed")
    if kind == "Module":
        raise ToolError(
            f"{name} is a module, whose code is not in a dump", hint="replay one of the functions that it calls"
        )
    if kind not in _KINDS or not function or number < 0:
        raise ToolError(f"{name!r} is not run", wanted=f"a call of {', '.join(_KINDS)}, as Functional.linear.3.forward")
    return kind, function


def _index(args: tuple[Any, ...], outputs: list[Any]) -> Any:
    """Return an index that a dump has written as a list: a tuple, unless only a list gives the result's shape."""
    index = tuple(args[1])
    if outputs and isinstance(outputs[0], torch.Tensor) and isinstance(args[0], torch.Tensor):
        try:
            if args[0][index].shape != outputs[0].shape:
                return args[1]
        except (IndexError, TypeError, RuntimeError):
            return args[1]
    return index


class _Reader:
    """Makes values of the entries of a call.

    Args:
        name: The call's.
        folder: The folder of its tensors.
    """

    def __init__(self, name: str, folder: Optional[Path]) -> None:
        self._name = name
        self._folder = folder

    def value(self, entry: Any) -> Any:
        if isinstance(entry, list):
            return [self.value(each) for each in entry]
        if not isinstance(entry, dict):
            raise ToolError(f"{self._name}: {entry!r} is no value of a dump")
        if "type" not in entry or isinstance(entry["type"], (dict, list)):
            return {str(key): self.value(each) for key, each in entry.items()}
        if entry["type"] == "torch.Tensor":
            return self._tensor(entry)
        return self._plain(str(entry["type"]), entry.get("value"))

    def _tensor(self, entry: dict[str, Any]) -> torch.Tensor:
        file = entry.get("data_name")
        if not isinstance(file, str) or self._folder is None:
            raise ToolError(f"the dump holds only statistics of {self._name}", hint='dump again with task="tensor"')
        if Path(file).name != file:
            raise ToolError(f"{self._name}: {file!r} leads out of the dump")
        path = self._folder / file
        if not path.is_file():
            raise ToolError(f"{path}, a tensor of {self._name}, is missing")
        tensor = load_tensor(path)
        if sizes(tensor) != entry.get("shape") or str(tensor.dtype) != entry.get("dtype"):
            raise ToolError(
                f"{path} is not of the run of its dump",
                found=f"{tensor.dtype} {sizes(tensor)}",
                wanted=f"{entry.get('dtype')} {entry.get('shape')}, as the dump says",
            )
        reason = why_unreadable(tensor)
        if reason:
            raise ToolError(f"{self._name} is not run: {reason}, and only plain tensors are compared")
        return tensor

    def _plain(self, kind: str, value: Any) -> Any:
        if kind in ("NoneType", "bool", "int", "float", "str") and type(value).__name__ == kind:
            return value
        if kind == "float" and (type(value) is int or value in _NOT_FINITE):
            return float(value)
        if kind == "torch.Size" and _integers(value):
            return torch.Size(value)
        if kind == "slice" and isinstance(value, list) and len(value) == 3 and _integers(value, type(None)):
            return slice(*value)
        if kind == "ellipsis":
            return Ellipsis
        if kind == "complex" and isinstance(value, list) and len(value) == 2:
            return complex(float(value[0]), float(value[1]))
        if kind == "torch.device" and isinstance(value, str):
            return torch.device("cpu")  # moved with the tensors
        if isinstance(value, str) and value in _NAMED.get(kind, {}):
            return _NAMED[kind][value]
        raise ToolError(f"{self._name} has an argument of type {kind}, which a dump does not hold")


def _integers(value: Any, *others: type) -> bool:
    return isinstance(value, list) and all(type(each) in (int, *others) for each in value)
