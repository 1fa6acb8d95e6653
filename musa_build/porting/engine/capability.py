"""Tests of a device's compute capability: `prop.major < 8`, or of a number made of it.

MUSA's devices report 2.1, 2.2 or 3.1, so a test against NVIDIA's numbers decides something else than its author meant.
Such host code has no pattern of its own. So the search follows the value: the members and attributes of CUDA, the
variables (pairs and structured bindings, too) that get their value from them, the functions and lambdas that return it
or are given it, and functions by their usual names. From each value it goes outwards, bracket by bracket.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex
    from .scanner import Layout

Range = tuple[int, int]

# A file without any of these has no member `major` of a device.
_SOURCES = frozenset(
    {
        *("cudaDeviceProp", "getCurrentDeviceProperties", "getDeviceProperties", "cuDeviceComputeCapability"),
        *("cudaDevAttrComputeCapabilityMajor", "cudaDevAttrComputeCapabilityMinor"),
        *("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR"),
    }
)
# Usual names of variables that hold the number, and of functions that return it.
_USUAL_NAMES = frozenset(
    f"{get}{name}"
    for get in ("", "get_", "get", "Get")
    for name in (
        *("sm_version", "sm_version_num", "sm_arch", "SMVersion", "SmVersion", "smVersion"),
        *("compute_capability", "device_capability", "computeCapability", "ComputeCapability", "DeviceCapability"),
    )
)
CAPABILITY_IDENTIFIERS = _SOURCES | _USUAL_NAMES

MESSAGE = "MUSA's devices have compute capability 2.1, 2.2 or 3.1: a test against NVIDIA's numbers decides otherwise"
_BY_ADDRESS = (
    r"(?:DeviceGetAttribute\s*\(\s*&?\s*(?:\w+\s*(?:\.|->)\s*)*(\w+)\s*(?:\[\w*\]|\+\s*\w+)?\s*,"
    r"\s*\w*(?i:Compute_?Capability)"
    r"|cuDeviceComputeCapability\s*\(\s*&\s*(\w+)\s*,\s*&\s*(\w+))"
)
_VALUE = r"(?:[^;{}=<>!?]|<<|>>|->)*"  # no comparison
_BRACED = rf"\{{?{_VALUE}(?:\w\s*\{{{_VALUE})?"
_TARGET = rf"(?:(\w+)(?:\s*\[\w*\])?|[\[(]([\w\s,]+)[\])])\s*=\s*{_BRACED}\Z"
_INITIALISED = rf"\b(?:pair|tuple|array|auto|int|unsigned|long|size_t)\b\s+(\w+)\s*[({{]{_VALUE}\Z"
_END = r"(?:[^;{}=<>!?]|<<|>>|->)*\}?\s*[;,]"
_RETURNED = rf"\breturn\b\s*{_BRACED}\Z"
_FUNCTION = (
    r"(\w+)\s*\([^(){};]*\)(?:[\w\s:]|->)*\{"
    r"|(\w+)\s*=\s*\[[^\[\]]*\]\s*(?:\([^(){};]*\))?(?:[\w\s:]|->)*\{"
)
_STATEMENTS = frozenset({"if", "for", "while", "switch", "catch"})
_ORDER = r"(?:(?<![-<>])[<>](?![<>])=?|[!=]=)"
_NUMBER = r"\b(?:\d\w*|[A-Z][A-Z0-9_]+|k[A-Z]\w*)\b"
_SEPARATOR = r"[;{},?]|&&|\|\||(?<!:):(?!:)|\breturn\b|\n[ \t]*#[ \t]*\w+"
# Calls whose result is a capability if an argument is one, and calls that compare an argument.
_KEEPING = (
    r"(?:^|\W)(?:std\s*::\s*)?(?:min|max|clamp|make_pair|make_tuple|tie|pair|tuple|array|get|abs|to_string|sto[iu]l*|string"
    r"|int|unsigned|long|float|double|size_t|\w+_cast)\s*\Z"
)
_COMPARING = (
    r"(?:(?:greater|less|equal_to|not_equal_to)\w*\s*(?:[({]\s*[)}])?|\bcmp_\w+"
    r"|(?:\.|->)\s*(?:find|count|at|contains))\s*\Z"
)
_CHECKING = r"(?:\w*_(?:EQ|NE|GE|GT|LE|LT)|\w*(?i:require|least|check|ensure|assert|support|arch|newer|older)\w*)\s*\Z"
_OPENING, _CLOSING = "([{", ")]}"
_STATEMENT, _CONDITION = 2000, 300  # characters that are searched, comments included
_LEVELS = 6  # of brackets around a value


def capability_tests(layout: Layout, identifiers: frozenset[str], index: IdentifierIndex) -> Iterator[int]:
    """Yield the offset of each test of the compute capability, once for each part of a condition.

    `identifiers` has one of CAPABILITY_IDENTIFIERS at least.
    """
    names = set(identifiers & _USUAL_NAMES)
    code = _without_template_arguments(layout.code_without_literals)
    values: set[Range] = set()
    if not identifiers.isdisjoint(_SOURCES):
        values.update(_members(code, index))
        names.update(name for match in re.finditer(_BY_ADDRESS, code) for name in match.groups() if name)
    direct = set(values)  # compared with any other value, they are tested; variables may be something else elsewhere
    for _ in range(3):  # major = prop.major; then version = major * 10 + minor; then f(version)
        values.update(_words(names, code, index))
        names.update(name for value in values for name in _named_by(code, value))
        direct.update(_parameters(code, values, index))
        values |= direct
    values.update(_words(names, code, index))
    reported = -1
    for start, stop in sorted(values):
        condition = _condition(code, start, stop, values, (start, stop) in direct)
        if condition is not None and condition > reported:
            reported = condition
            yield start


def _named_by(code: str, value: Range) -> Iterator[str]:
    """Yield the variables that are set to a value, and the functions that return it."""
    start, stop = value
    if not re.compile(_END).match(code, stop):
        return
    first = max(0, start - _STATEMENT)
    first = max(first, code.rfind(";", first, start))
    assigned = re.compile(_TARGET).search(code, first, start) or re.compile(_INITIALISED).search(code, first, start)
    if assigned is not None:
        names = re.findall(r"\w+", " ".join(filter(None, assigned.groups())))
        yield from names
        yield from _set_by_calls(code, start, names[0])
    elif re.compile(_RETURNED).search(code, first, start):
        function = _function_around(code, start)
        if function is not None:
            yield function[1] or function[2]


def _function_around(code: str, at: int) -> Optional[re.Match[str]]:
    """Return the head of the function or lambda around `code[at]`."""
    found = None
    for function in re.compile(_FUNCTION).finditer(code, max(0, at - _STATEMENT), at):
        if function[1] not in _STATEMENTS and _closing(code, function.end() - 1) > at:
            found = function
    return found


def _set_by_calls(code: str, at: int, name: str) -> Iterator[str]:
    """Yield the variables that calls give to the function around `code[at]`, which sets its parameter `name`."""
    function = _function_around(code, at)
    parameters = re.search(r"\(([^()]*)\)", function[0]) if function is not None and function[1] else None
    for number, parameter in enumerate(parameters[1].split(",") if parameters is not None else ()):
        if function is not None and re.search(rf"[*&]\s*{name}\s*\Z", parameter):
            for call in re.finditer(rf"\b{function[1]}\s*\(([^(){{}};]*)\)\s*[;,)]", code):
                given = call[1].split(",")
                yield from re.findall(r"(\w+)\s*\Z", given[number] if number < len(given) else "")


def _parameters(code: str, values: Iterable[Range], index: IdentifierIndex) -> Iterator[Range]:
    """Yield the uses of the parameters of functions of the same text that are given one of the values."""
    for start, stop in values:
        inside = _bracket_around(code, start, stop)
        callee = None if inside is None else re.compile(r"(\w+)\s*\Z").search(code, max(0, inside[0] - 80), inside[0])
        if inside is None or callee is None or code[inside[0]] != "(":
            continue
        number = _depth_zero(code[inside[0] + 1 : start]).count(",")
        for definition in re.finditer(rf"\b{callee[1]}\s*\(([^(){{}};]*)\)[\w\s]*\{{", code):
            parameters = definition[1].split(",")
            name = re.search(r"(\w+)\s*(?:=.*)?\Z", parameters[number]) if number < len(parameters) else None
            end = _closing(code, definition.end() - 1)
            if name is not None:
                yield from (each for each in _words((name[1],), code, index) if definition.end() <= each[0] < end)


def _condition(code: str, start: int, stop: int, values: set[Range], is_direct: bool) -> Optional[int]:
    """Return where the part of a condition begins that compares the value `code[start:stop]`; None if none does."""
    for _ in range(_LEVELS):
        begin, end = _part_around(code, start, stop)
        for order in re.compile(_ORDER).finditer(code, begin, end):
            if _is_nested(code, begin, order.start()):
                continue
            other = (order.end(), end) if start < order.start() else (begin, order.start())
            text = code[slice(*other)]
            is_value = any(other[0] <= value[0] < other[1] for value in values)
            if not is_value and (is_direct or not text.strip() or re.search(_NUMBER, text)):
                return begin
        inside = _bracket_around(code, start, stop)
        if inside is None:
            return None
        before = code[max(0, inside[0] - 80) : inside[0]].rstrip()
        if re.search(r"\bswitch\Z", before) or re.search(_COMPARING, before):
            return begin
        others = _depth_zero(code[inside[0] + 1 : inside[1] - 1]).split(",")
        if re.search(_CHECKING, before) and any(re.fullmatch(rf"\s*{_NUMBER}\s*", other) for other in others):
            return begin  # CHECK_GE(prop.major, 8)
        opening = code[inside[0]]
        if opening == "[":
            is_table = re.search(r"[\w\])]\Z", before) and not re.search(r"\b(?:auto|return)\Z", before)
            return begin if is_table else None  # table[prop.major]
        if opening == "{" and ";" in code[slice(*inside)]:
            return None
        is_call = re.search(r"[\w>]\Z", before) is not None and not re.search(r"\b(?:return|and|or|not)\Z", before)
        if is_call and not re.search(_KEEPING, before):
            return None
        start, stop = inside[0], inside[1]
    return None


def _part_around(code: str, start: int, stop: int) -> Range:
    """Return the part of an expression around `code[start:stop]`, between brackets and separators."""
    separator = re.compile(_SEPARATOR)
    begin, depth = start, 0
    first = max(0, start - _CONDITION)
    text = code[first:start]
    ends = {match.end(): match.start() for match in separator.finditer(text)}
    for at in range(len(text), 0, -1):
        if depth == 0 and at in ends:
            break
        depth += (text[at - 1] in _CLOSING) - (text[at - 1] in _OPENING)
        if depth < 0:
            break
        begin = first + at - 1
    depth, end = 0, stop
    text = code[stop : stop + _CONDITION]
    starts = {match.start() for match in separator.finditer(text)}
    for at, mark in enumerate(text):
        if depth == 0 and at in starts:
            break
        depth += (mark in _OPENING) - (mark in _CLOSING)
        if depth < 0:
            break
        end = stop + at + 1
    return begin, end


def _bracket_around(code: str, start: int, stop: int) -> Optional[Range]:
    """Return the brackets around `code[start:stop]`."""
    depth = 0
    for at in range(start - 1, max(-1, start - _STATEMENT), -1):
        mark = code[at]
        if mark == ";" and depth == 0:
            return None
        depth += (mark in _CLOSING) - (mark in _OPENING)
        if depth < 0:
            return at, _closing(code, at) + 1
    return None


def _closing(code: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(code)):
        depth += (code[at] in _OPENING) - (code[at] in _CLOSING)
        if depth == 0:
            return at
    return len(code) - 1


def _is_nested(code: str, begin: int, at: int) -> bool:
    return sum((mark in _OPENING) - (mark in _CLOSING) for mark in code[begin:at]) != 0


def _without_template_arguments(code: str) -> str:
    """Return the code with blanks for `<int>` and its like, which are no comparisons."""
    for _ in range(2):  # of the inner one, then of the outer one
        code = re.sub(r"(?<=\w)<[\w:,*\s]*>(?=\s*[\w({:&*>.,)])", lambda found: " " * len(found[0]), code)
    return code


def _depth_zero(text: str) -> str:
    """Return the text outside of brackets."""
    depth, kept = 0, []
    for mark in text:
        depth += mark in _OPENING
        kept.append(mark if depth == 0 else " ")
        depth -= mark in _CLOSING
    return "".join(kept)


def _members(code: str, index: IdentifierIndex) -> Iterator[Range]:
    """Yield the ranges of `.major` and `->minor` in `code`."""
    for start, end in _words(("major", "minor"), code, index):
        first = max(0, start - _STATEMENT)
        before = code[first:start].rstrip()
        if before.endswith((".", "->")):
            yield first + len(before) - 1, end


def _words(names: Iterable[str], code: str, index: IdentifierIndex) -> list[Range]:
    """Return the ranges of `names` in `code`."""
    found = [(at, at + len(name)) for name in names for at in index.offsets(name)]
    return [(start, end) for start, end in found if not code[start].isspace()]  # comments are blanks
