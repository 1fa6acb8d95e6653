"""The rows of a comparison as a csv file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from musa_tools.compare_dumps.report.columns import Cell, Columns, Line
from musa_tools.compare_dumps.report.output_file import output_file
from musa_tools.compare_dumps.result import Comparison


def lines(comparison: Comparison) -> Iterator[Line]:
    """Yield all rows of a comparison."""
    for section in comparison.sections:
        for pair in section.pairs:
            for row in pair.rows:
                yield Line(section, pair, row)


def write_csv(path: Path, comparison: Comparison, columns: Columns, only_pairs: bool = False) -> None:
    """Write a csv file.

    Args:
        path: The file.
        comparison: What to write.
        columns: A title and a function for each.
        only_pairs: Leave out rows that only one dump has.
    """
    readers = list(columns.values())
    with (
        output_file(path) as temporary,
        temporary.open("w", newline="", encoding="utf-8", errors="backslashreplace") as stream,
    ):
        writer = csv.writer(stream)
        writer.writerow(columns)
        for line in lines(comparison):
            if only_pairs and line.row.measures is None:
                continue
            cells = [read(line) for read in readers]
            writer.writerow([cell if cell is None else _text(cell) for cell in cells])


def _text(cell: Cell) -> Cell:
    """Return a cell that a spreadsheet takes for data: a dump's names must not become formulas."""
    kind = type(cell)
    if kind is float:
        return f"{cell:.9g}"
    return f"'{cell}" if kind is str and cell and cell[0] in "=+-@" else cell  # type: ignore[index]
