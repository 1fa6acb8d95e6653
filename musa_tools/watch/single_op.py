"""One operator again, with the inputs that a tool has written to a file."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Union

import torch

from musa_tools.errors import ToolError
from musa_tools.watch.compare import CompareWithCPU
from musa_tools.watch.error_dump import load_call, on_device
from musa_tools.watch.nan_inf import NanInfTracker

Answer = tuple[bool, list[Any], dict[str, Any], Any]


def compare_for_single_op(
    inputs_data_path: Union[str, os.PathLike[str]],
    op_func: Callable[..., Any],
    atol: Optional[float] = None,
    rtol: Optional[float] = None,
    device: Optional[Union[str, torch.device]] = None,
) -> Answer:
    """Run an operator on the inputs in a file, on the device and on the CPU.

    Args:
        inputs_data_path: The file that ``dump_error_data`` wrote.
        op_func: The operator, as ``torch.ops.aten.addmm``; or any function of the same arguments.
        atol: As for CompareWithCPU.
        rtol: As for CompareWithCPU.
        device: Where to run. Without it: the device that the file names, or this machine's accelerator.

    Returns:
        Whether both agree, the arguments and keyword arguments on the device, and the result.
    """
    args, kwargs = _inputs(inputs_data_path, device)
    with CompareWithCPU(atol=atol, rtol=rtol) as tool:
        outputs = op_func(*args, **kwargs)
    return tool.counts.total("failed") + tool.counts.total("untested") == 0, args, kwargs, outputs


def nan_inf_track_for_single_op(
    inputs_data_path: Union[str, os.PathLike[str]],
    op_func: Callable[..., Any],
    device: Optional[Union[str, torch.device]] = None,
) -> Answer:
    """Run an operator on the inputs in a file and look for NaN and Inf.

    Args:
        inputs_data_path: The file that ``dump_error_data`` wrote.
        op_func: The operator; or any function of the same arguments.
        device: As for compare_for_single_op.

    Returns:
        Whether the result has neither NaN nor Inf, the arguments and keyword arguments on the device, and the result.
    """
    args, kwargs = _inputs(inputs_data_path, device)
    with NanInfTracker(log_all=True) as tool:
        outputs = op_func(*args, **kwargs)
    found = sum(tool.counts.total(outcome) for outcome in tool.outcomes)
    return found == 0, args, kwargs, outputs


def _inputs(
    path: Union[str, os.PathLike[str]], device: Optional[Union[str, torch.device]]
) -> tuple[list[Any], dict[str, Any]]:
    data = load_call(path)
    wanted = torch.device(device) if device is not None else _device(data.get("device"))
    try:
        args, kwargs = on_device((list(data["args"]), dict(data.get("kwargs") or {})), wanted)
    except (RuntimeError, AssertionError) as error:
        raise ToolError(
            f"the inputs of {path} belong on {wanted}, and this machine cannot put them there: {error}. "
            'Say where else to run, as device="cpu"'
        ) from error
    return args, kwargs


def _device(recorded: Optional[str]) -> torch.device:
    if recorded:
        return torch.device(recorded)
    accelerator = torch.accelerator.current_accelerator() if hasattr(torch, "accelerator") else None
    if accelerator is not None:
        return torch.device(accelerator)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
