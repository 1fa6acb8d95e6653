"""The comparison and tracking tool of torch_musa's documents, on any device."""

from __future__ import annotations

import torch

from musa_tools.errors import PrecisionError, ToolError
from musa_tools.observe.module_info import ModuleInfo
from musa_tools.observe.modules import TRACKER, TrackerHandle
from musa_tools.watch.compare import CompareWithCPU
from musa_tools.watch.nan_inf import NanInfTracker
from musa_tools.watch.single_op import compare_for_single_op, nan_inf_track_for_single_op

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
        model: Its modules are not changed. The result has a method ``remove``, for whoever wants an end.
    """
    return TRACKER.open(model)
