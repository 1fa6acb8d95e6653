"""Judge each bare word CUDA that porting leaves: it may be a dispatch key or a device.

Nothing in the file says that it is one (`registrations` ports those keys). It is harmless if the file says what else
it is: an enumerator or a class of its own, a label for people, a part of a longer name that a macro makes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Optional

from .brackets import Range, closing
from .edits import Edit, Remark, Severity
from .pasting import DEFINE, arguments
from .printed import LABELLED, is_printed, prints
from .registrations import ENUMERATION, call_around, is_in_directive, is_qualified, uses_all
from .rewrites import DISPATCH_KEYS

if TYPE_CHECKING:
    from .scanner import Layout

_MAY_REGISTER = re.compile(r"[A-Z0-9_]*(?:LIBRARY|REGISTER|IMPL)[A-Z0-9_]*")
_OF_TYPE = re.compile(r"\s*::|\s+(?!and\b|or\b)[A-Za-z_]|[&*]+\s+\w+\s*[;=,()]")
# They make names of their arguments.
_OF_TESTS = re.compile(r"(?:\w+_)?TEST(?:_[A-Z]+)*|INSTANTIATE_\w+|(?:\w+_)?BENCHMARK(?:_[A-Z]+)*")
_DECLARED = (
    r"#[ \t]*define[ \t]+(?:@\b|\w+\([^()]*\b@\b)|\b(?:class|struct|union|namespace|concept|typename|goto)\s+@\b"
    r"|\busing\s+(?:[\w:]+::\s*)?@\b"
    r"|\b(?!return|else|case|throw|new|delete|and|or|not)\w[\w>]*\b[\s&*]+@\s*[=;,(){\[]|[>&*]\s*@\s*(?:=|;|\{)"
)
_UNSCOPED = re.compile(r"enum\b(?!\s+(?:class|struct)\b)")


class BareKeys:
    """Judges the bare keys of one text, which is searched once for all of them."""

    def __init__(self, layout: Layout, names_devices: bool) -> None:
        """Read `layout`. With `names_devices`, a string "CUDA" may name a device, as in code that uses PyTorch."""
        self._code = layout.code_without_literals
        self._names_devices = names_devices
        self._declared: dict[str, bool] = {}

    def doubtful(self, key: str, offsets: Iterable[int]) -> Mapping[int, Remark]:
        """Return a warning for each `key` at one of the `offsets` that may be a dispatch key or a device.

        Of the word `cuda`, which is no key, only a macro can make a device's name.
        """
        new = key.replace("CUDA", "PrivateUse1") if key in DISPATCH_KEYS else "musa"
        found = {}
        for at in offsets:
            why = self._doubt(key, at) if key in DISPATCH_KEYS else self._spelled(key, at)
            if why is not None:
                message = f"{why}: if that is a dispatch key or a device, no tensor on MUSA has it; write {new}"
                found[at] = Remark(at, "left-over", Severity.WARNING, message)
        return found

    def pasted(self, edits: Iterable[Edit]) -> list[Remark]:
        """Return a warning for each ported key of which a macro makes a name, too."""
        ported = [edit for edit in edits if edit.replacement == "PrivateUse1"]
        found = [(edit.start, names) for edit in ported if (names := self._names_made_of(edit)) is not None]
        message = "the macro makes the name {} of this key, which is {} in the port: give it a definition"
        return [Remark(at, "token-pasting", Severity.WARNING, message.format(*names)) for at, names in found]

    def _doubt(self, key: str, start: int) -> Optional[str]:
        """Return why the `key` at `start` may be a dispatch key although nothing in the same text says so."""
        code, end = self._code, start + len(key)
        called = call_around(code, start, end)
        if called is not None and _MAY_REGISTER.fullmatch(called[0]):
            return f"{called[0]} is given {key} here"
        if is_qualified(code, start) or self._is_enumerator(start):
            return None
        macro = _macro_around(code, start)
        if macro is not None:
            return f"{macro} says {key} wherever it is used"
        if is_in_directive(code, start):
            return None
        if self._uses_all:
            return f"{key} needs no type here"
        if _OF_TYPE.match(code, end) or self._is_declared(key):
            return None
        if called is None:
            return f"{key} is left here"
        is_label = _OF_TESTS.fullmatch(called[0]) or prints(called[0]) or LABELLED.fullmatch(called[0])
        if is_label:
            return None
        return self._spelled(key, start) if self._is_kept_by_macro(start, end) else f"{called[0]} is given {key} here"

    def _spelled(self, word: str, start: int) -> Optional[str]:
        """Return why the `word` at `start` may name a device: a macro of the same text makes a string of it."""
        define, number = self._macro_given(start, start + len(word))
        if define is None or not self._names_devices:
            return None
        call = self._code.rfind(define[1], 0, start), self._code.find(")", start) + 1
        if all(is_printed(self._code, made[0]) for made in self._strings_of(define, number, call)):
            return None
        return f'{define[1]} makes the string "{word}" of it'

    def _strings_of(self, define: re.Match[str], number: int, call: Range, depth: int = 3) -> Iterator[Range]:
        """Yield where a macro makes a string of its argument, itself or by another macro that gets the argument.

        If the string is all that the macro is, that is at its `call`.
        """
        code, name, body = self._code, _parameters(define)[number], define[3].strip(" \t()")
        for spelled in re.compile(rf"(?<!#)#\s*{re.escape(name)}\b").finditer(code, *define.span(3)):
            yield call if body == spelled[0].strip() else spelled.span()
        for inner in re.compile(r"\b(\w+)\s*\(").finditer(code, *define.span(3)) if depth else ():
            other, end = self._macros.get(inner[1]), closing(code, inner.end() - 1) + 1
            is_all = body == code[inner.start() : end].strip(" \t()")
            for at, given in enumerate(arguments(code, inner.end())):
                if other is not None and given.text == name and at < len(_parameters(other)):
                    yield from self._strings_of(other, at, call if is_all else (inner.start(), end), depth - 1)

    def _is_kept_by_macro(self, start: int, end: int) -> bool:
        """Return whether a macro of the same text makes only strings and longer or qualified names of the word."""
        define, number = self._macro_given(start, end)
        if define is None:
            return False
        name = re.escape(_parameters(define)[number])
        rest = re.sub(rf"#\s*{name}\b|\b{name}\s*##|\b\w+\s*::\s*{name}\b", " ", define[3])
        return re.search(rf"\b{name}\b", rest) is None

    def _names_made_of(self, edit: Edit) -> Optional[tuple[str, str]]:
        """Return the name that a macro makes of a key by pasting, before and after the `edit` of the key."""
        word = re.compile(r"\w*\Z").search(self._code, max(0, edit.start - 40), edit.start)
        start = edit.start if word is None else word.start()
        define, number = self._macro_given(start, edit.end)
        if define is None:
            return None
        name = _parameters(define)[number]
        for chain in re.finditer(rf"(?:\w+\s*##\s*)*\b{re.escape(name)}\b(?:\s*##\s*\w+)*", define[3]):
            if "##" in chain[0]:
                pasted = re.sub(r"\s*##\s*", "", re.sub(rf"\b{name}\b", "@", chain[0]))
                key = self._code[start : edit.end]
                return pasted.replace("@", key), pasted.replace("@", key[: edit.start - start] + edit.replacement)
        return None

    def _macro_given(self, start: int, end: int) -> tuple[Optional[re.Match[str]], int]:
        """Return the macro of the same text that gets `code[start:end]` as an argument, and the argument's number."""
        called = call_around(self._code, start, end)
        define = None if called is None else self._macros.get(called[0])
        if called is None or define is None or called[1] >= len(_parameters(define)):
            return None, 0
        return define, called[1]

    @cached_property
    def _uses_all(self) -> bool:
        return uses_all(self._code)

    @cached_property
    def _macros(self) -> Mapping[str, re.Match[str]]:
        return {define[1]: define for define in re.finditer(DEFINE, self._code)}

    @cached_property
    def _enumerations(self) -> list[tuple[int, int]]:
        return [each.span() for each in re.finditer(ENUMERATION, self._code)]

    def _is_enumerator(self, at: int) -> bool:
        number = bisect_right(self._enumerations, (at,)) - 1
        return number >= 0 and at < self._enumerations[number][1]

    def _is_declared(self, key: str) -> bool:
        """Return whether the same text declares `key` itself."""
        if key not in self._declared:
            enumerators = (self._code[slice(*each)] for each in self._enumerations)
            self._declared[key] = re.search(_DECLARED.replace("@", key), self._code) is not None or any(
                _UNSCOPED.match(each) and re.search(rf"\b{key}\b", each) for each in enumerators
            )
        return self._declared[key]


def _parameters(define: re.Match[str]) -> list[str]:
    return [parameter.strip() for parameter in define[2].split(",")]


def _macro_around(code: str, at: int) -> Optional[str]:
    """Return the macro whose replacement has `code[at]`."""
    line = code[code.rfind("\n", 0, at) + 1 : at]
    define = re.match(r"[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^()]*\))?(?=[ \t])", line)
    return None if define is None else define[1]
