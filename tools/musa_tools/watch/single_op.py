"""Run one operator again, on the inputs that a tool has written to a file."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Union

import torch

from musa_tools.errors import ToolError
from musa_tools.watch.error_dump import load_call, on_device
from musa_tools.watch.tool import Tool


def run_under(
    tool: Tool,
    path: Union[str, os.PathLike[str]],
    function: Callable[..., Any],
    device: Optional[Union[str, torch.device]],
) -> tuple[list[Any], dict[str, Any], Any]:
    """Call a function with the inputs in a file, under a tool; return its arguments and its result.

    Args:
        tool: The tool.
        path: The file.
        function: An operator, or any function of these arguments.
        device: The device to run on. Without it: the device that the file names, or this machine's accelerator.
    """
    args, kwargs = _inputs(path, device)
    with tool:
        outputs = function(*args, **kwargs)
    return args, kwargs, outputs


def _inputs(
    path: Union[str, os.PathLike[str]], device: Optional[Union[str, torch.device]]
) -> tuple[list[Any], dict[str, Any]]:
    data = load_call(path)
    wanted = torch.device(device) if device is not None else device_to_run_on(data.get("device"))
    try:
        args, kwargs = on_device((list(data["args"]), dict(data.get("kwargs") or {})), wanted)
    except (RuntimeError, AssertionError) as error:
        words = str(error).rstrip(".")
        raise ToolError(
            f"the inputs of {path} belong on {wanted}, and this machine cannot put them there",
            found=words,
            hint='say where else to run, as device="cpu"',
        ) from error
    return args, kwargs


def device_to_run_on(recorded: Optional[str]) -> torch.device:
    """Return a device by its name, or this machine's accelerator."""
    if recorded:
        return torch.device(recorded)
    accelerator = torch.accelerator.current_accelerator() if hasattr(torch, "accelerator") else None
    if accelerator is not None:
        return torch.device(accelerator)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
