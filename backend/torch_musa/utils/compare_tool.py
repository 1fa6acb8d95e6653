"""The tools that compare with the CPU and find NaN and Inf, under torch_musa's name; they live in musa_tools."""

from musa_tools.compare_tool import (
    CompareWithCPU,
    ModuleInfo,
    NanInfTracker,
    PrecisionError,
    ToolError,
    compare_for_single_op,
    nan_inf_track_for_single_op,
    open_module_tracker,
)

__all__ = [
    "CompareWithCPU",
    "ModuleInfo",
    "NanInfTracker",
    "PrecisionError",
    "ToolError",
    "compare_for_single_op",
    "nan_inf_track_for_single_op",
    "open_module_tracker",
]
