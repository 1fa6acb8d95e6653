"""Write an operator's inputs and outputs to files, and read them without running anything that is in them."""

from __future__ import annotations

import collections
import io
import os
import pickle
import sys
import zipfile
from pathlib import Path
from typing import Any, Optional

import torch

from musa_tools.errors import PrecisionError, ToolError
from musa_tools.files import whole_file
from musa_tools.observe.modules import OpContext
from musa_tools.observe.process import rank
from musa_tools.tensors.operands import mapped, tensors
from musa_tools.tensors.snapshot import snapshot

_ALLOWED = {
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): torch._utils._rebuild_tensor_v2,
    ("torch._utils", "_rebuild_parameter"): torch._utils._rebuild_parameter,
    ("torch", "device"): torch.device,
    ("torch", "Size"): torch.Size,
    ("builtins", "slice"): slice,
    ("builtins", "complex"): complex,
    ("builtins", "set"): set,
}


def save_call(
    folder: Path, operator: str, rank: Optional[int], args: Any, kwargs: Any, outputs: Any, facts: dict[str, Any]
) -> tuple[Path, Path]:
    """Write the inputs and outputs of an operator; return both paths.

    Args:
        folder: The folder; it is made.
        operator: The operator's name, as ``torch.ops.aten.addmm``.
        rank: Part of the names, in distributed runs.
        args: The arguments, as they were before the operator ran.
        kwargs: The keyword arguments.
        outputs: Its results.
        facts: Further facts: the device, the module.
    """
    suffix = "" if rank is None else f"_rank{rank}"
    inputs_path = folder / f"{operator}_inputs{suffix}.pkl"
    outputs_path = folder / f"{operator}_outputs{suffix}.pkl"
    folder.mkdir(parents=True, exist_ok=True)
    about = {"op": operator, "torch": str(torch.__version__), **facts}
    kept_args, kept_kwargs = mapped((args, kwargs), _storable)
    _save(inputs_path, {"args": kept_args, "kwargs": kept_kwargs, **about})
    _save(outputs_path, {"outputs": mapped(snapshot(outputs), _storable), **about})
    return inputs_path, outputs_path


def halt(words: str, folder: Path, operator: str, where: OpContext, before: tuple[Any, Any], outputs: Any) -> None:
    """Write an operator's inputs and outputs, and raise PrecisionError.

    Args:
        words: The message, with ``{name}`` for the operator.
        folder: The folder of the files.
        operator: The operator's name.
        where: Its context.
        before: Its arguments, positional and by keyword, as they were before it ran.
        outputs: Its results.
    """
    name = where.full_name(operator)
    device = device_of((outputs, before)) or torch.device("cpu")
    about = {"device": str(device), "name": name, "module": where.label}
    paths = save_call(folder, operator, rank(), before[0], before[1], outputs, about)
    raise PrecisionError(f"{words.format(name=name)} Inputs: {paths[0]}, outputs: {paths[1]}")


def _storable(leaf: Any) -> Any:
    """Return a value that the reader will accept; a generator or stream becomes None."""
    if isinstance(leaf, torch.Tensor):
        return leaf.detach()
    plain = (bool, int, float, complex, str, type(None), torch.dtype, torch.layout, torch.device, torch.memory_format)
    return leaf if isinstance(leaf, plain) else str(leaf) if isinstance(leaf, torch.Size) else None


def _save(path: Path, value: Any) -> None:
    with whole_file(path) as temporary:
        torch.save(value, temporary)


def load_call(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the content of a file of inputs, with tensors on the CPU."""
    file = Path(path)
    if not file.is_file():
        raise ToolError(f"no such file: {file}", wanted="the ..._inputs.pkl that dump_error_data wrote")
    try:
        if zipfile.is_zipfile(file):
            value = torch.load(file, map_location="cpu", weights_only=True)
        else:
            with file.open("rb") as stream:
                value = _Reader(stream).load()
    except pickle.UnpicklingError as error:
        raise ToolError(
            f"{file} asks for more than tensors and plain values, so it was not read",
            found=str(error).splitlines()[0],
            wanted="a file that dump_error_data wrote",
        ) from error
    except (EOFError, ValueError, RuntimeError, zipfile.BadZipFile) as error:
        words = str(error).rstrip(".")
        raise ToolError(
            f"{file} cannot be read", found=words, hint="it may be cut off; let the tool write it again"
        ) from error
    if not isinstance(value, dict) or "args" not in value:
        raise ToolError(f"{file} holds no inputs", wanted="a dict with 'args' and 'kwargs'")
    return value


class _Reader(pickle.Unpickler):
    """Reads pickles that torch_musa wrote: tensors and plain values; calls nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _ALLOWED:
            return _ALLOWED[(module, name)]
        if (module, name) == ("torch.storage", "_load_from_bytes"):
            return _storage_from_bytes
        value = getattr(sys.modules.get(module), name, None) if module == "torch" else None
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return value
        if isinstance(value, type) and value.__module__ == "torch" and name.endswith("Storage"):
            return value
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed")


def _storage_from_bytes(data: bytes) -> Any:
    return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)


def on_device(value: Any, device: torch.device) -> Any:
    """Return a nest with its tensors on a device; tensors that share memory still do."""
    storages: dict[int, torch.Tensor] = {}

    def moved(leaf: Any) -> Any:
        if isinstance(leaf, torch.device):
            return device
        if not isinstance(leaf, torch.Tensor) or leaf.layout != torch.strided:
            return leaf.to(device) if isinstance(leaf, torch.Tensor) else leaf
        storage = leaf.untyped_storage()
        if storage._cdata not in storages:
            flat = torch.empty(0, dtype=torch.uint8).set_(storage, 0, (storage.nbytes(),), (1,))
            storages[storage._cdata] = flat.to(device, copy=True)
        home = storages[storage._cdata].untyped_storage()
        fresh = torch.empty(0, dtype=leaf.dtype, device=device)
        return fresh.set_(home, leaf.storage_offset(), leaf.size(), leaf.stride())

    return mapped(value, moved)


def device_of(value: Any) -> Optional[torch.device]:
    """Return the device of a nest of tensors: another one than the CPU, if there is any."""
    found = [tensor.device for tensor in tensors(value)]
    return next((device for device in found if device.type != "cpu"), found[0] if found else None)
