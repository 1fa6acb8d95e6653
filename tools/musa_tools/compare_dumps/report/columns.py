"""The csv file of a comparison, with the columns that the users of each tool expect."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from musa_tools.compare_dumps.records import Value
from musa_tools.compare_dumps.result import CallPair, Comparison, Section, ValuePair
from musa_tools.errors import ToolError
from musa_tools.files import whole_file
from musa_tools.judge.dump_rules import Mark
from musa_tools.judge.measures import Elements
from musa_tools.statistic_fields import IN_LINES, STATISTICS

Cell = Union[str, int, float, bool, None]


@dataclass(frozen=True)
class CsvRow:
    """A row of a csv file: a pair of values, with its calls and section."""

    section: Section
    pair: CallPair
    row: ValuePair

    def name(self, left: bool) -> str:
        """Return the name of the value in one dump, empty where it has none."""
        call = self.pair.left if left else self.pair.right
        value = self.row.left if left else self.row.right
        return call.value_name(value) if call is not None and value is not None else ""

    @property
    def elements(self) -> Optional[Elements]:
        """Return the comparison of the elements."""
        return self.row.measures.elements if self.row.measures else None


Columns = dict[str, Callable[[CsvRow], Cell]]


def _of(side: str, read: Callable[[Value], Any]) -> Callable[[CsvRow], Cell]:
    def left(line: CsvRow) -> Cell:
        value = line.row.left
        return read(value) if value is not None else None

    def right(line: CsvRow) -> Cell:
        value = line.row.right
        return read(value) if value is not None else None

    return left if side == "left" else right


def _both(title: str, read: Callable[[Value], Any], left: str, right: str) -> Columns:
    return {f"{left}{title}": _of("left", read), f"{right}{title}": _of("right", read)}


def _element(name: str) -> Callable[[CsvRow], Cell]:
    return lambda line: getattr(line.elements, name) if line.elements else None


def _difference(name: str, part: str) -> Callable[[CsvRow], Cell]:
    def read(line: CsvRow) -> Cell:
        found = line.row.measures.differences if line.row.measures else None
        return getattr(found[name], part) if found else None

    return read


def _statistic(name: str) -> Callable[[Value], Cell]:
    return lambda value: value.statistics.get(name)


def _dtype(value: Value) -> str:
    return value.dtype or value.kind


def _shape(value: Value) -> Cell:
    return str(list(value.shape)) if value.shape is not None else None


def _names(left: str, right: str) -> Columns:
    return {left: lambda line: line.name(True), right: lambda line: line.name(False)}


def _facts(left: str, right: str, dtype: str, shape: str) -> Columns:
    return {**_both(dtype, _dtype, left, right), **_both(shape, _shape, left, right)}


def _summary(left: str, right: str, names: Mapping[str, str]) -> Columns:
    """Return the statistics of both, by `names`: a title of each."""
    return {
        f"{title}{name}": _of(side, _statistic(key))
        for title, side in ((left, "left"), (right, "right"))
        for key, name in names.items()
    }


def _nothing(line: CsvRow) -> Cell:
    return None


def _grad_agrees(line: CsvRow) -> Cell:
    return line.row.measures.grad_equal if line.row.measures else None


def _message(line: CsvRow) -> Cell:
    return "; ".join(line.row.reasons)


def _mark(line: CsvRow) -> Cell:
    return line.row.mark.value


def _stack(line: CsvRow) -> Cell:
    return "\n".join(line.pair.call.stack)


def _files(line: CsvRow) -> Cell:
    names = [value.file.name if value and value.file else "None" for value in (line.row.left, line.row.right)]
    return f"[{names[0]}, {names[1]}]"


_WHERE: Columns = {"Step": lambda line: line.section.step, "Rank": lambda line: line.section.rank}
_ELEMENTS: Columns = {
    "Cosine": _element("cosine"),
    "EucDist": _element("euclid"),
    "MaxAbsErr": _element("max_abs"),
    "MaxRelativeErr": _element("max_rel"),
    "One Thousandth Err Ratio": _element("one_thousandth"),
    "Five Thousandths Err Ratio": _element("five_thousandths"),
}
_DIFFERENCES: Columns = {
    **{f"{each.title} diff": _difference(each.name, "absolute") for each in STATISTICS},
    **{f"{each.key}RelativeErr": _difference(each.name, "relative") for each in STATISTICS},
}
_DIGESTS: Columns = _both(" MD5", lambda value: value.digest, "NPU", "BENCH")


def default_columns(elements: bool) -> Columns:
    """Return all columns.

    Args:
        elements: Whether the columns that need all elements have content; they are empty if not.
    """
    metrics = {
        **_ELEMENTS,
        "RMSE": _element("rmse"),
        "MAPE": _element("mape"),
        "MAPE zeros skipped": _element("zeros_skipped"),
    }
    return {
        **_WHERE,
        **_names("Name", "Other Name"),
        **_facts("", "Other ", "Dtype", "Shape"),
        "Error": lambda line: line.row.measures.error if line.row.measures and line.row.measures.tensor else None,
        **(metrics if elements else dict.fromkeys(metrics, _nothing)),
        **{title: read for title, read in _DIFFERENCES.items() if title.endswith("diff")},
        **_summary("", "Other ", {each.name: each.name for each in STATISTICS}),
        "Moved": lambda line: line.pair.moved,
        "Result": _mark,
        "Message": _message,
        "Stack": _stack,
    }


def msprobe_columns(elements: bool, digests: bool) -> Columns:
    """Return the columns of msprobe's compare.

    Args:
        elements: Whether the dumps hold whole tensors.
        digests: Whether they hold digests.
    """
    titles = {each.name: each.title.lower() for each in STATISTICS}
    metrics = _ELEMENTS if elements else _DIGESTS if digests else _DIFFERENCES
    return {
        **_WHERE,
        **_names("NPU Name", "Bench Name"),
        **_facts("NPU ", "Bench ", "Dtype", "Tensor Shape"),
        **_both("Requires_grad", lambda value: value.requires_grad, "NPU ", "Bench "),
        **metrics,
        **({} if digests and not elements else _summary("NPU ", "Bench ", titles)),
        "Requires_grad Consistent": _grad_agrees,
        "Result": _mark,
        "Err_message": _message,
        "NPU_Stack_Info": _stack,
        **({"Data_name": _files} if elements else {}),
    }


def ptdbg_columns(stacks: bool) -> Columns:
    """Return the columns of ptdbg_ascend's compare.

    Args:
        stacks: Whether the lines of code are wanted.
    """
    metrics = {title: read for title, read in _ELEMENTS.items() if title != "EucDist"}
    return {
        **_names("NPU Name", "Bench Name"),
        **_facts("NPU ", "Bench ", "Tensor Dtype", "Tensor Shape"),
        **metrics,
        "RMSE": _element("rmse"),
        "MAPE": _element("mape"),
        **_summary("NPU ", "Bench ", {each.name: each.name for each in IN_LINES}),
        "Accuracy Reached or Not": lambda line: {Mark.UNMATCHED: "N/A", Mark.ERROR: "No"}.get(line.row.mark, "Yes"),
        "Err_message": _message,
        **({"NPU_Stack_Info": _stack} if stacks else {}),
    }


def hooks_columns() -> Columns:
    """Return the columns of torch_npu.hooks' compare."""
    return {
        "Name": lambda line: line.name(True),
        **_facts("Npu ", "Bench ", "Tensor Dtype", "Tensor Shape"),
        "Cosine": _element("cosine"),
        "RMSE": _element("rmse"),
        "MAPE": _element("mape"),
    }


def lines(comparison: Comparison) -> Iterator[CsvRow]:
    """Yield all rows of a comparison."""
    for section in comparison.sections:
        for pair in section.pairs:
            for row in pair.rows:
                yield CsvRow(section, pair, row)


def write_csv(path: Path, comparison: Comparison, columns: Columns, only_pairs: bool = False) -> None:
    """Write a csv file.

    Args:
        path: The file.
        comparison: The comparison.
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


@contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """Like `whole_file`, for a file that the user named: raise ToolError if it cannot be written."""
    if not path.parent.is_dir():
        raise ToolError(f"no such folder: {path.parent}", hint=f"make it, or name another folder for {path.name}")
    try:
        with whole_file(path) as temporary:
            yield temporary
    except OSError as error:
        raise ToolError(f"cannot write {path}", found=str(error.strerror or error)) from error
