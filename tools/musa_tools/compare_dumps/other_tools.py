"""Compare and parse under the names that ptdbg_ascend and torch_npu.hooks have for it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Optional, Union

from musa_tools.compare_dumps.align import Alignment, align_by_name
from musa_tools.compare_dumps.parse import find_calls, shown
from musa_tools.compare_dumps.read import read_dump
from musa_tools.compare_dumps.records import Run
from musa_tools.compare_dumps.report.columns import hooks_columns, ptdbg_columns, write_csv
from musa_tools.compare_dumps.table import compare
from musa_tools.errors import ToolError

AnyPath = Union[str, "os.PathLike[str]"]

_PKL = ("npu_pkl_path", "bench_pkl_path")
_DATA = ("npu_dump_data_dir", "bench_dump_data_dir")


def ptdbg_compare(input_parameters: Mapping[str, AnyPath], output_path: AnyPath, stack_mode: bool = False) -> None:
    """Compare two dumps of ptdbg_ascend and write ``compare_result_<timestamp>.csv``.

    Args:
        input_parameters: ``npu_pkl_path`` and ``bench_pkl_path``, and the folders of their .npy files as
            ``npu_dump_data_dir`` and ``bench_dump_data_dir``.
        output_path: A folder that exists.
        stack_mode: Write the lines of code as well, where the dump has them.
    """
    folder = Path(output_path)
    if not folder.is_dir():
        raise ToolError(f"no such folder: {folder}", hint="make it first")
    paths = [_parameter(input_parameters, key) for key in _PKL]
    data = [Path(value) if (value := input_parameters.get(key)) else None for key in _DATA]
    for key, each in zip(_DATA, data):
        if each is not None and not each.is_dir():
            raise ToolError(f"{key}: no such folder: {each}")
    left, right = (read_dump(path, each) for path, each in zip(paths, data))
    comparison = compare(left, right, "ptdbg")
    path = folder / f"compare_result_{time.strftime('%Y%m%d%H%M%S')}.csv"
    write_csv(path, comparison, ptdbg_columns(stack_mode))


def ptdbg_parse(pkl_file: AnyPath, module_name_prefix: str) -> None:
    """Print the stack and the statistics of calls in a dump.

    Args:
        pkl_file: The file of lines.
        module_name_prefix: The beginning of the name: ``21_Torch_batch_normal``.
    """
    found = find_calls(read_dump(Path(pkl_file)), module_name_prefix)
    if not found:
        raise ToolError(f"{pkl_file} has no call whose name begins with {module_name_prefix!r}")
    for _, call in found:
        print("\n".join(shown(call)))


def hooks_compare(pkl1: AnyPath, pkl2: AnyPath, csv_path: AnyPath, shape_flag: bool = False) -> None:
    """Compare two dumps of torch_npu.hooks and write a csv file.

    Args:
        pkl1: The run to judge.
        pkl2: The reference.
        csv_path: The file to write.
        shape_flag: Whether calls must have equal shapes, besides equal names, to belong together.
    """

    def aligner(left: Run, right: Run) -> Alignment:
        return align_by_name(left, right, shape_flag)

    comparison = compare(read_dump(Path(pkl1)), read_dump(Path(pkl2)), aligner=aligner)
    write_csv(Path(csv_path), comparison, hooks_columns(), only_pairs=True)


def _parameter(parameters: Mapping[str, AnyPath], key: str) -> Path:
    value: Optional[AnyPath] = parameters.get(key)
    if not value:
        raise ToolError(f"{key} is missing", found=", ".join(parameters) or "none", wanted=", ".join((*_PKL, *_DATA)))
    return Path(value)
