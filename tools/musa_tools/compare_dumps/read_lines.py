"""Read a "pkl" of ptdbg_ascend or torch_npu.hooks: a text file, one JSON array per line.

ptdbg_ascend: ``[name, dump_step, [], dtype, shape, [max, min, mean]]``, all elements in a folder of .npy files, and
``[call_stack_info, [line, ...]]``.

torch_npu.hooks: ``[name, elements, dtype, shape, [max, min, mean], layer]``. Its own files lack the last two: there the
statistics follow the first ten elements.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, Optional

from musa_tools.compare_dumps.read_msprobe import number
from musa_tools.compare_dumps.records import Call, CallName, Dump, Run, Value, value_name
from musa_tools.compare_dumps.sessions import session_of_file
from musa_tools.errors import ToolError
from musa_tools.files import file_name
from musa_tools.statistic_fields import IN_LINES

_STACK = "_stack_info"
_SAMPLE = 10  # elements in front of the statistics


@dataclass
class _Open:
    """A call whose lines are being read."""

    name: CallName
    values: list[Value] = field(default_factory=list)
    stack: tuple[str, ...] = ()
    layer: str = ""


def is_line(text: str) -> bool:
    """Return whether the first line of a file is that of a dump."""
    try:
        row = json.loads(text)
    except ValueError:
        return False
    return isinstance(row, list) and len(row) >= 2 and isinstance(row[0], str)


def read_lines(path: Path, data: Optional[Path] = None) -> Dump:
    """Return the dump in a file of lines.

    Args:
        path: The file.
        data: The folder with its .npy files. Without it: the newest one beside the file that has its name and a time.
    """
    rows, notes = _rows(path)
    folder = data if data is not None else _data_folder(path)
    calls: dict[str, _Open] = {}
    form = "hooks"
    for row in rows:
        name = str(row[0])
        if name.endswith(_STACK):
            form = "ptdbg"
            _open(calls, name[: -len(_STACK)]).stack = _stack(row[1])
            continue
        found = value_name(name)
        call = _open(calls, found.call if found else name)
        if _is_ptdbg(row):
            form = "ptdbg"
            call.values.append(_ptdbg_value(row, name, folder))
        else:
            call.values.append(_hooks_value(row, name))
            call.layer = str(row[5]) if len(row) > 5 and row[5] else call.layer
    run = Run("", "", tuple(_closed(name, call) for name, call in calls.items()), path, tuple(notes))
    return Dump(path, form, (run,), session_of_file(path))


def _rows(path: Path) -> tuple[list[list[Any]], list[str]]:
    rows: list[list[Any]] = []
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    for count, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            if count < len(lines):  # only the last line may be cut
                raise ToolError(f"{path}:{count} is no JSON", found=str(error)) from error
            last = rows[-1][0] if rows else "nothing"
            return rows, [f"{path} is cut off; read up to {last}"]
        if not isinstance(row, list) or len(row) < 2 or not isinstance(row[0], str):
            raise ToolError(f"{path}:{count} is no line of a dump", wanted="[name, ...]")
        rows.append(row)
    return rows, []


def _open(calls: dict[str, _Open], name: str) -> _Open:
    if name not in calls:
        found = value_name(name)
        calls[name] = _Open(found.name if found else CallName(name, -1, "forward"))
    return calls[name]


def _closed(name: str, call: _Open) -> Call:
    base, count, direction = call.name
    return Call(name, base, direction, count, tuple(call.values), "", call.layer, call.stack, separator="_")


def _is_ptdbg(row: list[Any]) -> bool:
    return len(row) >= 5 and isinstance(row[2], list) and isinstance(row[3], str)


def _ptdbg_value(row: list[Any], name: str, folder: Optional[Path]) -> Value:
    part, position = _part_and_position(name)
    elements = row[2] if row[2] else None
    file = folder / file_name(f"{name}.npy") if folder is not None else None
    return Value(
        part=part,
        position=position,
        kind="torch.Tensor",
        dtype=str(row[3]),
        shape=tuple(row[4]),
        statistics=_by_name(row[5] if len(row) > 5 else None),
        sample=_sample(elements),
        file=file,
    )


def _hooks_value(row: list[Any], name: str) -> Value:
    part, position = _part_and_position(name)
    if len(row) < 4 or not isinstance(row[3], list):
        return Value(part, position, type(row[1]).__name__, scalar=row[1])
    elements = row[1] if isinstance(row[1], list) else [row[1]]
    statistics = row[4] if len(row) > 4 else None
    count = len(IN_LINES)
    if statistics is None and len(elements) == min(prod(row[3]), _SAMPLE) + count != prod(row[3]):
        elements, statistics = elements[:-count], elements[-count:]
    return Value(
        part=part,
        position=position,
        kind="torch.Tensor",
        dtype=str(row[2]),
        shape=tuple(row[3]),
        statistics=_by_name(statistics),
        sample=_sample(elements),
    )


def _part_and_position(name: str) -> tuple[str, str]:
    found = value_name(name)
    return (found.part or "output", found.position) if found else ("output", "")


def _sample(elements: Any) -> Optional[tuple[float, ...]]:
    if not isinstance(elements, list):
        return None
    return tuple(float("nan") if each is None else float(each) for each in _flat(elements))


def _flat(elements: list[Any]) -> Iterator[Any]:
    for each in elements:
        if isinstance(each, list):
            yield from _flat(each)
        else:
            yield each


def _by_name(statistics: Any) -> dict[str, Optional[float]]:
    """Return the statistics of a line by their names; empty if it has none."""
    if not isinstance(statistics, list) or len(statistics) < len(IN_LINES):
        return {}
    return {each.name: number(value) for each, value in zip(IN_LINES, statistics)}


def _stack(value: Any) -> tuple[str, ...]:
    lines = value if isinstance(value, list) else [value]
    return tuple(" ".join(map(str, line)) if isinstance(line, list) else str(line).strip() for line in lines)


def _data_folder(path: Path) -> Optional[Path]:
    """Return ``npu_dump_20230104_13434`` of ``npu_dump.pkl``."""
    found = [each for each in path.parent.glob(f"{path.stem}_*") if each.is_dir()]
    return max(found, key=lambda each: (each.stat().st_mtime, each.name)) if found else None
