"""The configuration of a dump: config.json, support_wrap_ops.yaml and arguments, checked; which calls they select."""

from __future__ import annotations

import functools
import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Optional, Union

from musa_tools.errors import ToolError
from musa_tools.observe.api_names import ApiNames

TASKS = ("statistics", "tensor", "overflow_check", "structure")
LEVELS = ("L0", "L1", "mix")
DATA_MODES = ("all", "forward", "backward", "input", "output")
SUMMARIES = ("statistics", "md5")

_COMMON = ("task", "dump_path", "rank", "step", "level", "async_dump", "dump_enable", "support_wrap_ops")
_OF_A_TASK = ("scope", "list", "tensor_list", "data_mode", "summary_mode", "overflow_nums")
#: Keys of msprobe that change nothing here: they are accepted silently.
_WITHOUT_EFFECT = ("extra_info", "seed", "is_deterministic", "enable_dataloader", "precision", "file_format")


@dataclass(frozen=True)
class DumpConfig:
    """A checked configuration.

    Attributes:
        dump_path: Absolute, so that a change of the working directory changes nothing.
        origin: What names it in messages: a file, or the arguments.
    """

    task: str = "statistics"
    dump_path: str = ""
    ranks: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()
    level: str = "L1"
    scope: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    tensor_names: tuple[str, ...] = ()
    data_mode: tuple[str, ...] = ("all",)
    summary_mode: str = "statistics"
    overflow_nums: int = 1
    async_dump: bool = False
    enabled: bool = True
    wrap_ops: Optional[str] = None
    origin: str = field(default="arguments", compare=False)

    def keeps(self, part: str, backward: bool) -> bool:
        """Return whether to dump a part, ``input`` or ``output``, of a direction."""
        modes = self.data_mode
        if "all" in modes:
            return True
        directions = [mode for mode in modes if mode in ("forward", "backward")]
        parts = [mode for mode in modes if mode in ("input", "output")]
        direction = "backward" if backward else "forward"
        return (not directions or direction in directions) and (not parts or part in parts)

    def wants_direction(self, backward: bool) -> bool:
        """Return whether to dump any part of a direction."""
        return self.keeps("input", backward) or self.keeps("output", backward)


def read_config(path: Optional[Union[str, os.PathLike[str]]], arguments: Mapping[str, Any]) -> DumpConfig:
    """Return the configuration of a file, with arguments that win over it.

    Args:
        path: A config.json, or None.
        arguments: ``task``, ``dump_path``, ``level``, ``step``; None means not given.
    """
    values: dict[str, Any] = {}
    if path is not None:
        values = _read(Path(path))
    where = "arguments of PrecisionDebugger" if path is None else str(path)
    task = arguments.get("task") or values.get("task", "statistics")
    _one_of(task, TASKS, "task", where)
    config = _checked(values, str(task), where)
    given = {name: value for name, value in arguments.items() if value is not None}
    config = replace(config, **_common(given, "arguments of PrecisionDebugger"))
    if not config.dump_path:
        raise ToolError(f"{where}: dump_path is missing", hint='say where to write, as "dump_path": "./dump"')
    return replace(config, dump_path=str(Path(config.dump_path).absolute()))


