"""Rewrite code that nvcc accepts and clang does not.

Such code is: launches with blanks in their marks, macros that are pragmas, attributes of C++ after `__shared__`, and
types without `typename`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Optional

from .brackets import closing
from .edits import ATTRIBUTE, LAUNCH, PRAGMA, TYPENAME, Edit

if TYPE_CHECKING:
    from .scanner import Layout

# (Text, not compiled patterns: most trees need none of them.)
_OPENING = r"<<\s*<(?!<)"
_MARK = r"[()\[\]{};]|>>\s*>|<<\s*<"
_OPERATOR = r"\boperator\s*\Z"
_ARGUMENTS = r"(?m)\s*(?:\(|$)"

_PRAGMA_MACRO = r"(?m)^[ \t]*#[ \t]*define[ \t]+\w+[ \t]+(#[ \t]*pragma\b[ \t]*([^\\\n/]*[^\\\n/\s]))"


def nvcc_syntax(layout: Layout) -> Iterator[Edit]:
    """Yield the edits of such code. There are none unless `rewrites.has_idioms_without_names`."""
    yield from (Edit(*launch, LAUNCH) for launch in launches_with_blanks(layout))
    yield from pragma_macros(layout)
    yield from attributes_of_shared_memory(layout)
    yield from types_without_typename(layout)


_MARKED_TYPE = r"\btypename\s+(\w+::\w+)"
_UNMARKED_ARGUMENTS = r"<\s*(\w+::\w+)(?=\s*[,>])|,\s*(\w+::\w+)(?=\s*>)"
_CALLED = r"(?<![\w:.>])(\w+::\w+)(?=\s*\()"
_TYPENAME = r"\btypename\s+\Z"
_BASES = r"\b(?:class|struct)\s+\w+[^:;{}()]*:(?!:)([^;{}()]*)\{"


def types_without_typename(layout: Layout) -> Iterator[Edit]:
    """Yield the edits of `f<Traits::Type>()` and `Traits::Type(x)` if the file elsewhere says `typename Traits::Type`.

    As an argument of a template, and called, nvcc takes the name for a type once it knows what Traits is. C++ takes it
    for a value or a function.
    """
    for at in unmarked_types(layout.code_without_literals):
        yield Edit(at, at, "typename ", TYPENAME)


def unmarked_types(code: str) -> Iterator[int]:
    """Yield the start of each type of a template's parameter that needs a `typename`, as another in the code shows."""
    types = {*re.findall(_MARKED_TYPE, code)} if "typename" in code else set()
    for found in re.finditer(_UNMARKED_ARGUMENTS, code) if types else ():
        if found[found.lastindex or 0] in types:
            yield found.start(found.lastindex or 0)
    # A constructor that initializes a base has its name without `typename`.
    bases = {name for listed in re.findall(_BASES, code) for name in types if name in listed} if types else set()
    for found in re.finditer(_CALLED, code) if types - bases else ():
        at = found.start()
        if found[1] in types - bases and not re.compile(_TYPENAME).search(code, max(0, at - 40), at):
            yield at


_QUALIFIER = r"\b__shared__\b"
_ATTRIBUTE = r"[\s\\]*(?:\b(alignas)\s*\(|\[\s*\[)"


def attributes_of_shared_memory(layout: Layout) -> Iterator[Edit]:
    """Yield the edits of `__shared__ alignas(16)` and `__shared__ [[maybe_unused]]`.

    In a function, clang takes attributes in C++'s syntax in front of all others only; C's `_Alignas` it takes anywhere.
    """
    code = layout.code_without_literals
    for qualifier in re.finditer(_QUALIFIER, code) if "__shared__" in code else ():
        in_front, end = "", qualifier.end()
        while attribute := re.compile(_ATTRIBUTE).match(code, end):
            if attribute[1]:
                yield Edit(*attribute.span(1), "_Alignas", ATTRIBUTE)
                end = closing(code, attribute.end() - 1) + 1
            else:
                begin, end = end, closing(code, code.index("[", end)) + 1
                in_front += layout.text[begin:end].strip() + " "
                yield Edit(begin, end, "", ATTRIBUTE)
        if in_front:
            yield Edit(*qualifier.span(), f"{in_front}__shared__", ATTRIBUTE)


def pragma_macros(layout: Layout) -> Iterator[Edit]:
    """Yield the edits of macros that are a pragma: nvcc obeys it where C++ has only _Pragma."""
    for macro in re.finditer(_PRAGMA_MACRO, layout.text):
        if layout.begins_in_code(macro.start(1)):
            words = macro[2].replace("\\", "\\\\").replace('"', '\\"')
            yield Edit(macro.start(1), macro.end(2), f'_Pragma("{words}")', PRAGMA)


_SAVED_MACRO = r'\b(?:push|pop)_macro[ \t]*\([ \t]*\\?"(\w+)\\?"'


def saved_macros(layout: Layout, lookup: Callable[[str], Optional[str]]) -> Iterator[Edit]:
    """Yield the edits of macros' names in `#pragma push_macro("NAME")`, which are ported as the macros are."""
    for saved in re.finditer(_SAVED_MACRO, layout.code) if "_macro" in layout.text else ():
        new = lookup(saved[1])
        if new is not None:
            yield Edit(*saved.span(1), new, PRAGMA)


def launches_with_blanks(layout: Layout) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, replacement) for the beginnings and the ends of launches that hold blanks."""
    code = layout.code_without_literals
    for opening in re.finditer(_OPENING, code):
        if re.compile(_OPERATOR).search(code, max(0, opening.start() - 40), opening.start()):
            continue
        closing = _end_of_configuration(code, opening.end())
        if closing is not None:
            for (start, end), mark in ((opening.span(), "<<<"), (closing, ">>>")):
                if end - start > len(mark):
                    yield start, end, mark


def _end_of_configuration(code: str, start: int) -> Optional[tuple[int, int]]:
    """Return where the `>>>` of the configuration that begins at `start` is; None if it is no configuration."""
    depth = 0
    for mark in re.compile(_MARK).finditer(code, start):
        if mark[0] in ("(", "[", "{"):
            depth += 1
        elif mark[0] in (")", "]", "}"):
            depth -= 1
            if depth < 0:
                return None
        elif mark[0] == ";" and depth == 0:
            return None
        elif mark[0][0] == ">" and depth == 0 and re.compile(_ARGUMENTS).match(code, mark.end()):
            return mark.span()
        elif mark[0][0] == "<" and depth == 0:
            return None
    return None
