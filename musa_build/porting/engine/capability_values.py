"""Find the values of a text that are a device's compute capability, and the variables that get them.

Such host code has no pattern of its own. So the search follows the value. It begins at CUDA's members and attributes,
and at functions with usual names. From there it goes to the variables (pairs and structured bindings, too) that are set
to the value, and to the functions, lambdas and macros that return it or get it as an argument.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .brackets import STATEMENTS, Range, bracket_around, closing, depth_zero, function_around
from .capability import ASKING, ATTRIBUTES, PROPERTIES, STORING, USUAL_NAMES

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex


class Values(NamedTuple):
    """The values in a text, and the ways between them.

    Attributes:
        direct: The values that are surely a capability. (A variable may be something else elsewhere.)
        all: The direct values, and the words that have their value from another.
        reads: Where the program learns of the capability -> the variables that the read itself sets.
        names: A value -> the variables, functions and macros that have it.
        given: A value -> the words of the parameters that are given it.
        unsure: The ends of members `major` and `minor` of objects that nothing shows to be a device's.
    """

    direct: set[Range]
    all: set[Range]
    reads: Mapping[Range, Sequence[str]]
    names: Mapping[Range, Sequence[str]]
    given: Mapping[Range, Sequence[Range]]
    unsure: frozenset[int]

    @property
    def of_devices(self) -> set[Range]:
        """The values without the members of other objects: `wanted.major` may be a number of NVIDIA's."""
        return {value for value in self.all if value[1] not in self.unsure}


_STATEMENT = 2000
_VALUE = r"(?:[^;{}=<>!?]|<<|>>|->)*"  # no comparison
_BRACED = rf"\{{?{_VALUE}(?:\w\s*\{{{_VALUE})?"
_TARGET = rf"(?:(\w+)(?:\s*\[\w*\])?|[\[(]([\w\s,]+)[\])])\s*=\s*{_BRACED}\Z"
_INITIALISED = rf"\b(?:pair|tuple|array|auto|int|unsigned|long|size_t)\b\s+(\w+)\s*[({{]{_VALUE}\Z"
_END = r"(?:[^;{}=<>!?]|<<|>>|->)*\}?\s*[;,]"
_RETURNED = rf"\breturn\b\s*{_BRACED}\Z"
_DEFINED = r"[ \t]*#[ \t]*define[ \t]+(\w+)"


def values_of(code: str, identifiers: frozenset[str], index: IdentifierIndex) -> Values:
    """Return the values in `code`, a text with blanks for comments, literals and template arguments."""
    names = set(identifiers & USUAL_NAMES)
    objects = _Objects(code)
    is_sure = not identifiers.isdisjoint(PROPERTIES | ATTRIBUTES | STORING)
    members = set(_members(code, index, is_sure, objects))
    reads: dict[Range, Sequence[str]] = dict.fromkeys(members, ())
    reads.update(_attributes(code, identifiers, index))
    reads.update(_stored(code, identifiers, index))
    reads.update(_asked_by_number(code, identifiers, index))
    names.update(name for set_here in reads.values() for name in set_here)
    attributes = {read for read, set_here in reads.items() if not set_here and read not in members}
    direct, known = set(members), members | attributes
    named: dict[Range, Sequence[str]] = {}
    given: dict[Range, Sequence[Range]] = {}
    definitions: dict[str, Sequence[re.Match[str]]] = {}
    for _ in range(3):  # major = prop.major; then version = major * 10 + minor; then f(version)
        known.update(words(names, code, index))
        for value in known - named.keys():
            named[value] = tuple(_named_by(code, _call_of(code, value) if value in attributes else value))
            given[value] = tuple(_parameters(code, value, index, definitions))
            names.update(named[value])
            direct.update(given[value])
        known |= direct
    known.update(words(names, code, index))
    reads.update(dict.fromkeys(_pointers_to_members(code, index), ()))
    unsure = frozenset(end for start, end in members if not objects.is_of_device(_dot(code, start)))
    return Values(direct, known, reads, named, given, unsure)


def words(names: Iterable[str], code: str, index: IdentifierIndex) -> list[Range]:
    """Return the ranges of `names` in `code`."""
    found = [(at, at + len(name)) for name in names for at in index.offsets(name)]
    return [(start, end) for start, end in found if not code[start].isspace()]  # comments are blanks


