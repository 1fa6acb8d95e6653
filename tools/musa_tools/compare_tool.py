"""The public names of the tools, as torch_musa's documents have them. They work on any device."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Union

import torch

from musa_tools.errors import PrecisionError, ToolError
from musa_tools.observe.modules import TRACKER, TrackerHandle
from musa_tools.watch.compare import CompareWithCPU
from musa_tools.watch.nan_inf import NanInfTracker
from musa_tools.watch.single_op import run_under

Answer = tuple[bool, list[Any], dict[str, Any], Any]

__all__ = [
    "CompareWithCPU",
    "ModuleInfo",
    "NanInfTracker",
    "PrecisionError",
    "ToolError",
    "TrackerHandle",
    "compare_for_single_op",
    "nan_inf_track_for_single_op",
    "open_module_tracker",
]


def open_module_tracker(model: torch.nn.Module) -> TrackerHandle:
    """Name the modules of a model in the logs of the tools.

    Args:
        model: Its modules are not changed. The method ``remove`` of the result ends the tracking.
    """
    return TRACKER.open(model)


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
        device: The device to run on. Without it: the device that the file names, or this machine's accelerator.

    Returns:
        Whether both agree, the arguments and keyword arguments on the device, and the result.
    """
    tool = CompareWithCPU(atol=atol, rtol=rtol)
    args, kwargs, outputs = run_under(tool, inputs_data_path, op_func, device)
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
    tool = NanInfTracker(log_all=True)
    args, kwargs, outputs = run_under(tool, inputs_data_path, op_func, device)
    found = sum(tool.counts.total(outcome) for outcome in tool.outcomes)
    return found == 0, args, kwargs, outputs


class ModuleInfo:
    """The name of a module in the hierarchy of calls, in the form of torch_musa's documents.

    Args:
        name: The class name.
        father: The module that called it.
        is_leaf: Whether it calls no module itself.
        is_forward: Whether it runs forward.
    """

    def __init__(
        self, name: str, father: Optional[ModuleInfo] = None, is_leaf: bool = False, is_forward: bool = True
    ) -> None:
        self.name = name
        self.father = father
        self.children: list[ModuleInfo] = []
        self.is_leaf = is_leaf
        self.is_forward = is_forward
        if father is not None:
            father.children.append(self)

    def name_with_prefix(self) -> str:
        """Return the names from the outermost module to this one."""
        names: list[str] = []
        module: Optional[ModuleInfo] = self
        while module is not None:
            names.append(module.name)
            module = module.father
        return "/".join(reversed(names))

    def full_name(self) -> str:
        """Return the names and the direction."""
        return f"{self.name_with_prefix()}({'forward' if self.is_forward else 'backward'})"
