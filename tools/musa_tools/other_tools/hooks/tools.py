"""The functions of torch_npu.hooks.tools."""

from __future__ import annotations

from typing import Any

__all__ = ["compare"]


def compare(pkl_path1: str, pkl_path2: str, output_path: str, shape_flag: bool = False) -> Any:
    """Compare two dumps and write a table.

    Args:
        pkl_path1: The dump to judge.
        pkl_path2: The dump that counts as right.
        output_path: The .csv file.
        shape_flag: Whether calls must have the same shapes to be the same.
    """
    from musa_tools.compare_dumps.other_tools import hooks_compare

    return hooks_compare(pkl_path1, pkl_path2, output_path, shape_flag)
