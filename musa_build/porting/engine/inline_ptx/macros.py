"""Expand macros whose asm statements depend on their arguments: `#define LOAD(cache) asm("ld." #cache ".u32 ...")`.

Such a statement has its text only where the macro is used. There the macro is replaced by its text, as the
preprocessor does, so that the statement can be translated. Macros that use such a macro are expanded too; all
others stay.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Optional

if TYPE_CHECKING:
    from ..scanner import Layout

_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^()\n]*)\)([^\n]*)$", re.MULTILINE)
_UNDEF = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*$", re.MULTILINE)
_CONTINUATION = re.compile(r"[ \t]*\\\r?\n")
#: A raw string cannot be in a macro's argument that is made a string of, and in its text it is rare.
_TOKEN = re.compile(
    r"""
    "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
    | (?P<paste>[ \t\n]*\#\#[ \t\n]*) | (?P<string>\#[ \t]*(?=\w)) | (?P<word>[A-Za-z_]\w*) | [\s\S]
    """,
    re.VERBOSE,
)
_VARIADIC = "__VA_ARGS__"
#: A macro that expands to more than this is no macro of asm statements.
_LONGEST = 1_000_000


class Definition(NamedTuple):
    """`#define name(parameters) body`; the body is `text[start:end]`."""

    name: str
    parameters: tuple[str, ...]
    start: int
    end: int


class Use(NamedTuple):
    """A use of a macro in code: `text[start:end]`, expanded. `macros` are those that its expansion may need."""

    start: int
    end: int
    expanded: str
    macros: frozenset[str]


class Macros:
    """The macros of a text that have parameters."""

    def __init__(self, layout: Layout) -> None:
        self._code = layout.code
        self._brackets = layout.code_without_literals
        self._directives = [match.span() for match in _DIRECTIVE.finditer(self._brackets)]
        self._definitions: dict[str, list[Definition]] = {}
        for match in _DEFINE.finditer(self._code):
            if layout.is_plain_code(match.start(1), match.end(1)):
                names = tuple(name.strip() for name in match[2].split(",") if name.strip())
                parameters = tuple(_VARIADIC if name == "..." else name for name in names)
                definition = Definition(match[1], parameters, match.start(3), match.end(3))
                self._definitions.setdefault(match[1], []).append(definition)
        self._undefined = [(match[1], match.start()) for match in _UNDEF.finditer(self._code)]

    def around(self, offset: int) -> Optional[str]:
        """Return the name of the macro whose body has this offset; None outside all of them."""
        for definitions in self._definitions.values():
            for each in definitions:
                if each.start <= offset < each.end:
                    return each.name
        return None

    def uses(self, wanted: Collection[str], body: Callable[[int, int], str]) -> Iterator[Use]:
        """Yield the uses in code of these macros, and of the macros that use them.

        `body` returns a part of the text as it is to be inserted. Where it is not clear which of several definitions
        holds, the use is left out.
        """
        names = self._with_users(wanted)
        if not names:
            return
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})(?=\s*\()")
        end = 0
        for match in pattern.finditer(self._brackets):
            if match.start() < end or self._in_directive(match.start()):
                continue
            defined = self._defined_at(names, match.start())
            closing = _closing(self._brackets, match.end())
            if match[0] not in defined or closing is None:
                continue
            end = closing
            texts = {name: (each.parameters, _lines(body(each.start, each.end))) for name, each in defined.items()}
            expanded = _expanded(body(match.start(), end), texts, frozenset())
            if expanded is not None:
                yield Use(match.start(), end, expanded, self._needed(match[0], defined))

    def _with_users(self, wanted: Collection[str]) -> frozenset[str]:
        found = set(wanted)
        while True:
            pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(found)))})\s*\(") if found else None
            more = {
                name
                for name, definitions in self._definitions.items()
                if name not in found
                and pattern
                and any(pattern.search(self._code, each.start, each.end) for each in definitions)
            }
            if not more:
                return frozenset(found)
            found |= more

    def _needed(self, name: str, defined: Mapping[str, Definition]) -> frozenset[str]:
        """Return the names of a macro and of those that its text uses."""
        found, waiting = {name}, [defined[name]]
        while waiting:
            each = waiting.pop()
            words = set(re.findall(r"\w+", self._code[each.start : each.end])) & defined.keys()
            waiting += (defined[word] for word in words - found)
            found |= words
        return frozenset(found)

    def _defined_at(self, names: Collection[str], offset: int) -> Mapping[str, Definition]:
        """Return the one definition that holds at an offset, for each name that has exactly one there."""
        found = {}
        for name in names:
            since = max((at for undefined, at in self._undefined if undefined == name and at < offset), default=-1)
            holding = [each for each in self._definitions.get(name, ()) if since < each.start < offset]
            if len(holding) == 1:
                found[name] = holding[0]
        return found

    def _in_directive(self, offset: int) -> bool:
        index = bisect_right(self._directives, (offset, len(self._brackets))) - 1
        return index >= 0 and offset < self._directives[index][1]


_Texts = Mapping[str, tuple[tuple[str, ...], str]]


def _expanded(text: str, macros: _Texts, active: frozenset[str]) -> Optional[str]:
    """Expand the uses of macros in a text; None where the preprocessor's rules for it are not known here."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(macros)))})(?=\s*\()")
    pieces: list[str] = []
    position = 0
    while match := pattern.search(text, position):
        name, closing = match[0], _closing(_without_literals(text), match.end())
        if name in active or closing is None:
            pieces.append(text[position : match.end()])
            position = match.end()
            continue
        opening = text.index("(", match.end())
        parameters, body = macros[name]
        arguments = _arguments(text[opening + 1 : closing - 1], parameters)
        if arguments is None:
            return None
        replaced = _expanded(_substituted(body, arguments), macros, active | {name})
        if replaced is None or len(replaced) > _LONGEST:
            return None
        pieces += [text[position : match.start()], replaced]
        position = closing
    return "".join(pieces) + text[position:]


def _substituted(body: str, arguments: Mapping[str, str]) -> str:
    """Replace parameters by arguments, with `#` and `##`."""
    pieces: list[str] = []
    makes_string = False
    for token in _TOKEN.finditer(body):
        word = token["word"]
        if token["paste"]:
            pieces.append("")  # the words on both sides become one
        elif token["string"]:
            makes_string = True
            continue
        elif word and word in arguments:
            pieces.append(_as_string(arguments[word]) if makes_string else arguments[word])
        else:
            pieces.append(f"#{token[0]}" if makes_string else token[0])
        makes_string = False
    return "".join(pieces)


def _as_string(argument: str) -> str:
    one_line = " ".join(argument.split())
    literal = re.compile(r'"(?:[^"\\]|\\.)*"|' + r"'(?:[^'\\]|\\.)*'")
    escaped = literal.sub(lambda match: match[0].replace("\\", "\\\\").replace('"', '\\"'), one_line)
    return f'"{escaped}"'


def _arguments(text: str, parameters: Sequence[str]) -> Optional[Mapping[str, str]]:
    """Give each parameter its argument; None if their numbers differ."""
    given: list[str] = [""]
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += (token[0] == "(") - (token[0] == ")")
        if token[0] == "," and depth == 0:
            given.append("")
        else:
            given[-1] += token[0]
    given = [each.strip() for each in given]
    if parameters and parameters[-1] == _VARIADIC:
        fixed = len(parameters) - 1
        given = [*given[:fixed], ", ".join(given[fixed:])]
    if not parameters and given == [""]:
        return {}
    return dict(zip(parameters, given)) if len(given) == len(parameters) else None


def _lines(body: str) -> str:
    """Return the body of a macro without the marks of its continued lines."""
    return _CONTINUATION.sub("\n", body).strip()


def _without_literals(text: str) -> str:
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'", lambda match: " " * len(match[0]), text)


def _closing(text: str, position: int) -> Optional[int]:
    """Return the offset after the parenthesis that closes the next one, in a text without literals."""
    depth = 0
    for match in re.compile(r"[()]").finditer(text, position):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.end()
    return None
