"""What ``musa-tools compare``, ``report`` and ``parse`` do."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Optional

from musa_tools.compare_dumps.read import read_dump
from musa_tools.compare_dumps.rename import renamed
from musa_tools.compare_dumps.report.columns import Columns, default_columns, msprobe_columns, ptdbg_columns
from musa_tools.compare_dumps.report.csv_file import lines, write_csv
from musa_tools.compare_dumps.result import Comparison
from musa_tools.compare_dumps.table import compare
from musa_tools.errors import ToolError

_FORMATS = ("csv", "json", "html")


def compare_command(
    run: Path,
    reference: Path,
    output: Optional[Path],
    formats: str,
    profile: str,
    data: tuple[Optional[Path], Optional[Path]],
    rename: tuple[str, ...],
    quiet: bool,
) -> int:
    """Compare two dumps, print a summary, write files; return the exit status.

    Args:
        run: The dump to judge.
        reference: The other.
        output: Where files go; None for no files.
        formats: Which ones, with commas between them.
        profile: Whose rules and columns.
        data: The folders of the elements of both.
        rename: ``OLD=NEW`` for the names of the first.
        quiet: Print nothing.
    """
    wanted = _wanted(formats)
    comparison = compare(renamed(read_dump(run, data[0]), rename), read_dump(reference, data[1]), profile)
    written = write_files(comparison, output, wanted) if output is not None else []
    if not quiet:
        from musa_tools.compare_dumps.report.terminal import show

        show(comparison, written)
    return int(comparison.differs)


def _wanted(formats: str) -> list[str]:
    wanted = [each.strip() for each in formats.split(",") if each.strip()]
    unknown = [each for each in wanted if each not in _FORMATS]
    if unknown:
        raise ToolError(f"there is no format {unknown[0]!r}; wanted some of {', '.join(_FORMATS)}")
    return wanted


def write_files(comparison: Comparison, folder: Path, formats: list[str]) -> list[Path]:
    """Write the files of a comparison; return their paths.

    Args:
        comparison: What to write.
        folder: It is made.
        formats: Some of ``csv``, ``json`` and ``html``.
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
        elif kind == "json":
            from musa_tools.compare_dumps.report.json_file import write_json

            write_json(path, comparison)
        else:
            from musa_tools.compare_dumps.report.json_file import as_content
            from musa_tools.compare_dumps.report.page import write_page

            write_page(path, as_content(comparison))
        written.append(path)
    return written


def columns_of(comparison: Comparison) -> Columns:
    """Return the columns that belong to the rules of a comparison."""
    if comparison.profile == "default":
        return default_columns()
    if comparison.profile == "ptdbg":
        return ptdbg_columns(stacks=True)
    measured = [line.row.measures for line in lines(comparison) if line.row.measures is not None]
    elements = any(each.elements is not None for each in measured)
    return msprobe_columns(elements, any(each.digest_equal is not None for each in measured))
