"""Attributes of functions: after a function's parameters, or in a group `#0` that they refer to."""

from __future__ import annotations

import re
from collections.abc import Collection

from .text import GLOBAL, bare, closing

_GROUP = re.compile(r"^attributes (#\d+) = \{([^\n]*)\}$", re.M)
_FUNCTION = re.compile(rf"^(?:define|declare) [^\n]*?({GLOBAL})\(", re.M)
_REFERENCE = re.compile(r"#\d+")


def add_to_groups(ir: str, attribute: str) -> str:
    """Return the module with an attribute in every group of attributes."""
    return re.sub(r"^(attributes #\d+ = \{)", rf"\1 {attribute}", ir, flags=re.M)


def set_target_cpu(ir: str, cpu: str) -> str:
    """Return the module with all functions that name a CPU compiled for another; unchanged for an empty name."""
    return re.sub(r'"target-cpu"="[^"]*"', f'"target-cpu"="{cpu}"', ir) if cpu else ir


def functions_with(ir: str, attribute: str) -> frozenset[str]:
    """Return the bare names of the functions, declared or defined, that have an attribute."""
    groups = {name for name, text in _GROUP.findall(ir) if attribute in text}
    if not groups and attribute not in ir:
        return frozenset()
    return frozenset(
        bare(found.group(1))
        for found in _FUNCTION.finditer(ir)
        if _has(_behind(ir, found.end() - 1), attribute, groups)
    )


def _behind(ir: str, opening: int) -> str:
    """Return the rest of the line that declares a function or opens its definition, behind the parameters."""
    end = closing(ir, opening)
    return ir[end : ir.index("\n", end)]


def _has(text: str, attribute: str, groups: Collection[str]) -> bool:
    return attribute in text or any(name in groups for name in _REFERENCE.findall(text))
