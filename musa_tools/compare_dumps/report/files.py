"""The files of a comparison, with a time in their names."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Optional

from musa_tools.compare_dumps.report.columns import Columns, default_columns, msprobe_columns, ptdbg_columns
from musa_tools.compare_dumps.report.csv_file import lines, write_csv
from musa_tools.compare_dumps.report.json_file import write_json
from musa_tools.compare_dumps.report.page import write_page
from musa_tools.compare_dumps.result import Comparison
from musa_tools.errors import ToolError

FORMATS = ("csv", "json", "html")


def write_files(
    comparison: Comparison, folder: Path, formats: list[str], content: Optional[dict[str, Any]]
) -> list[Path]:
    """Write the files of a comparison; return their paths.

    Args:
        comparison: What to write.
        folder: It is made.
        formats: Some of ``csv``, ``json`` and ``html``.
        content: The same as plain values, for the last two.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(f"cannot make the folder {folder}: {error.strerror}") from error
    base = folder / f"compare_result_{time.strftime('%Y%m%d%H%M%S')}"
    written = []
    for kind in formats:
        path = base.with_suffix(f".{kind}")
        if kind == "csv":
            write_csv(path, comparison, columns_of(comparison))
        elif content is not None:
            (write_json if kind == "json" else write_page)(path, content)
        written.append(path)
    return written


def columns_of(comparison: Comparison) -> Columns:
    """Return the columns that belong to the rules of a comparison."""
    if comparison.profile == "ptdbg":
        return ptdbg_columns(stacks=True)
    measured = [line.row.measures for line in lines(comparison) if line.row.measures is not None]
    elements = any(each.elements is not None for each in measured)
    if comparison.profile == "default":
        return default_columns(elements)
    return msprobe_columns(elements, any(each.digest_equal is not None for each in measured))