def _read(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ToolError(
            f"no such file: {path}", wanted="a config.json, or the arguments of PrecisionDebugger"
        ) from error
    except (OSError, ValueError) as error:
        raise ToolError(f"{path} cannot be read as JSON", found=str(error)) from error
    if not isinstance(values, dict):
        raise ToolError(
            f"{path} is no configuration",
            found=f"a {type(values).__name__}",
            wanted="an object with keys such as task",
        )
    return values


def _checked(values: Mapping[str, Any], task: str, where: str) -> DumpConfig:
    own = values.get(task, {})
    if not isinstance(own, dict):
        raise ToolError(
            f"{where}: {task} is wrong", found=f"{own!r}", wanted="an object with keys such as scope and list"
        )
    known = (*_COMMON, *TASKS, *_OF_A_TASK, *_WITHOUT_EFFECT)
    _warn_of_unknown(values, known, "", where)
    _warn_of_unknown(own, (*_OF_A_TASK, *_WITHOUT_EFFECT), f"{task}.", where)
    merged = {**{key: values[key] for key in _OF_A_TASK if key in values}, **own}
    settings = _common(values, where)
    settings.update(_of_a_task(merged, f"{where}: {task}"))
    return DumpConfig(origin=where, **settings)


def _common(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "task" in values:
        found["task"] = _one_of(values["task"], TASKS, "task", where)
    if values.get("level"):
        found["level"] = _one_of(values["level"], LEVELS, "level", where)
    if "dump_path" in values:
        found["dump_path"] = _text(values["dump_path"], "dump_path", where)
    if values.get("support_wrap_ops"):
        found["wrap_ops"] = _text(values["support_wrap_ops"], "support_wrap_ops", where)
    if "rank" in values:
        found["ranks"] = _numbers(values["rank"], "rank", where)
    if "step" in values:
        found["steps"] = _numbers(values["step"], "step", where)
    if "async_dump" in values:
        found["async_dump"] = _flag(values["async_dump"], "async_dump", where)
    if "dump_enable" in values:
        found["enabled"] = _flag(values["dump_enable"], "dump_enable", where)
    return found


def _of_a_task(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "scope" in values:
        found["scope"] = _names(values["scope"], "scope", where)
        if len(found["scope"]) not in (0, 2):
            raise ToolError(
                f"{where}: scope is wrong",
                found=f"{values['scope']!r}",
                wanted="two names, the first and the last call",
            )
    if "list" in values:
        found["names"] = _names(values["list"], "list", where)
    if "tensor_list" in values:
        found["tensor_names"] = _names(values["tensor_list"], "tensor_list", where)
    if values.get("data_mode"):
        found["data_mode"] = _names(values["data_mode"], "data_mode", where)
        for mode in found["data_mode"]:
            _one_of(mode, DATA_MODES, "data_mode", where)
    if values.get("summary_mode"):
        found["summary_mode"] = _one_of(values["summary_mode"], SUMMARIES, "summary_mode", where)
    if "overflow_nums" in values:
        number = values["overflow_nums"]
        if not isinstance(number, int) or isinstance(number, bool) or (number < 1 and number != -1):
            raise ToolError(
                f"{where}: overflow_nums is wrong", found=f"{number!r}", wanted="a number from 1 on, or -1 for no end"
            )
        found["overflow_nums"] = number
    return found


def _warn_of_unknown(values: Mapping[str, Any], known: tuple[str, ...], prefix: str, where: str) -> None:
    for key in values:
        if key not in known:
            warnings.warn(f"{where}: {prefix}{key} is no key of the dump; it is ignored", UserWarning, stacklevel=6)


def _one_of(value: Any, wanted: tuple[str, ...], key: str, where: str) -> str:
    if value not in wanted:
        choices = ", ".join(f'"{each}"' for each in wanted)
        raise ToolError(f"{where}: {key} is wrong", found=f"{value!r}", wanted=f"one of {choices}")
    return str(value)


def _text(value: Any, key: str, where: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise ToolError(f"{where}: {key} is wrong", found=f"{value!r}", wanted="a path")
    return os.fspath(value)


def _flag(value: Any, key: str, where: str) -> bool:
    if not isinstance(value, bool):
        raise ToolError(f"{where}: {key} is wrong", found=f"{value!r}", wanted="true or false")
    return value


def _names(value: Any, key: str, where: str) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) for name in value):
        raise ToolError(f"{where}: {key} is wrong", found=f"{value!r}", wanted="a list of names")
    return tuple(value)


def _numbers(value: Any, key: str, where: str) -> tuple[int, ...]:
    items = value if isinstance(value, (list, tuple)) else [value]
    found: list[int] = []
    for item in items:
        first, dash, last = str(item).partition("-")
        if isinstance(item, bool) or not first.isdigit() or (dash and not last.isdigit()):
            raise ToolError(f"{where}: {key} is wrong", found=f"{item!r}", wanted='numbers or ranges, as [0, 1, "4-6"]')
        begin, end = int(first), int(last or first)
        if end < begin:
            raise ToolError(f"{where}: {key}: the range {item!r} ends before it begins")
        found.extend(range(begin, end + 1))
    return tuple(dict.fromkeys(found))


class Scope:
    """Selects calls, in the order of the run: those between two names, and those that a list names.

    Args:
        ends: Nothing, or the names of the first and the last call.
        names: Parts of names; nothing means all.
    """

    def __init__(self, ends: Sequence[str] = (), names: Sequence[str] = ()) -> None:
        self._ends = tuple(ends)
        self._names = tuple(names)
        self._inside = not ends

    def admits(self, name: str) -> bool:
        """Return whether to dump a call; call this once per call."""
        within = self._between(name)
        return within and (not self._names or any(part in name for part in self._names))

    def _between(self, name: str) -> bool:
        if not self._ends:
            return True
        if name == self._ends[0]:
            self._inside = True
        within = self._inside
        if name == self._ends[1]:
            self._inside = False
        return within


DEFAULT = Path(__file__).with_name("support_wrap_ops.yaml")
SECTIONS = ("functional", "tensor", "torch", "vf", "aten", "npu", "musa", "custom", "distributed")


def read_wrap_ops(path: Optional[str]) -> dict[str, tuple[str, ...]]:
    """Return section -> names. A file of the user replaces only the sections that it has."""
    if path is None:
        return dict(_read_names(str(DEFAULT)))
    return {**_read_names(str(DEFAULT)), **_read_names(path)}


@functools.cache
def _read_names(path: str) -> dict[str, tuple[str, ...]]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ToolError(f"support_wrap_ops: cannot read {path}", found=str(error.strerror or error)) from error
    found: dict[str, list[str]] = {}
    section: Optional[list[str]] = None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].strip()
        if not words:
            continue
        if words.endswith(":") and not words.startswith("-"):
            name = words[:-1].strip().lower().lstrip("_")
            if name not in SECTIONS:
                raise ToolError(f"{path}, line {number}: no section {name!r}", wanted=f"one of {', '.join(SECTIONS)}")
            section = found.setdefault(name, [])
        elif words.startswith("- ") and section is not None:
            section.append(words[2:].strip().strip("'\""))
        else:
            raise ToolError(f"{path}, line {number} is wrong", found=f"{words!r}", wanted="`section:` or `- name`")
    return {name: tuple(names) for name, names in found.items()}


@functools.cache
def default_names() -> ApiNames:
    """Return the names of the functions that are watched by default."""
    return ApiNames(read_wrap_ops(None))
