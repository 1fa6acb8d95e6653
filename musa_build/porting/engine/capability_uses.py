"""The uses of a device's compute capability: a test against a number, a message, or something unseen.

A test is reported at its line. A read is reported too, unless a reported test uses its value, or all uses of the value
are harmless: it is printed, or compared with the capability of another device. The search goes outwards from each
value, bracket by bracket.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Optional

from .brackets import (
    Range,
    bracket_around,
    closing,
    depth_zero,
    function_around,
    is_nested,
    part_around,
    without_template_arguments,
)
from .capability_values import TYPES, Values, hands_on, is_handed_on, is_kept, values_of, words
from .printed import is_printed

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex
    from .scanner import Layout


class Uses(NamedTuple):
    """The offsets of the tests, once for each part of a condition, and of the reads that are to be reported."""

    tests: Sequence[int]
    reads: Sequence[int]


def capability_uses(layout: Layout, identifiers: frozenset[str], index: IdentifierIndex) -> Uses:
    """Return the uses in a text that has one of CAPABILITY_IDENTIFIERS at least."""
    code = without_template_arguments(layout.code_without_literals)
    values = values_of(code, identifiers, index)
    of_devices = sorted(value[0] for value in values.of_devices)
    tests, tested, reported = [], set(), -1
    for value in sorted(values.all):
        condition = _condition(code, *value, of_devices, value in values.direct)
        if condition is not None:
            tested.add(value)
            if condition > reported:
                reported = condition
                tests.append(value[0])
    reader = _Reader(code, values, frozenset(tested), index)
    groups = _neighbours(sorted(values.reads), code)
    unseen = [group for group in groups if not any(map(reader.is_tested, group))]
    reads = [next((read for read in group if not reader.is_harmless(read)), None) for group in unseen]
    return Uses(tests, [read[0] for read in reads if read is not None and layout.is_plain_code(read[0], read[0] + 1)])


def _neighbours(reads: Iterable[Range], code: str) -> list[list[Range]]:
    """Return the reads in groups: a major number and a minor one that follow each other are one thing."""
    groups: list[list[Range]] = []
    for read in reads:
        is_minor = "minor" in code[slice(*read)].lower()
        is_near = groups and len(groups[-1]) == 1 and code.count("\n", groups[-1][0][1], read[0]) <= _NEAR
        if is_near and is_minor != ("minor" in code[slice(*groups[-1][0])].lower()):
            groups[-1].append(read)
        else:
            groups.append([read])
    return groups


_ORDER = r"(?:(?<![-<>])[<>](?![<>])=?|[!=]=)"
_NUMBER = r"\b(?:\d\w*|[A-Z][A-Z0-9_]+|k[A-Z]\w*)\b"
# Calls that compare an argument.
_COMPARING = (
    r"(?:(?:greater|less|equal_to|not_equal_to)\w*\s*(?:[({]\s*[)}])?|\bcmp_\w+"
    r"|(?:\.|->)\s*(?:find|count|at|contains))\s*\Z"
)
_CHECKING = r"(?:\w*_(?:EQ|NE|GE|GT|LE|LT)|\w*(?i:require|least|check|ensure|assert|support|arch|newer|older)\w*)\s*\Z"
_LEVELS = 6  # of brackets around a value
_NEAR = 8  # lines between two reads of one capability


def _condition(code: str, start: int, stop: int, values: Sequence[int], is_direct: bool) -> Optional[int]:
    """Return where the part of a condition begins that compares the value `code[start:stop]`; None if none does."""
    for _ in range(_LEVELS):
        begin, end = part_around(code, start, stop)
        for other in _others(code, start, begin, end):
            text = code[slice(*other)]
            is_value = _any_between(values, *other)
            if not is_value and (is_direct or not text.strip() or re.search(_NUMBER, text)):
                return begin
        inside = bracket_around(code, start)
        if inside is None:
            return None
        before = code[max(0, inside[0] - 80) : inside[0]].rstrip()
        if re.search(r"\bswitch\Z", before) or re.search(_COMPARING, before):
            return begin
        others = depth_zero(code[inside[0] + 1 : inside[1] - 1]).split(",")
        if re.search(_CHECKING, before) and any(re.fullmatch(rf"\s*{_NUMBER}\s*", other) for other in others):
            return begin  # CHECK_GE(prop.major, 8)
        if code[inside[0]] == "[":
            is_table = re.search(r"[\w\])]\Z", before) and not re.search(r"\b(?:auto|return)\Z", before)
            return begin if is_table else None  # table[prop.major]
        if code[inside[0]] == "{" and ";" in code[slice(*inside)]:
            return None
        if not hands_on(before):
            return None
        start, stop = inside[0], inside[1]
    return None


def _any_between(starts: Sequence[int], begin: int, end: int) -> bool:
    """Return whether one of the sorted `starts` is from `begin` on and before `end`."""
    return bisect_left(starts, begin) < bisect_left(starts, end)


def _others(code: str, start: int, begin: int, end: int) -> Iterator[Range]:
    """Yield the operands that the part `code[begin:end]` of a condition compares the value at `start` with."""
    for order in re.compile(_ORDER).finditer(code, begin, end):
        if not is_nested(code, begin, order.start()):
            yield (order.end(), end) if start < order.start() else (begin, order.start())


def _is_result(name: str, head: str) -> bool:
    """Return whether a function's head has a parameter `name` by which the function returns a value."""
    return re.search(rf"[&*]\s*{name}\s*[,)=]|\b{name}\s*\[\w*\]\s*[,)]", head) is not None


