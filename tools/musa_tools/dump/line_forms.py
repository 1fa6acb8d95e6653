"""The lines and files that the older tools write for a tensor."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Protocol

import torch

from musa_tools.dump.writing import TensorFiles
from musa_tools.statistic_fields import IN_LINES
from musa_tools.tensors.operands import readable, sizes
from musa_tools.tensors.statistics import Statistics

_FORMAT_ND = 2  # of torch_npu: a plain array
_SAMPLE = 10  # values


class Item(NamedTuple):
    """A tensor of a call."""

    prefix: str  # 16_Functional_relu_backward
    part: str  # input or output
    position: str  # 0, 1.0, mask
    tensor: torch.Tensor
    layer: str  # the module's path, where a module was called

    @property
    def values(self) -> Optional[torch.Tensor]:
        """Return a tensor with the values, or None of a tensor that has none in memory."""
        values = readable(self.tensor)
        return None if values is None else values.detach()

    @property
    def name(self) -> str:
        """Return the tensor's name."""
        return f"{self.prefix}_{self.part}.{self.position}"


class Form(Protocol):
    """Makes lines."""

    def lines(self, items: list[Item]) -> list[list[Any]]:
        """Write the files of some tensors, and return their lines."""

    def finish(self) -> None:
        """Wait for the thread that writes files."""


class PtdbgForm:
    """Lines of ptdbg_ascend, and a folder of .npy files.

    Args:
        files: The folder.
        step: The stride of the values written from the middle of a tensor.
        numbers: Whether lines have statistics.
    """

    def __init__(self, files: TensorFiles, step: int, numbers: bool = True) -> None:
        self._files = files
        self._step = step
        self._numbers = numbers

    def lines(self, items: list[Item]) -> list[list[Any]]:
        """Return ``[name, step, [], dtype, shape, [max, min, mean]]``."""
        for item in items:
            if item.values is not None:
                self._files.keep(head_middle_tail(item.values, self._step), f"{item.name}.npy")
        found = [[item.name, self._step, [], str(item.tensor.dtype), sizes(item.tensor)] for item in items]
        if self._numbers:
            for line, numbers in zip(found, _numbers(items)):
                line.append(numbers)
        return found

    def finish(self) -> None:
        """Wait for the files."""
        self._files.finish()


class HooksForm:
    """Lines of torch_npu.hooks.

    Args:
        sample: Write the first values only.
    """

    def __init__(self, sample: bool) -> None:
        self._sample = sample

    def lines(self, items: list[Item]) -> list[list[Any]]:
        """Return ``[name, values, dtype, shape, [max, min, mean], module]``."""
        found = []
        for item, numbers in zip(items, _numbers(items)):
            data = _listed(item.values, _SAMPLE if self._sample else None)
            found.append([item.name, data, str(item.tensor.dtype), sizes(item.tensor), numbers, item.layer])
        return found

    def finish(self) -> None:
        """Do nothing."""


class FilesForm:
    """Whole tensors in .npy files, with shape, stride and offset in their names; no lines.

    Args:
        files: The folder.
    """

    def __init__(self, files: TensorFiles) -> None:
        self._files = files

    def lines(self, items: list[Item]) -> list[list[Any]]:
        """Write the files."""
        for item in items:
            tensor = item.values
            if tensor is None:
                continue
            shape, stride = (",".join(map(str, numbers)) for numbers in (tensor.shape, tensor.stride()))
            self._files.keep(
                tensor,
                f"{item.prefix}_{item.part}{item.position}_shape[{shape}]_stride[{stride}]"
                f"_offset[{tensor.storage_offset()}]_format[{_FORMAT_ND}].npy",
            )
        return []

    def finish(self) -> None:
        """Wait for the files."""
        self._files.finish()


def _listed(values: Optional[torch.Tensor], most: Optional[int]) -> list[Any]:
    """Return the first values, or all, complex ones as pairs; none of a type that PyTorch does not convert."""
    if values is None:
        return []
    try:
        first = first_values(values, most).to("cpu", copy=True)
        first = first.to(torch.complex64) if first.dtype == torch.complex32 else first
        return list((torch.view_as_real(first.resolve_conj()) if first.is_complex() else first).tolist())
    except RuntimeError:
        return []


def _numbers(items: list[Item]) -> list[list[Optional[float]]]:
    statistics = Statistics()
    entries: list[dict[str, Any]] = [{} for _ in items]
    for item, entry in zip(items, entries):
        statistics.add(item.tensor, entry)
    statistics.resolve()
    return [[entry[each.key] for each in IN_LINES] for entry in entries]


def head_middle_tail(tensor: torch.Tensor, step: int, ends: int = 256) -> torch.Tensor:
    """Return the first and the last values and every ``step``-th between; a small tensor, or step 1, as it is."""
    if step == 1 or tensor.numel() <= 2 * ends:
        return tensor
    flat = tensor.reshape(-1)
    return torch.cat((flat[:ends], flat[ends:-ends:step], flat[-ends:]))


def first_values(tensor: torch.Tensor, count: Optional[int]) -> torch.Tensor:
    """Return the first values, in one dimension; without a count, all."""
    return tensor.reshape(-1)[:count]
