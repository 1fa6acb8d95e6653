"""The list of functions that are dumped: support_wrap_ops.yaml, sections with one name or pattern per line."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Optional

from musa_tools.errors import ToolError
from musa_tools.observe.api_names import ApiNames

DEFAULT = Path(__file__).with_name("support_wrap_ops.yaml")
SECTIONS = ("functional", "tensor", "torch", "vf", "aten", "npu", "musa", "custom", "distributed")


def read_wrap_ops(path: Optional[str]) -> dict[str, tuple[str, ...]]:
    """Return section -> names. A file of the user replaces only the sections that it has."""
    if path is None:
        return dict(_read(str(DEFAULT)))
    return {**_read(str(DEFAULT)), **_read(path)}


@functools.cache
def _read(path: str) -> dict[str, tuple[str, ...]]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ToolError(f"support_wrap_ops: cannot read {path}: {error.strerror or error}") from error
    found: dict[str, list[str]] = {}
    section: Optional[list[str]] = None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].strip()
        if not words:
            continue
        if words.endswith(":") and not words.startswith("-"):
            name = words[:-1].strip().lower().lstrip("_")
            if name not in SECTIONS:
                raise ToolError(f"{path}, line {number}: no section {name!r}; there are {', '.join(SECTIONS)}")
            section = found.setdefault(name, [])
        elif words.startswith("- ") and section is not None:
            section.append(words[2:].strip().strip("'\""))
        else:
            raise ToolError(f"{path}, line {number}: found {words!r}, wanted `section:` or `- name`")
    return {name: tuple(names) for name, names in found.items()}


@functools.cache
def default_names() -> ApiNames:
    """Return the functions that are watched where nothing else is asked for."""
    return ApiNames(read_wrap_ops(None))