_RECEIVER = r"(\w+)\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])?[\s)]*\Z"
_OF_DEVICE = r"(?i)prop|dev(?!el)|gpu|cuda|arch|capab|(?:\b|_)(?:sm|cc)(?:\b|_)|card"
_WAY = r"(?:\b\w+(?:\([^()]*\)|\[[^\]]*\])?\s*(?:\.|->|::)\s*)+\w+[^;{}]*\Z"
_CHAIN = 100  # characters of the way to an object
_DECLARED = r"\b([\w:]+)[\s&*]+@\b\s*(?:=([^;{}]*);|[,)])"
_OF_VERSION = r"(?i)\w*(?:ver|version|semver|release)_?\Z"
# 8.0 is 80, 800 or 0x80.
_NUMBER_OF_BOTH = (
    r"major[\s)]*\*\s*10\s*\+|\b10\s*\*\s*[^;,]{0,40}major\b|major[\s)]*<<\s*4"
    r"|major[\s)]*\*\s*100\s*\+[^;]*\*\s*10\b"
)
_COMPARED = r"\s*(?:[<>]=?|[!=]=)\s*(?:[5-9]|1[0-2])(?![\w.])"  # with an NVIDIA card's major number
_NUMBERED = r"[\s\w:<>()]*?(?<!\w)7[56][\s)}]*|[\s\w:]*\{\s*7[56]\s*\}\s*"
_MACRO = r"[ \t]*#[ \t]*define[ \t]+(\w+)\(([^()]*)\)"


def _members(code: str, index: IdentifierIndex, is_sure: bool, objects: _Objects) -> Iterator[Range]:
    """Yield the ranges of `.major` and `->minor` of a device.

    Where the text has no properties of a device (not `is_sure`), the object's name, the formula, a macro's parameter or
    the number that it is compared with has to speak for it.
    """
    for name in ("major", "minor"):
        for start, end in words([name], code, index):
            first = max(0, start - _STATEMENT)
            before = code[first:start].rstrip()
            if not before.endswith((".", "->")):
                continue
            at = first + len(before) - 1
            dot = _dot(code, at)
            called = _object(code, dot)
            if re.match(_OF_VERSION, called) and not re.search(_OF_DEVICE, called):
                continue
            speaks = is_sure or objects.is_of_device(dot) or _is_of_both(code, start, end)
            is_compared = re.compile(_COMPARED).match(code, end) and not objects.is_of_version(called)
            if speaks or is_compared or _is_given(code, dot, called):
                yield at, end


class _Objects:
    """The objects of one text by their names. Each name is searched once: a text may have many members of one."""

    def __init__(self, code: str) -> None:
        self._code = code
        self._of_version: dict[str, bool] = {}
        self._of_device: dict[str, bool] = {}

    def is_of_version(self, name: str) -> bool:
        """Return whether the type of the object `name`, or what it is set to, has a version's name."""
        if name not in self._of_version:
            self._of_version[name] = any(
                re.search("(?i)ver(?:sion|\\b|_)|semver|parse", each) for each in self._declarations(name)
            )
        return self._of_version[name]

    def is_of_device(self, dot: int) -> bool:
        """Return whether the object before `dot`, the way to it, its type or what it is set to has a device's name."""
        name = _object(self._code, dot)
        way = re.compile(_WAY).search(self._code, max(0, dot - _CHAIN), dot)
        if re.search(_OF_DEVICE, name if way is None else way[0]):
            return True
        if name not in self._of_device:
            is_declared = rf"\bcudaDeviceProp\b[\s&*]+(?:const\s+)?(?:\w+\s*,[\s&*]*)*{name}\b"
            self._of_device[name] = (name != "" and re.search(is_declared, self._code) is not None) or any(
                re.search(_OF_DEVICE, each) for each in self._declarations(name)
            )
        return self._of_device[name]

    def _declarations(self, name: str) -> Iterator[str]:
        """Yield the types of the object, and the expressions that are assigned to it."""
        declared = re.compile(_DECLARED.replace("@", name)).finditer(self._code) if name else ()
        return (f"{each[1]} {each[2] or ''}" for each in declared)


def _dot(code: str, at: int) -> int:
    """Return where `.` or `->` begins, which ends at `code[at]`."""
    return at - 1 if code[at] == ">" else at


def _object(code: str, dot: int) -> str:
    """Return the name of the object, or of the function that returns it, whose member follows `dot`."""
    receiver = re.compile(_RECEIVER).search(code, max(0, dot - 200), dot)
    return "" if receiver is None else receiver[1]


