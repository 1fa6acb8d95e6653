"""Names, lists, brackets and strings: the syntax that is the same everywhere in the IR.

A name in quotes may have any character, so nothing here looks for brackets or commas inside quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar, overload

_Value = TypeVar("_Value")


class lazy(Generic[_Value]):
    """A property that is computed once. functools' has a lock, which costs more than most of what is computed here."""

    def __init__(self, compute: Callable[[Any], _Value]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> lazy[_Value]: ...

    @overload
    def __get__(self, owner: object, kind: type) -> _Value: ...

    def __get__(self, owner: object | None, kind: type) -> lazy[_Value] | _Value:
        if owner is None:
            return self
        value = self._compute(owner)
        owner.__dict__[self._compute.__name__] = value
        return value


class UnexpectedIR(Exception):
    """The IR does not look as this driver expects. Never guess: say so and stop."""


#: Patterns for all code that looks for names. LLVM quotes a name with other characters, `$` among them. Inside quotes
#: it escapes quotes and all bytes outside ASCII, as in `\\C3`. So no quoted text has a quote in it.
LABEL = r'(?:[\w.$-]+|"[^"]*")'
GLOBAL = f"@{LABEL}"
LOCAL = f"%{LABEL}"
NAME_ENDS = r"(?![\w.$-])"
_UNIQUE = re.compile(r"(.+)__(?:static|intern)__[0-9a-f]{1,16}")


def pattern_of_names(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds any of these names, with their sigils, as whole names."""
    return re.compile(f"(?:{'|'.join(map(re.escape, names))}){NAME_ENDS}")


_PLAIN = re.compile(r"[A-Za-z._-][A-Za-z0-9._-]*")
_STATIC = re.compile(r"_ZL\d|_ZN(?:\d\w*?)?(?:L\d|12_GLOBAL__N_1)")
#: A name with its sigil; or a quoted text, to skip it.
_NAME = re.compile(rf'[%@]{LABEL}|"[^"]*"')
_GLOBAL = re.compile(GLOBAL)
#: The characters that structure a list; or a quoted text, to skip it.
_MARK = re.compile(r'"[^"]*"|[][(){}<>,]')
_BRACKET = re.compile(r'[\[({<"]')
#: The same for a text that begins with a type.
_END_OF_TYPE = re.compile(r'"[^"]*"|[][(){}<>, ]')
_PARENTHESIS = re.compile(r'"[^"]*"|[()]')
_OPENING, _CLOSING = frozenset("([{<"), frozenset(")]}>")
_ESCAPED = tuple(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in range(256))
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2})")


def bare(name: str) -> str:
    """Strip the sigil and the quotes: `f` of `@f`, of `@"f"` and of `%f`."""
    return name.lstrip("@%").strip('"')


def is_static_of_namespace(name: str) -> bool:
    """Whether a bare name is that of a static variable of a namespace, which other files do not see."""
    return _STATIC.match(name) is not None


def global_name(name: str) -> str:
    """Spell a bare name as that of a global: `@f`, `@"f$"`."""
    return f"@{name}" if _PLAIN.fullmatch(name) else f'@"{name}"'


def local_name(name: str) -> str:
    """Spell a bare name as that of a local value: `%n`, `%"n$"`."""
    return f"%{global_name(name)[1:]}"


def symbol(name: str) -> str:
    """Return the linker's name of a global with this bare name."""
    return unescape(name).encode("latin-1").decode(errors="replace")


def name_before_unique(name: str) -> str:
    """Return the name of a static variable or kernel without clang's unique suffix; empty if it has none."""
    found = _UNIQUE.fullmatch(name)
    return found[1] if found else ""


def local_names(text: str) -> list[str]:
    """Return the local values that a text names, sigils included, in order."""
    return [name for name in _NAME.findall(text) if name[0] == "%"] if "%" in text else []


def replace_names(text: str, values: Mapping[str, str]) -> str:
    """Replace the names of values or globals, sigils included; only whole names are replaced."""
    return _NAME.sub(lambda found: values.get(found[0], found[0]), text)


def global_names(text: str) -> list[str]:
    """Return the globals that a text names, sigils included, in order."""
    names: list[str] = []
    at = text.find("@")
    while at >= 0:  # quicker than a pattern that looks at every character
        found = _GLOBAL.match(text, at)
        if found:
            names.append(found[0])
        at = text.find("@", found.end() if found else at + 1)
    return names


def split_list(text: str) -> list[str]:
    """Split a list at its outermost commas."""
    if not _BRACKET.search(text):
        return [part.strip() for part in text.split(",")] if text else []
    parts: list[str] = []
    start = depth = 0
    for found in _MARK.finditer(text):
        mark = found[0]
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
        elif mark == "," and depth == 0:
            parts.append(text[start : found.start()].strip())
            start = found.end()
    last = text[start:].strip()
    return [*parts, last] if last else parts


def leading_type(text: str) -> str:
    """Return the type that a text starts with: `{ i64, ptr }` of `{ i64, ptr } %a`."""
    depth = 0
    for found in _END_OF_TYPE.finditer(text):
        mark = found[0]
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
        elif depth == 0 and mark in " ,":
            return text[: found.start()]
    return text


def last_word(text: str) -> str:
    """Return the last word of a parameter or an argument, its value: `%n` of `i64 noundef %n`."""
    if text.endswith('"'):
        return text[text.rfind(" ", 0, text.rindex('"', 0, -1)) + 1 :]
    return text.rpartition(" ")[2]


def closing(text: str, opening: int) -> int:
    """Return the position of the parenthesis that closes the one at `opening`.

    Raises UnexpectedIR when there is none.
    """
    depth = 0
    for found in _PARENTHESIS.finditer(text, opening):
        if found[0] == "(":
            depth += 1
        elif found[0] == ")":
            depth -= 1
            if depth == 0:
                return found.start()
    raise UnexpectedIR("a parenthesis in the IR is not closed")


def enclosed(text: str, opening: int) -> str:
    """Return the text between the parenthesis at `opening` and its partner."""
    return text[opening + 1 : closing(text, opening)]


def string(data: bytes) -> str:
    """Spell an array of bytes: `c"..."`."""
    return 'c"' + "".join(map(_ESCAPED.__getitem__, data)) + '"'


def unescape(text: str) -> str:
    """Return the characters that an escaped text means."""
    return _ESCAPE.sub(lambda code: chr(int(code.group(1), 16)), text)
