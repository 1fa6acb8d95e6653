"""Who calls whom and who uses which variable, read from a module's text."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: stands for "some function, whose name is not known"
INDIRECT = "*"

_FUNCTION = re.compile(r'^define [^\n]*?@([\w.$]+|"[^"]+")\(.*?^\}\n', re.M | re.S)
_CALLEE = re.compile(r'\b(?:call|invoke)\b[^@\n]*?@([\w.$]+|"[^"]+")\(')
_INDIRECT_CALL = re.compile(r"\b(?:call|invoke)\b[^@\n]*?[ *](%[\w.]+)\(")


def functions(ir: str) -> dict[str, str]:
    """{name: the whole definition}."""
    return {found.group(1): found.group(0) for found in _FUNCTION.finditer(ir)}


def calls(definition: str) -> frozenset[str]:
    """The functions that a definition calls; INDIRECT among them if it calls through a pointer."""
    body = definition[definition.index("{\n") :]
    names = frozenset(_CALLEE.findall(body))
    return names | {INDIRECT} if _INDIRECT_CALL.search(body) else names


def reachable(start: str, edges: Mapping[str, frozenset[str]]) -> set[str]:
    """Everything that can be reached from `start`, itself left out unless it is reached again."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        for name in edges.get(todo.pop(), ()):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return seen
