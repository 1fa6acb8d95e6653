"""Names, lists, brackets and strings: the syntax that is the same everywhere in the IR."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping


class UnexpectedIR(Exception):
    """The IR does not look as this driver expects. Never guess: say so and stop."""


#: Patterns for all code that looks for names. LLVM quotes a name with other characters, `$` among them. In quotes it
#: spells a quote and what is outside of ASCII as `\\C3`: no quoted text has a quote in it.
LABEL = r'(?:[\w.$-]+|"[^"]*")'
GLOBAL = f"@{LABEL}"
LOCAL = f"%{LABEL}"
NAME_ENDS = r"(?![\w.$-])"

_PLAIN = re.compile(r"[A-Za-z._-][A-Za-z0-9._-]*")
_GLOBAL = re.compile(GLOBAL)
#: a local value, or a quoted text, in which nothing is one
_LOCAL = re.compile(rf'{LOCAL}|"[^"]*"')
_ESCAPED = tuple(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in range(256))
_QUOTED = re.compile(r'"[^"]*"')
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2})")


def bare(name: str) -> str:
    """Strip the sigil and the quotes: `f` of `@f`, of `@"f"` and of `%f`."""
    return name.lstrip("@%").strip('"')


def global_name(name: str) -> str:
    """Spell a bare name as that of a global: `@f`, `@"f$"`."""
    return f"@{name}" if _PLAIN.fullmatch(name) else f'@"{name}"'


def local_name(name: str) -> str:
    """Spell a bare name as that of a local value: `%n`, `%"n$"`."""
    return f"%{global_name(name)[1:]}"


def symbol(name: str) -> str:
    """Return what the linker calls a global of this bare name."""
    return unescape(name).encode("latin-1").decode(errors="replace")


def local_names(text: str) -> list[str]:
    """Return the local values that a text names, sigils included, in order."""
    names: list[str] = _LOCAL.findall(text)
    return [name for name in names if name[0] == "%"] if '"' in text else names


def replace_locals(text: str, values: Mapping[str, str]) -> str:
    """Replace local values, sigils included, wherever they stand as a whole."""
    return _LOCAL.sub(lambda found: values.get(found.group(), found.group()), text)


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


def lines_with(text: str, word: str) -> Iterator[int]:
    """Yield where the lines start that begin with a word; quicker than a pattern, which looks at every line."""
    if text.startswith(word):
        yield 0
    at = text.find(f"\n{word}")
    while at >= 0:
        yield at + 1
        at = text.find(f"\n{word}", at + 1)


def _unquoted(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """Yield positions and characters of a text from `start` on, less those in quotes: brackets in names are none."""
    quoted = False
    for at in range(start, len(text)):
        if text[at] == '"':
            quoted = not quoted
        elif not quoted:
            yield at, text[at]


def without_quoted(text: str) -> str:
    """Return a text of the same length with underscores in place of what stands in quotes."""
    return _QUOTED.sub(lambda found: f'"{"_" * (len(found[0]) - 2)}"', text) if '"' in text else text


def split_list(text: str) -> list[str]:
    """Split a list at its outermost commas."""
    parts: list[str] = []
    depth = start = 0
    for at, char in _unquoted(text):
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def leading_type(text: str) -> str:
    """Return the type that a text starts with: `{ i64, ptr }` of `{ i64, ptr } %a`."""
    depth = 0
    for at, char in _unquoted(text):
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif char in " ," and depth == 0:
            return text[:at]
    return text


def last_word(text: str) -> str:
    """Return what a parameter or an argument ends with, its value: `%n` of `i64 noundef %n`."""
    return text[without_quoted(text).rfind(" ") + 1 :]


def closing(text: str, opening: int) -> int:
    """Return the position of the parenthesis that closes the one at `opening`.

    Raises UnexpectedIR when there is none.
    """
    depth = 0
    for at, char in _unquoted(text, opening):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return at
    raise UnexpectedIR("a parenthesis in the IR is not closed")


def enclosed(text: str, opening: int) -> str:
    """Return what stands between the parenthesis at `opening` and its partner."""
    return text[opening + 1 : closing(text, opening)]


def string(data: bytes) -> str:
    """Spell an array of bytes: `c"..."`."""
    return 'c"' + "".join(map(_ESCAPED.__getitem__, data)) + '"'


def unescape(text: str) -> str:
    """Return the characters that an escaped text stands for."""
    return _ESCAPE.sub(lambda code: chr(int(code.group(1), 16)), text)
