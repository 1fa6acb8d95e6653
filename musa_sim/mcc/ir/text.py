"""Names, lists, brackets and strings: the syntax that is the same everywhere in the IR."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping


class UnexpectedIR(Exception):
    """The IR does not look as this driver expects. Never guess: say so and stop."""


#: Patterns for the other modules of this package.
GLOBAL = r'@(?:[\w.$-]+|"[^"]*")'
LOCAL = r'%(?:[\w.$-]+|"[^"]*")'
LABEL = r'(?:[\w.$-]+|"[^"]+")'
NAME_ENDS = r"(?![\w.$-])"

_GLOBAL = re.compile(GLOBAL)
_LOCAL = re.compile(LOCAL)
_ESCAPED = tuple(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in range(256))
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2})")


def bare(name: str) -> str:
    """Strip the sigil and the quotes: `f` of `@f`, of `@"f"` and of `%f`."""
    return name.lstrip("@%").strip('"')


def local_names(text: str) -> list[str]:
    """Return the local values that a text names, sigils included, in order."""
    return _LOCAL.findall(text)


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


def rename(text: str, name: str, new: str) -> str:
    """Replace a name, sigil included, wherever it stands as a whole."""
    return re.sub(rf"{re.escape(name)}{NAME_ENDS}", lambda _: new, text)


def split_list(text: str) -> list[str]:
    """Split a list at its outermost commas."""
    parts: list[str] = []
    depth = start = 0
    for at, char in enumerate(text):
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
    for at, char in enumerate(text):
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif char in " ," and depth == 0:
            return text[:at]
    return text


def last_word(text: str) -> str:
    """Return what a parameter or an argument ends with, its value: `%n` of `i64 noundef %n`."""
    return text.rsplit(" ", 1)[-1]


def closing(text: str, opening: int) -> int:
    """Return the position of the parenthesis that closes the one at `opening`.

    Raises UnexpectedIR when there is none.
    """
    depth = 0
    for at in range(opening, len(text)):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
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
