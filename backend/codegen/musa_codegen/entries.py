"""The entries of musa_functions.yaml, with their lines; nothing is known of PyTorch here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

import yaml

from .errors import FunctionsError, Mistake

MAIN_KEY = "PrivateUse1"
#: Dispatch keys that an entry may name. All but the first are for functions that are not structured.
KEYS = (
    MAIN_KEY,
    "QuantizedPrivateUse1",
    "SparsePrivateUse1",
    "SparseCsrPrivateUse1",
    "NestedTensorPrivateUse1",
    "AutogradPrivateUse1",
)
_FIELDS = (
    "func",
    "dispatch",
    "structured",
    "structured_delegate",
    "structured_inherits",
    "precomputed",
    "device_check",
    "device_guard",
    "autogen",
    "tags",
)
_NONE = ("none", "None", None)


@dataclass(frozen=True)
class Entry:
    """One function.

    Attributes:
        name: Name and overload, as ``add.Tensor``.
        line: Where the entry begins.
        dispatch: C++ name by dispatch key.
        structured: What the entry says of it, or None.
        delegates: False if `structured_delegate: none` is there.
        inherits: The base class of the meta class; "" if the entry says none; None if it says nothing.
        precomputed: As ``diagonal -> int var``; empty if the entry says none; None if it says nothing.
        device_check: NoCheck or ExactSame, or None for PyTorch's choice.
        device_guard: Whether the function is called with its device as the current one, or None for PyTorch's choice.
    """

    name: str
    line: int
    dispatch: Mapping[str, str] = field(default_factory=dict)
    structured: Optional[bool] = None
    delegates: bool = True
    inherits: Optional[str] = None
    precomputed: Optional[tuple[str, ...]] = None
    device_check: Optional[str] = None
    device_guard: Optional[bool] = None

    @property
    def kernel(self) -> Optional[str]:
        """Return the C++ name for the main key."""
        return self.dispatch.get(MAIN_KEY)


def _mapping(loader: Any, node: Any) -> dict[str, Any]:
    """Remember the line on which a mapping begins, and refuse a field that is there twice."""
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in found:
            raise yaml.MarkedYAMLError(problem=f"{key!r} stands twice in one entry", problem_mark=key_node.start_mark)
        found[key] = loader.construct_object(value_node, deep=True)
    return {**found, "__line__": node.start_mark.line + 1}


#: yaml's own class stays as it is: constructors are kept per class
_Loader: Any = type("_Loader", (yaml.SafeLoader,), {})
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def read_entries(file: Path) -> tuple[Entry, ...]:
    """Return the entries of a file.

    Raises:
        FunctionsError: It is no YAML, or an entry has a field or a value that is unknown.
        OSError: It cannot be read.
    """
    try:
        loaded = yaml.load(file.read_text(encoding="utf-8"), _Loader)  # a SafeLoader: only plain values
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        raise FunctionsError(file, [Mistake(line, error.problem or "this is no YAML")]) from None
    if not isinstance(loaded, Sequence) or isinstance(loaded, str):
        raise FunctionsError(file, [Mistake(1, "the file must be a list of entries", "write `- func: NAME`")])
    mistakes: list[Mistake] = []
    entries: dict[str, Entry] = {}
    for item in loaded:
        entry = _entry(item, mistakes)
        if entry is None:
            continue
        if entry.name in entries:
            first = entries[entry.name].line
            mistakes.append(Mistake(entry.line, f"{entry.name} is listed twice", f"the first entry is on line {first}"))
        entries[entry.name] = entry
    if mistakes:
        raise FunctionsError(file, mistakes)
    return tuple(entries.values())


def _entry(item: Any, mistakes: list[Mistake]) -> Optional[Entry]:
    if not isinstance(item, dict) or not isinstance(item.get("func"), str):
        line = item["__line__"] if isinstance(item, dict) else 1
        mistakes.append(Mistake(line, "an entry without `func`", "write `- func: NAME`, as `- func: add.Tensor`"))
        return None
    line = item["__line__"]
    before = len(mistakes)
    for key in item:
        if key not in (*_FIELDS, "__line__"):
            mistakes.append(Mistake(line, f"{item['func']}: unknown field {key!r}", f"possible: {', '.join(_FIELDS)}"))
    entry = Entry(
        name=item["func"].split("(")[0].strip(),
        line=line,
        dispatch=_dispatch(item, mistakes),
        structured=_boolean(item, "structured", mistakes),
        delegates=item.get("structured_delegate", "") not in _NONE,
        inherits=_text_or_none(item, "structured_inherits"),
        precomputed=_list_or_none(item, "precomputed", mistakes),
        device_check=_choice(item, "device_check", ("NoCheck", "ExactSame"), mistakes),
        device_guard=_boolean(item, "device_guard", mistakes),
    )
    return entry if len(mistakes) == before else None


def _dispatch(item: dict[str, Any], mistakes: list[Mistake]) -> dict[str, str]:
    given = item.get("dispatch", {})
    if not isinstance(given, dict):
        mistakes.append(
            Mistake(item["__line__"], f"{item['func']}: `dispatch` is {given!r}", "write `dispatch:`, then `KEY: NAME`")
        )
        return {}
    found: dict[str, str] = {}
    for keys, kernel in given.items():
        if keys == "__line__":
            continue
        for key in str(keys).replace(" ", "").split(","):
            if key not in KEYS:
                line = given["__line__"]
                mistakes.append(
                    Mistake(line, f"{item['func']}: unknown dispatch key {key!r}", f"possible: {', '.join(KEYS)}")
                )
            found[key] = str(kernel)
    return found


def _boolean(item: dict[str, Any], name: str, mistakes: list[Mistake]) -> Optional[bool]:
    value = item.get(name)
    if value is None or isinstance(value, bool):
        return value
    mistakes.append(Mistake(item["__line__"], f"{item['func']}: `{name}` is {value!r}", "possible: true, false"))
    return None


def _choice(item: dict[str, Any], name: str, possible: Sequence[str], mistakes: list[Mistake]) -> Optional[str]:
    value = item.get(name)
    if value is None or value in possible:
        return value
    mistakes.append(
        Mistake(item["__line__"], f"{item['func']}: `{name}` is {value!r}", f"possible: {', '.join(possible)}")
    )
    return None


def _text_or_none(item: dict[str, Any], name: str) -> Optional[str]:
    if name not in item:
        return None
    return "" if item[name] in _NONE else str(item[name])


def _list_or_none(item: dict[str, Any], name: str, mistakes: list[Mistake]) -> Optional[tuple[str, ...]]:
    if name not in item:
        return None
    value = item[name]
    if value in _NONE:
        return ()
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    mistakes.append(
        Mistake(item["__line__"], f"{item['func']}: `{name}` is {value!r}", "write a list, as `- diagonal -> int var`")
    )
    return None