def _is_of_both(code: str, start: int, end: int) -> bool:
    """Return whether the formula around `code[start:end]` makes one number of a capability."""
    around = code[max(code.rfind(";", 0, start), start - 80) + 1 : end + 80].partition(";")[0]
    return "minor" in around and re.search(_NUMBER_OF_BOTH, around) is not None


def _is_given(code: str, at: int, name: str) -> bool:
    """Return whether `name` is a parameter of the macro around `code[at]`, which is not about versions."""
    macro = re.match(_MACRO, code[code.rfind("\n", 0, at) + 1 : at])
    parameters = [] if macro is None else re.findall(r"\w+", macro[2])
    return macro is not None and name in parameters and re.search("(?i)version", macro[1]) is None


def _pointers_to_members(code: str, index: IdentifierIndex) -> Iterator[Range]:
    for start, end in words(("major", "minor"), code, index):
        if re.search(r"\bcudaDeviceProp\s*::\s*\Z", code[max(0, start - 60) : start]):
            yield start, end


def _attributes(
    code: str, identifiers: frozenset[str], index: IdentifierIndex
) -> Iterator[tuple[Range, Sequence[str]]]:
    """Yield the uses of the attributes, with the variable that the call sets."""
    for start, end in words(identifiers & ATTRIBUTES, code, index):
        before, behind = code[max(0, start - 60) : start], code[end : end + 20].lstrip()
        if re.search(r"\bcase\s+(?:\w+\s*::\s*)*\Z|#[ \t]*define[ \t]+\Z", before) or re.match(r"=(?!=)", behind):
            continue
        call = _call_around(code, start)
        yield (start, end), _set_by(call[1], (0,)) if call is not None and "GetAttribute" in call[0] else ()


def _stored(code: str, identifiers: frozenset[str], index: IdentifierIndex) -> Iterator[tuple[Range, Sequence[str]]]:
    """Yield the calls of functions that store the numbers, with the variables that they set."""
    for start, end in words(identifiers & STORING, code, index):
        opening = re.compile(r"\s*\(").match(code, end)
        declared = re.search(r"(\w+)[\s*&]+\Z", code[max(0, start - 60) : start])
        if opening is not None and (declared is None or declared[1] in ("return", "else", "do")):
            call = _call_around(code, opening.end())
            yield (start, end), _set_by(call[1] if call is not None else (), (0, 1, 2))


def _asked_by_number(
    code: str, identifiers: frozenset[str], index: IdentifierIndex
) -> Iterator[tuple[Range, Sequence[str]]]:
    """Yield the calls that ask for an attribute by its number, with the variable that they set."""
    for start, end in words(identifiers & ASKING, code, index):
        opening = re.compile(r"\s*\(").match(code, end)
        call = None if opening is None else _call_around(code, opening.end())
        if call is not None and len(call[1]) > 1 and re.fullmatch(_NUMBERED, call[1][1]):
            yield (start, end), _set_by(call[1], (0,))


def _call_around(code: str, start: int) -> tuple[str, Sequence[str]] | None:
    """Return the function with an argument that begins at `start`, and its arguments."""
    inside = bracket_around(code, start)
    called = None if inside is None else re.compile(r"(\w+)\s*\Z").search(code, max(0, inside[0] - 80), inside[0])
    if inside is None or called is None or code[inside[0]] != "(":
        return None
    return called[1], _split(code[inside[0] + 1 : inside[1] - 1])


def _split(arguments: str) -> Sequence[str]:
    at_zero = depth_zero(arguments)
    ends = [at for at, mark in enumerate(at_zero) if mark == ","]
    return [arguments[begin:end] for begin, end in zip([0, *(at + 1 for at in ends)], [*ends, len(arguments)])]


def _set_by(arguments: Sequence[str], numbers: Iterable[int]) -> Sequence[str]:
    """Return the variables whose addresses are the `arguments` with these `numbers`, a single one in any form."""
    given = [arguments[number] for number in numbers if number < len(arguments)]
    stored = [text for text in given if "&" in text or len(given) == 1]
    found = (re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]|\+.*", "", text)) for text in stored)
    return [names[-1] for names in found if names]


def _call_of(code: str, value: Range) -> Range:
    """Return the call that returns the attribute at `value`."""
    inside = bracket_around(code, value[0])
    called = None if inside is None else re.compile(r"(\w+)\s*\Z").search(code, max(0, inside[0] - 80), inside[0])
    return value if inside is None or called is None or code[inside[0]] != "(" else (called.start(), inside[1])


