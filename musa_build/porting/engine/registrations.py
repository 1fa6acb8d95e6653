"""Dispatch keys that are written without their type: `CUDA` instead of `DispatchKey::CUDA`.

- A macro gets one as an argument: `OPS_IMPL(my_ops, CUDA, m)`, where OPS_IMPL calls TORCH_LIBRARY_IMPL, or is
  another name for it.
- A macro is one: `#define KEY CUDA`. Or it passes one to another macro: `#define FOR_KEYS(X) X(CPU) X(CUDA)`.
- The type has another name (`using K = c10::DispatchKey;`) or need not be named (`using enum c10::DispatchKey;`).

PyTorch accepts a kernel for a key that no tensor has, without a message. So a word is ported if the same text shows
that it is a key, and reported if another file may show it (`bare_keys`).
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
_CALL = r"\b(\w+)\s*\("
_ALONE_BEHIND = r"\s*[,)#]"
_MOST_BEFORE = 600  # characters of a call before its key, comments included
_KEY_TYPE = r"(?:\w+\s*::\s*)*(?:DispatchKey|DeviceType|Backend)"
_ALIAS = rf"\busing\s+(\w+)\s*=\s*(?:::\s*)?{_KEY_TYPE}\s*;|\btypedef\s+(?:::\s*)?{_KEY_TYPE}\s+(\w+)\s*;"
_USING = rf"\busing\s+(?:enum\s+(?:::\s*)?(?:{_KEY_TYPE}|@)\s*;|(?:::\s*)?{_KEY_TYPE}\s*::\s*(?:\w*CUDA|PrivateUse1)\b)"
ENUMERATION = r"\benum\b[^;{}()]*\{[^}]*\}"
_MACRO_FOR = r"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(*\s*(\w+)[ \t)]*$"
_QUALIFIED = r"(?:::|\.|->)\s*\Z"


def keys_of_macros(layout: Layout, keys: frozenset[str], index: IdentifierIndex) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, replacement) for the `keys` that are dispatch keys according to the same text."""
    code = layout.code_without_literals
    positions = _key_positions(code)
    named = dict(_named_keys(code, keys, positions))
    aliases = "|".join(_aliases(code))
    of_alias = re.compile(rf"\b(?:{aliases})\s*::\s*\Z") if aliases else None
    need_no_type = uses_all(code) and not any("CUDA" in each for each in re.findall(ENUMERATION, code))
    for key in keys:
        for at in index.offsets(key):
            end = at + len(key)
            called = call_around(code, at, end) if positions else None
            is_key = called is not None and positions.get(called[0]) == called[1]
            is_key = (
                is_key
                or at in named
                or (of_alias is not None and of_alias.search(code, max(0, at - 100), at) is not None)
            )
            if not is_key and need_no_type and not is_qualified(code, at):
                is_key = not is_in_directive(code, at)
            if is_key and layout.is_plain_code(at, end):
                yield end - len("CUDA"), end, "PrivateUse1"


def _named_keys(code: str, keys: frozenset[str], positions: Mapping[str, int]) -> Iterator[tuple[int, str]]:
    """Yield the offset of the key and the macro, for macros that stand for a key and are used where one is required."""
    for define in re.finditer(_MACRO_FOR, code):
        if define[2] not in keys:
            continue
        for use in re.finditer(rf"\b{define[1]}\b", code):
            called = call_around(code, *use.span())
            is_key = called is not None and (
                (re.fullmatch(_REGISTERING, called[0]) and called[1] == 1) or positions.get(called[0]) == called[1]
            )
            if is_key or re.search(rf"\b{_KEY_TYPE}\s*::\s*\Z", code[max(0, use.start() - 100) : use.start()]):
                yield define.start(2), define[1]


def uses_all(code: str) -> bool:
    """Return whether `using` lets the code name a key without its type."""
    return re.search(_USING.replace("@", "|".join(_aliases(code)) or "@"), code) is not None


def _aliases(code: str) -> list[str]:
    """Return the other names of the types of keys."""
    return sorted({name for names in re.findall(_ALIAS, code) for name in names if name})


def is_qualified(code: str, at: int) -> bool:
    """Return whether the word at `code[at]` is a member of something."""
    return re.search(_QUALIFIED, code[max(0, at - 20) : at]) is not None


def is_in_directive(code: str, at: int) -> bool:
    """Return whether `code[at]` is part of a line of the preprocessor."""
    return code[code.rfind("\n", 0, at) + 1 : at].lstrip().startswith("#")


def _key_positions(code: str) -> Mapping[str, int]:
    """Map macros that take a registration's key, or pass one on to `DispatchKey::`, with the argument's number."""
    defines = list(re.finditer(DEFINE, code))
    positions: dict[str, int] = {}
    for _ in range(3):  # a macro may call another, or be another name for it
        for define in re.finditer(_MACRO_FOR, code):
            if re.fullmatch(_REGISTERING, define[2]) or define[2] in positions:
                positions[define[1]] = positions.get(define[2], 1)
        for define in defines:
            parameters = [parameter.strip() for parameter in define[2].split(",")]
            for call in re.compile(_CALL).finditer(code, *define.span(3)):
                position = 1 if re.fullmatch(_REGISTERING, call[1]) else positions.get(call[1], -1)
                given = arguments(code, call.end())
                words = re.findall(r"\w+", given[position].text) if 0 <= position < len(given) else []
                key = next((number for number, parameter in enumerate(parameters) if parameter in words), None)
                if key is not None and not re.fullmatch(_REGISTERING, define[1]):
                    positions[define[1]] = key
            for qualified in re.compile(rf"\b{_KEY_TYPE}\s*::\s*(\w+)").finditer(code, *define.span(3)):
                if qualified[1] in parameters:
                    positions[define[1]] = parameters.index(qualified[1])
    return positions


def call_around(code: str, start: int, end: int) -> Optional[tuple[str, int]]:
    """Return the name of the call that has `code[start:end]` as a whole argument, and the argument's number."""
    first = max(0, start - _MOST_BEFORE)
    before = code[first:start]
    is_alone = before.rstrip().endswith(("(", ",")) or "\n" in before[len(before.rstrip()) :]
    if not is_alone or re.compile(_ALONE_BEHIND).match(code, end) is None:
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
