"""Read the elements of a value from its file; nothing in a file is run."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from musa_tools.compare_dumps.records import Value
from musa_tools.errors import ToolError

if TYPE_CHECKING:
    import torch


def elements(value: Value) -> Optional[torch.Tensor]:
    """Return the elements of a value that the dump holds, or None."""
    import torch

    if value.file is not None and value.file.is_file():
        return _in_a_row(load_tensor(value.file))
    return torch.tensor(value.sample, dtype=torch.float64) if value.sample is not None else None


def _in_a_row(tensor: torch.Tensor) -> torch.Tensor:
    """Return a plain strided tensor with the same elements."""
    import torch

    if tensor.is_nested:
        return torch.cat([_in_a_row(each).reshape(-1) for each in tensor.unbind()])
    if tensor.is_quantized:
        return tensor.dequantize()
    if tensor.layout != torch.strided:
        return tensor.to_dense()
    packed = tensor.dtype.itemsize == 1 and not _is_number(tensor.dtype)
    return tensor.view(torch.uint8) if packed else tensor


def _is_number(dtype: torch.dtype) -> bool:
    """Return whether PyTorch converts a dtype of one byte; it does not convert packed numbers and bits."""
    return str(dtype) in ("torch.bool", "torch.int8", "torch.uint8") or str(dtype).startswith("torch.float8")


def load_tensor(path: Path) -> torch.Tensor:
    """Return the tensor in a file, on the CPU."""
    import torch

    try:
        found = _npy(path) if path.suffix == ".npy" else torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise ToolError(
            f"{path} asks for more than a tensor, so it was not read",
            found=str(error).splitlines()[0],
            wanted="a dump that a dump tool wrote",
        ) from error
    except (EOFError, ValueError, RuntimeError, OSError, zipfile.BadZipFile) as error:
        words = str(error).rstrip(".")
        raise ToolError(
            f"{path} cannot be read", found=words, hint="it may be cut off; leave it out by deleting it"
        ) from error
    if not isinstance(found, torch.Tensor):
        raise ToolError(f"{path} is no tensor", found=type(found).__name__, wanted="a tensor")
    return found.detach()


def _npy(path: Path) -> torch.Tensor:
    import torch

    try:
        import numpy
    except ImportError as error:
        raise ToolError(f"reading {path} needs numpy", hint="pip install numpy") from error
    array = numpy.load(path, allow_pickle=False)
    return torch.from_numpy(numpy.array(array, copy=True))