# Calls whose result is a capability if an argument is one.
_KEEPING = (
    r"(?:^|\W)(?:std\s*::\s*)?(?:min|max|clamp|make_pair|make_tuple|tie|pair|tuple|array|get|abs|to_string|sto[iu]l*|string"
    r"|int|unsigned|long|float|double|size_t|\w+_cast)\s*\Z"
)
TYPES = (
    r"(?:auto|u?int\w*|unsigned|long|short|size_t|float|double|bool|char"
    r"|(?:std\s*::\s*)?(?:string|pair|tuple|array|vector)\b)"
)
_LEVELS = 6  # of brackets around a value


def hands_on(before: str) -> bool:
    """Return whether the brackets after `before` have the value of the expression in them."""
    is_call = re.search(r"[\w>]\Z", before) is not None and not re.search(r"\b(?:return|and|or|not)\Z", before)
    return not is_call or re.search(_KEEPING, before) is not None


def is_handed_on(code: str, inside: Range) -> bool:
    """Return whether the value in the brackets `inside` is that of the expression around them, or of a variable."""
    if code[inside[0]] == "[" or ";" in code[slice(*inside)]:
        return False
    before = code[max(0, inside[0] - 80) : inside[0]].rstrip()
    return hands_on(before) or re.search(rf"\b{TYPES}\s+\w+\Z", before) is not None


def is_kept(code: str, value: Range) -> bool:
    """Return whether no call whose result is something else comes between the value and its statement."""
    for _ in range(_LEVELS):
        inside = bracket_around(code, value[0])
        if inside is None or ";" in code[slice(*inside)]:
            return True
        if not is_handed_on(code, inside):
            return False
        value = inside
    return False


def _named_by(code: str, value: Range) -> Iterator[str]:
    """Yield the variables that are set to a value, and the functions and macros that return it."""
    start, stop = value
    macro = re.compile(_DEFINED).match(code, code.rfind("\n", 0, start) + 1)
    if macro is not None and macro.end() < start:
        yield macro[1]
    if not (re.compile(_END).match(code, stop) and is_kept(code, value)):
        return
    first = max(0, start - _STATEMENT)
    first = max(first, code.rfind(";", first, start))
    assigned = re.compile(_TARGET).search(code, first, start) or re.compile(_INITIALISED).search(code, first, start)
    if assigned is not None:
        names = re.findall(r"\w+", " ".join(filter(None, assigned.groups())))
        yield from names
        yield from _set_by_calls(code, start, names[0]) if names else ()  # a["x"] = value: the literal is blank
    elif re.compile(_RETURNED).search(code, first, start):
        function = function_around(code, start)
        if function is not None:
            yield function[1] or function[2]


def _set_by_calls(code: str, at: int, name: str) -> Iterator[str]:
    """Yield the variables that calls give to the function around `code[at]`, which sets its parameter `name`."""
    function = function_around(code, at)
    parameters = re.search(r"\(([^()]*)\)", function[0]) if function is not None and function[1] else None
    for number, parameter in enumerate(parameters[1].split(",") if parameters is not None else ()):
        if function is not None and re.search(rf"[*&]\s*{name}\s*\Z", parameter):
            for call in re.finditer(rf"\b{function[1]}\s*\(([^(){{}};]*)\)\s*[;,)]", code):
                given = call[1].split(",")
                yield from re.findall(r"(\w+)\s*\Z", given[number] if number < len(given) else "")


def _parameters(
    code: str, value: Range, index: IdentifierIndex, definitions: dict[str, Sequence[re.Match[str]]]
) -> Iterator[Range]:
    """Yield the uses of the parameters of functions of the same text that are given the value.

    `definitions` are those found so far.
    """
    start = value[0]
    inside = bracket_around(code, start)
    callee = None if inside is None else re.compile(r"(\w+)\s*\Z").search(code, max(0, inside[0] - 80), inside[0])
    if inside is None or callee is None or code[inside[0]] != "(" or callee[1] in STATEMENTS:
        return
    number = depth_zero(code[inside[0] + 1 : start]).count(",")
    if callee[1] not in definitions:
        definitions[callee[1]] = [*re.finditer(rf"\b{callee[1]}\s*\(([^(){{}};]*)\)[\w\s]*\{{", code)]
    for definition in definitions[callee[1]]:
        parameters = definition[1].split(",")
        name = re.search(r"(\w+)\s*(?:=.*)?\Z", parameters[number]) if number < len(parameters) else None
        end = closing(code, definition.end() - 1)
        if name is not None:
            yield from (each for each in words((name[1],), code, index) if definition.end() <= each[0] < end)
