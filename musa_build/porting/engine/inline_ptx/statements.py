"""asm statements of a C++ text: template, operands and clobbers, also those in the body of a macro."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, Optional

from .types import Unportable

if TYPE_CHECKING:
    from ..scanner import Layout

_HEAD = re.compile(
    r"(?<![\w.])(?:asm|__asm__|__asm)(?:\s|\\\r?\n)*(?P<qualifiers>(?:(?:volatile|__volatile__|__volatile|goto|inline)(?:\s|\\\r?\n)*)*)\("
)


class Operand(NamedTuple):
    """`"constraint"(expression)`: the expression is `text[start:end]`. An output's constraint begins with = or +."""

    constraint: str
    start: int
    end: int
    name: str = ""

    @property
    def letter(self) -> str:
        """The letter that says which registers may hold the operand."""
        return self.constraint.lstrip("=+&")


class Alternative(NamedTuple):
    """The statement as one branch of its conditions makes it: `text` has blanks for the others, so offsets stay.

    `text[start:end]` was the directive of the branch; both are 0 for an #else that is not written.
    """

    start: int
    end: int
    text: str
    statement: AsmStatement


class AsmStatement(NamedTuple):
    """`text[start:end]` is an asm statement without its semicolon.

    `templates` has one text, or one for each definition of a macro in it. With `#if` inside, the statement has nothing
    but its `alternatives`. `problem` says why template and operands could not be read; they are empty then, and `end`
    is after the parenthesis.
    """

    start: int
    end: int
    templates: tuple[str, ...] = ()
    outputs: tuple[Operand, ...] = ()
    inputs: tuple[Operand, ...] = ()
    in_macro: bool = False
    is_volatile: bool = False
    problem: str = ""
    alternatives: tuple[Alternative, ...] = ()

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The operands %0, %1, ...: outputs, then inputs."""
        return (*self.outputs, *self.inputs)

    @property
    def is_compiler_barrier(self) -> bool:
        """Whether the statement only tells the compiler that memory changes, which every compiler understands."""
        is_empty = not self.operands and not "".join(self.templates).strip()
        return is_empty and not self.problem and not self.alternatives


def asm_statements(text: str, layout: Layout) -> Iterator[AsmStatement]:
    """Yield the asm statements in the code of `text`."""
    macros: Optional[Macros] = None
    for match in _HEAD.finditer(text):
        if layout.is_plain_code(match.start(), match.start() + 1):
            macros = _string_macros(text) if macros is None else macros
            try:
                yield _with_conditions(text, match, macros)
            except Unportable as problem:
                yield AsmStatement(match.start(), match.end(), problem=problem.reason)


class StringMacro(NamedTuple):
    """A definition of a macro whose text is strings, and parameters that become strings (`#name`), if anything.

    `parameters` is None for a macro without parentheses.
    """

    parameters: Optional[tuple[str, ...]]
    body: str

    def value(self, arguments: tuple[str, ...]) -> str:
        """Return the string that a use of the macro with these arguments is."""
        given = dict(zip(self.parameters or (), arguments))
        pieces = _PIECE.finditer(self.body)
        return "".join(given[piece["name"]] if piece["name"] else _unescaped(piece["plain"]) for piece in pieces)


Macros = Mapping[str, tuple[StringMacro, ...]]
_PIECE = re.compile(r'#[ \t]*(?P<name>\w+)|"(?P<plain>(?:[^"\\\n]|\\.)*)"')
_DEFINITION = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(?P<macro>\w+)(?:\((?P<parameters>[^)\n]*)\))?(?P<body>[^\n]*?)(?://[^\n]*)?\r?$",
    re.MULTILINE,
)
_STRINGS_ALONE = re.compile(r'[ \t]*(?:(?:#[ \t]*\w+|"(?:[^"\\\n]|\\.)*")[ \t]*)*')


def _string_macros(text: str) -> Macros:
    """Return the macros of `text` whose definitions are all strings: name -> its definitions."""
    found: dict[str, tuple[StringMacro, ...]] = {}
    others: set[str] = set()
    for definition in _DEFINITION.finditer(text):
        macro = _string_macro(definition)
        if macro is None:
            others.add(definition["macro"])
        else:
            found[definition["macro"]] = (*found.get(definition["macro"], ()), macro)
    return {name: macros for name, macros in found.items() if name not in others}


def _string_macro(definition: re.Match[str]) -> Optional[StringMacro]:
    if _STRINGS_ALONE.fullmatch(definition["body"]) is None:
        return None
    given = definition["parameters"]
    parameters = None if given is None else tuple(name.strip() for name in given.split(","))
    used = (piece["name"] for piece in _PIECE.finditer(definition["body"]))
    return StringMacro(parameters, definition["body"]) if {*used} - {None} <= {*(parameters or ())} else None


_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?P<name>if|ifdef|ifndef|elif|else|endif)\b.*$", re.MULTILINE)


def _with_conditions(text: str, match: re.Match[str], macros: Macros) -> AsmStatement:
    try:
        return _read(text, match, macros)
    except Unportable as problem:
        try:
            end = _closing(text, match.end() - 1)
        except Unportable:
            raise problem from None
        branches = _branches(text, match.end(), end)
        if not branches:
            raise
    alternatives = (
        Alternative(start, stop, blanked, _with_conditions(blanked, match, macros)) for start, stop, blanked in branches
    )
    return AsmStatement(match.start(), end, alternatives=tuple(alternatives))


def _branches(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """Return the branches of the first conditions in `text[start:end]`: a directive, the text without the others."""
    marks: list[re.Match[str]] = []  # of the conditions themselves, not of those inside them
    depth = 0
    for directive in _DIRECTIVE.finditer(text, start, end):
        depth += directive["name"].startswith("if")
        if depth == 1:
            marks.append(directive)
        depth -= directive["name"] == "endif"
        if marks and depth == 0:
            break
    if not marks or depth:
        return []
    first, last = marks[0], marks[-1]
    found = []
    for mark, following in zip(marks, marks[1:]):
        kept = text[mark.end() : following.start()]
        before, after = text[first.start() : mark.end()], text[following.start() : last.end()]
        blanked = text[: first.start()] + _blank(before) + kept + _blank(after) + text[last.end() :]
        found.append((mark.start(), mark.end(), blanked))
    if marks[-2]["name"] != "else":
        without = text[: first.start()] + _blank(text[first.start() : last.end()]) + text[last.end() :]
        found.append((0, 0, without))
    return found


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _read(text: str, match: re.Match[str], macros: Macros) -> AsmStatement:
    if "goto" in match["qualifiers"]:
        raise Unportable("asm goto")
    sections, position = [_Section(text, match.end(), macros)], match.end()
    while True:
        section = sections[-1]
        position = section.read()
        if text[position] == ")":
            break
        sections.append(_Section(text, position + 1, macros))
    template, *rest = sections
    if template.operands or any(section.strings is None for section in sections):
        raise Unportable("a template that cannot be read")
    return AsmStatement(
        match.start(),
        position + 1,
        template.strings or (),
        tuple(rest[0].operands) if rest else (),
        tuple(rest[1].operands) if len(rest) > 1 else (),
        _in_macro(text, match.start()),
        "volatile" in match["qualifiers"],
    )


_BLANK = re.compile(r"(?:\s|\\\r?\n|//[^\n]*(?=\n)|/\*[\s\S]*?\*/)+")
_STRING = re.compile(r'"(?P<plain>(?:[^"\\\n]|\\[\s\S])*)"|R"(?P<mark>[^()\\\s"]{0,16})\((?P<raw>[\s\S]*?)\)(?P=mark)"')
_WORD = re.compile(r"[A-Za-z_]\w*")
_NAME = re.compile(r"\[\s*(\w+)\s*\]")


class _Section:
    """The part between two colons of an asm statement: strings, or operands."""

    def __init__(self, text: str, start: int, macros: Macros) -> None:
        self.operands: list[Operand] = []
        self.strings: Optional[tuple[str, ...]] = None
        self._text = text
        self._macros = macros
        self._position = start

    def read(self) -> int:
        """Read the section; return the offset of its end."""
        text, name = self._text, ""
        pieces: list[tuple[str, ...]] = []
        while True:
            blank = _BLANK.match(text, self._position)
            position = self._position = blank.end() if blank else self._position
            character = text[position : position + 1]
            if character in (":", ")"):
                self.strings = tuple(map("".join, product(*pieces)))
                return position
            string = _STRING.match(text, position)
            named = _NAME.match(text, position)
            macro = _WORD.match(text, position)
            if string:
                pieces.append((_value(string),))
                self._position = string.end()
            elif character == "(" and pieces:
                end = _closing(text, position)
                self.operands.append(Operand("".join(piece[0] for piece in pieces), position + 1, end - 1, name))
                pieces, name, self._position = [], "", end
            elif macro and macro[0] in self._macros:
                pieces.append(self._values(macro))
            elif named:
                name, self._position = named[1], named.end()
            elif character == ",":
                pieces, self._position = [], position + 1
            else:
                raise Unportable(_not_a_literal(text, position))

    def _values(self, macro: re.Match[str]) -> tuple[str, ...]:
        """Return the string of a use of the macro by each of its definitions, and go on behind the use."""
        definitions = self._macros[macro[0]]
        self._position = macro.end()
        arguments: tuple[str, ...] = ()
        if any(definition.parameters is not None for definition in definitions):
            opening = re.compile(r"\s*\(").match(self._text, macro.end())
            if opening is None or any(definition.parameters is None for definition in definitions):
                raise Unportable(_not_a_literal(self._text, macro.start()))
            self._position = _closing(self._text, opening.end() - 1)
            arguments = tuple(map(str.strip, self._text[opening.end() : self._position - 1].split(",")))
            if any(len(definition.parameters or ()) != len(arguments) for definition in definitions):
                raise Unportable(_not_a_literal(self._text, macro.start()))
        return tuple(definition.value(arguments) for definition in definitions)


def _not_a_literal(text: str, position: int) -> str:
    word = re.compile(r"#?\s*\w+").match(text, position)
    if word is None:
        return "a statement that cannot be read"
    if word[0].startswith("#"):
        return "a statement with text from a macro's argument inside"
    return f"a template made by the macro {word[0]}"


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'", "\n": "", "0": "\0"}


def _value(string: re.Match[str]) -> str:
    return _unescaped(string["plain"]) if string["raw"] is None else string["raw"]


def _unescaped(text: str) -> str:
    return re.sub(r"\\(\r\n|[\s\S])", lambda match: _ESCAPES.get(match[1], ""), text)


def _closing(text: str, opening: int) -> int:
    """Return the offset after the parenthesis that closes the one at `opening`.

    Raises:
        Unportable: Nothing closes it.
    """
    depth, position = 0, opening
    special = re.compile(r'[()]|"(?:[^"\\\n]|\\[\s\S])*"|' + r"'(?:[^'\\\n]|\\.)+'" + r"|//[^\n]*|/\*[\s\S]*?\*/")
    while True:
        match = special.search(text, position)
        if match is None:
            raise Unportable("a statement that is not closed")
        position = match.end()
        if match[0] == "(":
            depth += 1
        elif match[0] == ")":
            depth -= 1
            if depth == 0:
                return position


def _in_macro(text: str, offset: int) -> bool:
    """Return whether `offset` is in the body of a #define."""
    start = text.rfind("\n", 0, offset) + 1
    while start > 0 and text[:start].endswith(("\\\n", "\\\r\n")):
        start = text.rfind("\n", 0, start - 1) + 1
    return re.compile(r"[ \t]*#[ \t]*define\b").match(text, start) is not None
