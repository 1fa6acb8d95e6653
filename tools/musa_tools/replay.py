"""Run one operator again, from the command line."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Optional

import torch

from musa_tools.errors import ToolError
from musa_tools.watch.error_dump import load_call


def replay(
    inputs: Path,
    operator: Optional[str],
    device: Optional[str],
    tolerances: tuple[Optional[float], Optional[float]],
    nan: bool,
    modules: tuple[str, ...],
) -> int:
    """Run an operator again; return the exit status.

    Args:
        inputs: The file of its inputs.
        operator: Its name; without it, the file knows.
        device: The device to run on.
        tolerances: The absolute and the relative one.
        nan: Look for NaN and Inf instead of comparing.
        modules: To be imported first: they define operators or devices.
    """
    from musa_tools.compare_tool import compare_for_single_op, nan_inf_track_for_single_op

    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise ToolError(f"--import {module}: it cannot be imported", found=str(error)) from error
    data = load_call(inputs)
    import_backend(device or str(data.get("device") or ""))
    name = operator or str(data.get("op") or inputs.name.partition("_inputs")[0])
    function = find_operator(name)
    try:
        if nan:
            good = nan_inf_track_for_single_op(inputs, function, device)[0]
        else:
            good = compare_for_single_op(inputs, function, *tolerances, device=device)[0]
    except (RuntimeError, TypeError) as error:
        raise ToolError(f"{name} cannot be run with these inputs", found=str(error).splitlines()[0]) from error
    words = ("no NaN, no Inf", "NaN or Inf") if nan else ("agrees with the CPU", "does not agree with the CPU")
    print(f"{name}: {words[0] if good else words[1]}")
    return 0 if good else 1


def find_operator(name: str) -> Any:
    """Return an operator of ``torch.ops``.

    Args:
        name: As ``torch.ops.aten.add`` or ``torch.ops.aten.add.Tensor``.
    """
    parts = name.split(".")
    if parts[:2] != ["torch", "ops"] or len(parts) not in (4, 5):
        raise ToolError(f"{name!r} is no operator", wanted="torch.ops.<namespace>.<name>", hint="name it with --op")
    found: Any = torch.ops
    for part in parts[2:]:
        found = getattr(found, part, None)
        if found is None:
            raise ToolError(f"there is no operator {name}", hint="--import the module that defines it")
    return found


def import_backend(device: str) -> None:
    """Import the package of a device that torch does not know by itself."""
    kind = device.partition(":")[0]
    if kind == "musa" and not hasattr(torch, "musa"):
        try:
            importlib.import_module("torch_musa")
        except ImportError as error:
            words = str(error).rstrip(".")
            raise ToolError(
                f"device {device} needs torch_musa", found=words, hint="run elsewhere: --device cpu"
            ) from error
