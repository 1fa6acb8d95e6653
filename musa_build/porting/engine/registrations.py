"""Dispatch keys that macros are given: `OPS_IMPL(my_ops, CUDA, m)`, where OPS_IMPL calls TORCH_LIBRARY_IMPL.

PyTorch takes a kernel for a key that no tensor has, and says nothing. So a key is ported where the same text defines
the macro, and reported where another file may define it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Optional

from .pasting import DEFINE, arguments

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex
    from .scanner import Layout

_REGISTERING = r"\w*TORCH_LIBRARY_IMPL(?:_EXPAND)?|REGISTER_(?:DEVICE|OP)_IMPL"
_MAY_REGISTER = r"[A-Z0-9_]*(?:LIBRARY|REGISTER|IMPL)[A-Z0-9_]*"
_CALL = r"\b(\w+)\s*\("
_ALONE_BEFORE, _ALONE_BEHIND = r"[(,\n]\s*\Z", r"\s*[,)#]"
_MOST_BEFORE = 600  # characters of a call before its key, comments included


def keys_of_macros(layout: Layout, keys: frozenset[str], index: IdentifierIndex) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, replacement) for the `keys` that are given to macros of the same text."""
    code = layout.code_without_literals
    positions = _key_positions(code)
    for key in keys if positions else ():
        for at in index.offsets(key):
            end = at + len(key)
            called = _call_around(code, at, end)
            if called is not None and positions.get(called[0]) == called[1] and layout.is_plain_code(at, end):
                yield end - len("CUDA"), end, "PrivateUse1"


def may_register(layout: Layout, start: int, end: int) -> Optional[str]:
    """Return the macro that is given the key at `text[start:end]`, if by its name it may register kernels."""
    called = _call_around(layout.code_without_literals, start, end)
    return called[0] if called is not None and re.fullmatch(_MAY_REGISTER, called[0]) else None


def _key_positions(code: str) -> Mapping[str, int]:
    """Return the macros that give one of their arguments to a registration as its key, and which."""
    defines = list(re.finditer(DEFINE, code))
    positions: dict[str, int] = {}
    for _ in range(3):  # a macro may call another
        for define in defines:
            parameters = [parameter.strip() for parameter in define[2].split(",")]
            for call in re.compile(_CALL).finditer(code, *define.span(3)):
                position = 1 if re.fullmatch(_REGISTERING, call[1]) else positions.get(call[1], -1)
                given = arguments(code, call.end())
                words = re.findall(r"\w+", given[position].text) if 0 <= position < len(given) else []
                key = next((number for number, parameter in enumerate(parameters) if parameter in words), None)
                if key is not None and not re.fullmatch(_REGISTERING, define[1]):
                    positions[define[1]] = key
    return positions


def _call_around(code: str, start: int, end: int) -> Optional[tuple[str, int]]:
    """Return the name of the call of which `code[start:end]` is an argument by itself, and the argument's number."""
    first = max(0, start - _MOST_BEFORE)
    if not (re.compile(_ALONE_BEHIND).match(code, end) and re.compile(_ALONE_BEFORE).search(code, first, start)):
        return None
    depth = number = 0
    for at in range(start - 1, first - 1, -1):
        mark = code[at]
        if mark in ";{}":
            return None
        if mark == ")":
            depth += 1
        elif mark == "," and depth == 0:
            number += 1
        elif mark == "(":
            depth -= 1
            if depth < 0:
                name = re.compile(r"(\w+)\s*\Z").search(code, first, at)
                return None if name is None else (name[1], number)
    return None
