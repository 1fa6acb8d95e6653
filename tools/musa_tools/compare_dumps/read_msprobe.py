"""Read a dump folder of msprobe: ``step*/rank*/{dump,stack,construct}.json``, or the lines of a killed run."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Optional

from musa_tools.compare_dumps.records import (
    GRADIENT,
    INPUT,
    OUTPUT,
    PARAMETER,
    Call,
    Dump,
    Run,
    Value,
    call_name,
    layer_of,
)
from musa_tools.compare_dumps.sessions import session_of_folder
from musa_tools.errors import ToolError
from musa_tools.statistic_fields import STATISTICS

FINISHED, GROWING = "dump.json", "dump.jsonl.part"
_PARTS = {
    "input_args": INPUT,
    "input_kwargs": INPUT,
    "input": INPUT,
    "parameters": PARAMETER,
    "output": OUTPUT,
    "output_kwargs": OUTPUT,  # gradients of keyword arguments; msprobe itself leaves them out
}
_STEP = re.compile(r"step(\d+)")
_RANK = re.compile(r"(?:rank|proc)(\d*)")


def is_run_folder(folder: Path) -> bool:
    """Return whether a folder holds the dump of one process and step."""
    return (folder / FINISHED).is_file() or (folder / GROWING).is_file()


def run_folders(path: Path) -> list[Path]:
    """Return the folders with the dumps of single processes and steps, below a folder or at it."""
    if is_run_folder(path):
        return [path]
    found = [each for each in path.iterdir() if each.is_dir()] if path.is_dir() else []
    if _RANK.fullmatch(path.name) is None:  # a folder of a rank without a dump holds no others
        found = [run for each in found for run in ([each] if is_run_folder(each) else _below(each))]
    return sorted((each for each in found if is_run_folder(each)), key=_order)


def _below(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if each.is_dir()] if _STEP.fullmatch(folder.name) else []


def _order(folder: Path) -> tuple[int, int, str]:
    step, rank = _labels(folder)
    return int(step or -1), int(rank or -1), str(folder)


def _labels(folder: Path) -> tuple[str, str]:
    rank, step = _RANK.fullmatch(folder.name), _STEP.fullmatch(folder.parent.name)
    return step[1] if step else "", rank[1] if rank else ""


def read_folder(path: Path) -> Dump:
    """Return the dump in a folder: a whole one, one step of it, or one rank."""
    runs = tuple(read_run(folder) for folder in run_folders(path))
    return Dump(path, "msprobe", runs, session_of_folder(path, runs[0].rank if runs else ""))


def read_entry(path: Path, name: str) -> tuple[dict[str, Any], Optional[Path]]:
    """Return the entry of one call, and the folder of its tensors.

    Args:
        path: A folder that PrecisionDebugger wrote, one of its steps or ranks, or a file in it.
        name: The call's name.
    """
    folders = run_folders(path) if path.is_dir() else [path.parent] if path.name in (FINISHED, GROWING) else []
    if not folders:
        raise ToolError(f"{path} is no dump of PrecisionDebugger", wanted=f"its folder, or a {FINISHED} in it")
    names: list[str] = []
    found: list[tuple[Path, dict[str, Any]]] = []
    for folder in folders:
        entries = {entry: content for each, _ in _entries(folder) for entry, content in each}
        names += entries
        if name in entries:
            found.append((folder, entries[name]))
    if not found:
        close = difflib.get_close_matches(name, names, 3)
        raise ToolError(f"{path} has no call {name}", found=", ".join(dict.fromkeys(close)))
    if len(found) > 1:
        raise ToolError(f"{name} is in {found[0][0]} and in {len(found) - 1} other folders", hint="name one of them")
    folder, entry = found[0]
    return entry, _data_folder(folder)


def _entries(folder: Path) -> Iterator[tuple[list[tuple[str, Any]], list[str]]]:
    """Yield the calls of each file of a folder, and remarks about it."""
    for name, read in ((FINISHED, _finished_entries), (GROWING, _growing_entries)):
        if (folder / name).is_file():
            yield read(folder / name)


def read_run(folder: Path) -> Run:
    """Return the dump of one process and step.

    Args:
        folder: It holds ``dump.json``, or ``dump.jsonl.part`` if the run was killed, or both.
    """
    entries: dict[str, Any] = {}
    notes: list[str] = []
    source = folder / FINISHED
    for path, read in ((source, _finished_entries), (folder / GROWING, _growing_entries)):
        if path.is_file():  # calls after the last stop() are in the second file only
            found, remarks = read(path)
            entries.update(found)
            notes += remarks
            source = path
    parents, stacks = _parents(folder / "construct.json"), _stacks(folder / "stack.json")
    data = _data_folder(folder)
    calls = tuple(
        _call(name, entry, parents.get(name, ""), stacks.get(name, ()), data) for name, entry in entries.items()
    )
    step, rank = _labels(folder)
    return Run(step, rank, calls, source, tuple(notes))


def _growing_entries(path: Path) -> tuple[list[tuple[str, Any]], list[str]]:
    entries: list[tuple[str, Any]] = []
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if not isinstance(value, dict) or "name" not in value or not isinstance(value.get("entry"), dict):
            if number < len(lines):  # only the last line may be cut
                raise ToolError(f"{path}:{number} is no call", wanted="a JSON object with 'name' and 'entry'")
            break
        entries.append((str(value["name"]), value["entry"]))
    last = entries[-1][0] if entries else "nothing"
    return entries, [f"{path}: the run ended before its dump was finished; read up to {last}"]


def _finished_entries(path: Path) -> tuple[list[tuple[str, Any]], list[str]]:
    text = path.read_text(encoding="utf-8", errors="replace")
    notes: list[str] = []
    try:
        content = json.loads(text)
        data = content.get("data") if isinstance(content, dict) else None
        if not isinstance(data, dict):
            raise ToolError(f"{path} is no dump", wanted="a JSON object with 'data'")
        entries = list(data.items())
    except ValueError:
        entries = list(_whole_entries(text))
        last = entries[-1][0] if entries else "nothing"
        notes.append(f"{path} is cut off; read up to {last}")
    for name, entry in entries:
        if not isinstance(entry, dict):
            raise ToolError(f"{path}: {name} is no entry", found=type(entry).__name__, wanted="a JSON object")
    return entries, notes


def _whole_entries(text: str) -> Iterator[tuple[str, Any]]:
    """Yield the whole calls of a file that was cut off."""
    start = re.search(r'"data"\s*:\s*\{', text)
    decoder, at = json.JSONDecoder(), start.end() if start else len(text)
    space = re.compile(r"[\s,:]*")
    while True:
        try:
            at = space.match(text, at).end()  # type: ignore[union-attr]
            name, at = decoder.raw_decode(text, at)
            at = space.match(text, at).end()  # type: ignore[union-attr]
            entry, at = decoder.raw_decode(text, at)
        except ValueError:
            return
        if not isinstance(name, str):
            return
        yield name, entry


def _json_file(path: Path) -> Any:
    if not path.is_file():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except ValueError:
        return {}  # of a killed run: calls are compared without their modules and stacks


def _parents(path: Path) -> dict[str, str]:
    """Return the module's call that each call belongs to."""
    content = _json_file(path)
    if not isinstance(content, dict):
        return {}
    parents = {}
    for name, parent in content.items():
        if isinstance(parent, list) and parent:  # newer files: [parent, micro step]
            parent = parent[0]
        if isinstance(parent, str):
            parents[name] = parent
    return parents


