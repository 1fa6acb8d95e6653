"""Read a dump of any form, which its content tells; replace text in the names of its calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Optional

from musa_tools.compare_dumps.read_msprobe import FINISHED, GROWING, read_folder, read_run, run_folders
from musa_tools.compare_dumps.records import Call, Dump
from musa_tools.compare_dumps.sessions import session_of_folder
from musa_tools.errors import ToolError

_WANTED = (
    "a folder with step*/rank*/dump.json (PrecisionDebugger), or a file of JSON lines (set_dump_path of "
    "ptdbg_ascend or torch_npu.hooks)"
)


def read_dump(path: Path, data: Optional[Path] = None) -> Dump:
    """Return a dump. No tensor is loaded.

    Args:
        path: A folder that PrecisionDebugger wrote, one of its steps or ranks, a ``dump.json``, or a "pkl" of lines.
        data: The folder with the .npy files of a "pkl", if it is not beside it under its name.
    """
    try:
        dump = _read(path, data)
    except OSError as error:
        raise ToolError(f"{path} cannot be read", found=str(error.strerror or error)) from error
    if not any(run.calls for run in dump.runs):
        notes = "; ".join(note for run in dump.runs for note in run.notes)
        raise ToolError(f"{path} holds no call", found=notes)
    return dump


def _read(path: Path, data: Optional[Path]) -> Dump:
    if not path.exists():
        raise ToolError(f"no such file or folder: {path}", wanted=_WANTED)
    if path.is_dir():
        if not run_folders(path):
            raise ToolError(f"{path} holds no dump", wanted=_WANTED)
        return read_folder(path)
    if path.name in (FINISHED, GROWING):
        run = read_run(path.parent)
        return Dump(path, "msprobe", (run,), session_of_folder(path.parent, run.rank))
    with path.open("rb") as stream:
        begin = stream.read(1)
        first = (begin + stream.readline(1 << 26)).decode("utf-8", "replace")
    if begin == b"\x80":
        raise ToolError(f"{path} is a Python pickle. It was not opened: a pickle can run any program", wanted=_WANTED)
    from musa_tools.compare_dumps.read_lines import is_line, read_lines  # a folder has no such file

    if is_line(first):
        return read_lines(path, data)
    if first.lstrip().startswith("{"):
        raise ToolError(f"{path} is a JSON file, but not named {FINISHED}", wanted=_WANTED)
    raise ToolError(f"{path} is no dump", wanted=_WANTED)


def renamed(dump: Dump, rules: Sequence[str]) -> Dump:
    """Return a dump with text replaced in the names of its calls and modules.

    Args:
        dump: The dump.
        rules: ``OLD=NEW`` each; NEW may be empty.
    """
    if not rules:
        return dump
    pairs = [_rule(rule) for rule in rules]

    def text(name: str) -> str:
        for old, new in pairs:
            name = name.replace(old, new)
        return name

    def call(each: Call) -> Call:
        return replace(each, base=text(each.base), parent=text(each.parent), layer=text(each.layer))

    runs = tuple(replace(run, calls=tuple(map(call, run.calls))) for run in dump.runs)
    return replace(dump, runs=runs)


def _rule(rule: str) -> tuple[str, str]:
    old, sign, new = rule.partition("=")
    if not sign or not old:
        raise ToolError(f"{rule!r} replaces nothing", wanted="OLD=NEW, as module.=")
    return old, new