_STATEMENT = 2000  # characters of a statement
_DEPTH = 2  # of variables that are set to one another


class _Reader:
    """Follows reads in one text."""

    def __init__(self, code: str, values: Values, tested: frozenset[Range], index: IdentifierIndex) -> None:
        self._code = code
        self._values = values
        self._of_devices = sorted(value[0] for value in values.of_devices)
        self._in_order = sorted(tested)
        self._tested = tested
        self._index = index

    def is_tested(self, read: Range) -> bool:
        """Return whether a reported test uses the value that is read."""
        first = bisect_left(self._in_order, (read[0] - _STATEMENT, 0))
        last = bisect_left(self._in_order, (read[0] + _STATEMENT, 0))
        if any(self._is_same_statement(read, test) for test in self._in_order[first:last]):
            return True
        seen, rest = {read}, [read]
        while rest:
            value = rest.pop()
            if value in self._tested:
                return True
            following = {*self._values.given.get(value, ()), *self._words_of(self._names(value), value)}
            rest += following - seen
            seen |= following
        return False

    def is_harmless(self, read: Range, depth: int = _DEPTH) -> bool:
        """Return whether the value is only printed, or compared with another capability, also by its variables."""
        if re.search(r"\b(?:decltype|sizeof|typeid)\s*\(\s*[\w\s]*\Z", self._code[max(0, read[0] - 80) : read[0]]):
            return True
        if is_printed(self._code, read[0]) or self._is_compared_with_its_kind(read):
            return True
        names = self._names(read)
        function = function_around(self._code, read[0])
        is_in_variables = bool(self._values.reads.get(read)) or is_kept(self._code, read)
        if not names or depth == 0 or function is None or not is_in_variables:
            return False
        block = (function.start(), closing(self._code, function.end() - 1))
        if any(_is_result(name, function[0]) for name in names):
            return False
        return all(self._is_local(name, block) for name in names) and all(
            self.is_harmless(use, depth - 1) for use in self._words_of(names, read) if not self._is_set(use, read)
        )

    def _names(self, value: Range) -> Sequence[str]:
        return (*self._values.reads.get(value, ()), *self._values.names.get(value, ()))

    def _words_of(self, names: Iterable[str], value: Range) -> list[Range]:
        """Return the words of variables that have a value; in its function only, if they are declared there."""
        function = function_around(self._code, value[0])
        block = None if function is None else (function.start(), closing(self._code, function.end() - 1))
        found = []
        for name in names:
            uses = words([name], self._code, self._index)
            if name in ("major", "minor"):
                uses = [use for use in uses if self._may_be_set(use, value)]
            if block is not None and self._is_local(name, block):
                uses = [use for use in uses if block[0] <= use[0] < block[1] and not self._is_member(use[0])]
            found += uses
        return found

    def _may_be_set(self, use: Range, value: Range) -> bool:
        """Return whether the word `major` is the variable that got `value`, and not the member of another object."""
        if not self._is_member(use[0]) or re.compile(r"\s*\(").match(self._code, use[1]):
            return True
        target = re.search(
            r"([\w\]\[>.-]+?)\s*(?:\.|->)\s*\w+\s*=[^;=]*\Z", self._code[max(0, value[0] - 200) : value[0]]
        )
        other = re.search(r"([\w\]\[>.-]+?)\s*(?:\.|->)\s*\Z", self._code[max(0, use[0] - 80) : use[0]])
        return target is not None and other is not None and target[1] == other[1]

    def _is_local(self, name: str, block: Range) -> bool:
        declared = rf"\b{TYPES}(?:[\s&*]*\b{name}\b|[^;(){{}}]*\b{name}\b(?!\s*\())|\bauto\b[\s&]*\[[^\]]*\b{name}\b"
        return re.compile(declared).search(self._code, *block) is not None

    def _is_member(self, at: int) -> bool:
        return self._code[max(0, at - 40) : at].rstrip().endswith((".", "->"))

    def _is_set(self, use: Range, read: Range) -> bool:
        """Return whether a variable is declared or set here, and not used."""
        code = self._code
        if re.compile(r"\s*(?:\[\w*\]\s*)?=(?!=)").match(code, use[1]):
            return True
        before = code[max(0, use[0] - 80) : use[0]]
        if re.search(rf"\b{TYPES}[\s&*]*\Z|\b{TYPES}\b[^;(){{}}]*,[\s&*]*\Z|\bauto\b[\s&]*\[[^\]]*\Z", before):
            return True
        return self._is_same_statement(use, read) and re.search(r"&\s*\Z", before) is not None

    def _is_same_statement(self, one: Range, other: Range) -> bool:
        if abs(one[0] - other[0]) > _STATEMENT:
            return False
        between = self._code[min(one[1], other[1]) : max(one[0], other[0])]
        return re.search(r"[;{}]|\n[ \t]*#", between) is None

    def _is_compared_with_its_kind(self, value: Range) -> bool:
        """Return whether the value is compared with other capabilities alone."""
        start, stop = value
        for _ in range(_LEVELS):
            begin, end = part_around(self._code, start, stop)
            others = list(_others(self._code, start, begin, end))
            if others:
                return all(_any_between(self._of_devices, *other) for other in others)
            inside = bracket_around(self._code, start)
            if inside is None or not is_handed_on(self._code, inside):
                return False
            start, stop = inside
        return False
