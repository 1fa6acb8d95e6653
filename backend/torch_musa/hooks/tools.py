"""Compare two dumps, with the function of torch_npu.hooks.tools; it lives in musa_tools."""

from musa_tools.other_tools.hooks.tools import compare

__all__ = ["compare"]
