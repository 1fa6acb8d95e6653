"""Calls as msprobe's dump.json has them: tensors by type, shape and numbers, everything else by type and value."""

from __future__ import annotations

import functools
import zlib
from typing import TYPE_CHECKING, Any, Callable, Optional

import torch

from musa_tools.dump.config import DumpConfig, Scope
from musa_tools.observe.process import Stack, Stacks, is_capturing
from musa_tools.tensors.operands import as_tuple, holds_values, is_initialised, readable, sizes

if TYPE_CHECKING:
    from musa_tools.dump.calls import Call
    from musa_tools.dump.step_writer import StepWriter
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


class _Note:
    """The state of a call that runs."""

    __slots__ = ("dumped", "entry", "name", "parent", "stack")

    def __init__(self, name: str, dumped: bool, parent: Optional[str], stack: Stack) -> None:
        self.name = name
        self.dumped = dumped
        self.parent = parent
        self.stack = stack
        self.entry: dict[str, Any] = {}


class JsonSink:
    """Writes entries for the tasks statistics, tensor and structure.

    Args:
        config: The selection of calls and values.
        writer: Writes the entries.
    """

    def __init__(self, config: DumpConfig, writer: StepWriter) -> None:
        self._config = config
        self._writer = writer
        self._scope = Scope(config.scope, config.names)
        self._describer = Describer(writer.statistics, config.summary_mode == "md5")
        self._stacks = Stacks()
        self._tree = config.level != "L1"
        self._values = config.task != "structure"
        self._keeps_tensors = config.task == "tensor" or bool(config.tensor_names)
        self._forward = config.wants_direction(False) or not self._values
        self._backward = config.wants_direction(True) and self._values

    def begin(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Describe the arguments of a call."""
        name = call.dotted_name("forward")
        dumped = self._scope.admits(name) and self._forward
        parent = call.parent.dotted_name("forward") if call.parent is not None else None
        note = call.note = _Note(name, dumped, parent, self._stacks.here() if dumped or self._backward else ())
        if dumped and self._values and self._config.keeps("input", False):
            keep, entry = self._keep(name, "input"), self._describer.entry
            note.entry["input_args"] = [entry(value, str(index), keep) for index, value in enumerate(args)]
            note.entry["input_kwargs"] = {key: entry(value, key, keep) for key, value in kwargs.items()}
            if call.module is not None:
                self._add_parameters(note, call.module)
        return self._backward

    def end(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        """Describe the results of a call, and write the call."""
        note = call.note
        if note.dumped and self._values and self._config.keeps("output", False):
            keep, entry = self._keep(note.name, "output"), self._describer.entry
            note.entry["output"] = [entry(value, str(index), keep) for index, value in enumerate(as_tuple(outputs))]
        self._write(note)

    def fail(self, call: Call) -> None:
        """Write the arguments of a failed call: they may explain the failure."""
        self._write(call.note)

    def gradient(self, call: Call, is_incoming: bool, position: str, gradient: Any) -> Any:
        """Describe a gradient."""
        part = "input" if is_incoming else "output"
        if not self._config.keeps(part, True):
            return None
        return self._describer.entry(gradient, position, self._keep(call.dotted_name("backward"), part))

    def gradients(self, call: Call, incoming: dict[str, Any], outgoing: dict[str, Any]) -> None:
        """Write the gradients of a call."""
        name = call.dotted_name("backward")
        if not self._scope.admits(name):
            return
        entry: dict[str, Any] = {}
        if self._config.keeps("input", True):
            entry["input"] = nested_by_position(incoming)
        if self._config.keeps("output", True):
            entry["output"] = nested_by_position(outgoing)
            named = {position: each for position, each in outgoing.items() if not position[:1].isdigit()}
            if named:
                entry["output_kwargs"] = named
        note = call.note
        parent = call.parent.dotted_name("backward") if call.parent is not None else None
        self._writer.add(name, entry, note.stack, parent, self._tree)

    def parameter_gradients(self, module: str, number: int, gradients: dict[str, torch.Tensor]) -> None:
        """Write the gradients of a module's own parameters."""
        name = f"Module.{module}.parameters_grad.{number}"
        if not self._backward or not self._scope.admits(name):
            return
        keep = self._keep_as(name)
        entry = {key: [self._describer.entry(gradient, key, keep)] for key, gradient in gradients.items()}
        self._writer.add(name, entry, (), None, False)

    def _add_parameters(self, note: _Note, module: torch.nn.Module) -> None:
        keep = self._keep(note.name, "parameters")
        found = {
            key: self._describer.entry(value.detach() if holds_values(value) else value, key, keep)
            for key, value in module.named_parameters(recurse=False)
        }
        if found:
            note.entry["parameters"] = found

    def _write(self, note: _Note) -> None:
        if note.dumped:
            self._writer.add(note.name, note.entry, note.stack, note.parent, self._tree)

    def _keep(self, name: str, part: str) -> Optional[Keep]:
        return self._keep_as(f"{name}.{part}") if self._keeps_tensors else None

    def _keep_as(self, prefix: str) -> Optional[Keep]:
        config = self._config
        if config.task != "tensor" and not any(part in prefix for part in config.tensor_names):
            return None
        return lambda tensor, position: self._writer.keep(tensor, f"{prefix}.{position}")