def _stacks(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the stack of each call; newer files hold each stack once, with the calls that have it."""
    content = _json_file(path)
    stacks: dict[str, tuple[str, ...]] = {}
    if not isinstance(content, dict):
        return stacks
    for key, value in content.items():
        if isinstance(value, list) and len(value) == 2 and all(isinstance(each, list) for each in value):
            lines = _lines(value[1])
            stacks.update((name, lines) for name in value[0] if isinstance(name, str))
        else:
            stacks[key] = _lines(value)
    return stacks


def _lines(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(value.strip().splitlines())
    return tuple(str(line).strip() for line in value) if isinstance(value, list) else ()


def _data_folder(folder: Path) -> Optional[Path]:
    data, finished = folder / "dump_tensor_data", folder / FINISHED
    if data.is_dir() or not finished.is_file():
        return data
    with finished.open(encoding="utf-8", errors="replace") as stream:
        found = re.search(r'"dump_data_dir"\s*:\s*("(?:[^"\\]|\\.)*")', stream.read(4096))
    named = Path(json.loads(found[1])) if found else None
    return named if named is not None and named.is_dir() else data


def _call(name: str, entry: dict[str, Any], parent: str, stack: tuple[str, ...], data: Optional[Path]) -> Call:
    base, number, direction = call_name(name)
    if direction == GRADIENT:
        values = tuple(value for key, each in entry.items() for value in _values(GRADIENT, key, each, data, True))
    else:
        values = tuple(
            value for key, each in entry.items() if key in _PARTS for value in _values(_PARTS[key], "", each, data)
        )
    return Call(name, base, direction, number, values, parent, layer_of(base), stack)


def _values(part: str, position: str, content: Any, data: Optional[Path], unwrap: bool = False) -> Iterable[Value]:
    """Yield the values in a nest of lists and objects."""
    if isinstance(content, list):
        if unwrap and len(content) == 1:  # parameters_grad: {"weight": [{...}]} is named ...weight
            yield from _values(part, position, content[0], data)
            return
        for index, each in enumerate(content):
            yield from _values(part, _joined(position, index), each, data)
    elif isinstance(content, dict) and "type" in content and not isinstance(content["type"], dict):
        yield _value(part, position, content, data)
    elif isinstance(content, dict):
        for key, each in content.items():
            yield from _values(part, _joined(position, key), each, data)
    else:
        yield Value(part, position, type(content).__name__, scalar=content)


def _joined(position: str, key: Any) -> str:
    return f"{position}.{key}" if position else str(key)


def _value(part: str, position: str, facts: dict[str, Any], data: Optional[Path]) -> Value:
    shape = facts.get("shape")
    if not isinstance(shape, list):
        return Value(part, position, str(facts["type"]), scalar=_scalar(str(facts["type"]), facts.get("value")))
    name = facts.get("data_name")
    return Value(
        part=part,
        position=position,
        kind=str(facts["type"]),
        dtype=str(facts.get("dtype", "")),
        shape=tuple(shape),
        statistics={each.name: number(facts.get(each.key)) for each in STATISTICS},
        requires_grad=facts.get("requires_grad"),
        digest=str(facts.get("md5") or ""),
        # a name with folders in it would lead out of the dump
        file=data / name if data is not None and isinstance(name, str) and Path(name).name == name else None,
    )


def _scalar(kind: str, value: Any) -> Any:
    """Return a plain value; NaN and infinities may be texts."""
    if kind == "complex" and isinstance(value, list):
        return [number(each) for each in value]
    return number(value) if kind.startswith("float") else value


def number(value: Any) -> Optional[float]:
    """Return a statistic as a number; NaN and infinities may be texts: ``"NaN"`` or ``"nan"``."""
    if value is None or isinstance(value, float):
        return value
    if isinstance(value, (int, str)):
        try:
            return float(value)
        except ValueError:
            return None
    return None
