"""Rewrite code that nvcc accepts and clang does not.

Such code is: launches with blanks in their marks, macros that are pragmas, attributes of C++ after `__shared__`, types
without `typename`, and constexpr functions that are called from the other side (`--expt-relaxed-constexpr`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Optional

from .brackets import closing
from .edits import ATTRIBUTE, LAUNCH, PRAGMA, RELAXED_CONSTEXPR, TYPENAME, Edit

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
    yield from functions_of_one_side(layout)


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


_SIDES = {"__device__": "__host__", "__host__": "__device__"}
_INLINE = frozenset({"inline", "__inline__", "__inline", "__forceinline__", "__noinline__"})
_SPECIFIERS = frozenset({"constexpr", "static", "friend", "explicit", "virtual", *_INLINE, *_SIDES})
_ONE_WORD = r"[A-Za-z_]\w*"
_BEFORE = rf"(?:{_ONE_WORD}\s+)*\Z"
_SIDE_MACRO = rf"(?m)^[ \t]*#[ \t]*define[ \t]+({_ONE_WORD})[ \t]+((?:{_ONE_WORD}[ \t]+)*{_ONE_WORD}[ \t]*)$"
_LAMBDA = r"[^\]]\]\s*\Z"
_DIRECTIVE = r"(?m)^[ \t]*#(?:[^\\\n]|\\(?s:.))*"
#: as far as the specifiers of a function reach
_REACH = 120


def functions_of_one_side(layout: Layout) -> Iterator[Edit]:
    """Yield the edits that make `__device__ constexpr` and `__host__ constexpr` functions those of both sides.

    With `--expt-relaxed-constexpr`, which PyTorch passes, the other side may call them. clang gives both sides only to
    those with neither attribute. If a macro of the file has the attribute, the macro is changed, because it may have
    another text for a host compiler. It is not changed if it could be a variable's.
    """
    for start, end, side in sorted({*one_sided_constexpr(layout.code_without_literals)}):
        yield Edit(start, end, f"{_SIDES[side]} {side}", RELAXED_CONSTEXPR)


def one_sided_constexpr(code: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, side): the word that gives constexpr functions their only side, and which this is.

    Functions that the file declares with one side and without constexpr as well stay: a specialization, say.
    """
    if "constexpr" not in code or ("__device__" not in code and "__host__" not in code):
        return
    macros = {each[1]: each for each in re.finditer(_SIDE_MACRO, code) if not _SIDES.keys().isdisjoint(each[2].split())}
    code = re.sub(_DIRECTIVE, lambda found: " " * len(found[0]), code)
    near = re.compile("|".join(rf"\b{name}\b" for name in (*_SIDES, *macros)))
    others: Optional[set[str]] = None
    of_functions: set[str] = set()  # macros
    for found in re.finditer(r"\bconstexpr\b", code):
        start, end = found.span()
        if not near.search(code, max(0, start - _REACH), end + _REACH):
            continue
        words = _specifiers(code, start, end, macros)
        sides = [side for word in words for side in _sides_of(word, macros)]
        name = _function_name(code, words[-1][1]) if len({side for _, _, side in sides}) == 1 else ""
        if not name or re.compile(_LAMBDA).search(code, max(0, words[0][0] - _REACH), words[0][0]):
            continue
        others = _with_one_side_alone(code) if others is None else others
        macro = next((word[2] for word in words if word[2] in macros), "")
        if macro:
            of_functions.add(macro)
        elif name not in others:
            yield sides[0]
    for macro in sorted(of_functions):
        declared = {_function_name(code, use.end()) for use in re.finditer(rf"\b{macro}\b", code)}
        if declared.isdisjoint({"", *(others or ())}):  # "": a variable, or not known
            yield from _sides_of((0, 0, macro), macros)[:1]


def _specifiers(code: str, start: int, end: int, macros: dict[str, re.Match[str]]) -> list[tuple[int, int, str]]:
    """Return the specifiers around the `constexpr` that is there."""
    left = re.compile(_BEFORE).search(code, max(0, start - _REACH), start)
    words = [*_words(code, left.start() if left else start, start)]
    words = [*words[len(words) - _count_from_the_end(words, macros) :], (start, end, "constexpr")]
    for word in _words(code, end, min(len(code), end + _REACH)):
        if code[end : word[0]].strip() or not _is_specifier(word[2], macros):
            break
        words, end = [*words, word], word[1]
    return words


def _sides_of(word: tuple[int, int, str], macros: dict[str, re.Match[str]]) -> list[tuple[int, int, str]]:
    """Return the attributes for a side that a word is, or that its macro has."""
    macro = macros.get(word[2])
    found = [word] if macro is None else [*_words(macro.string, *macro.span(2))]
    return [each for each in found if each[2] in _SIDES]


def _with_one_side_alone(code: str) -> set[str]:
    """Return the names of functions that are declared with one side and without constexpr."""
    found = set()
    for each in re.finditer(r"\b__(?:device|host)__\b", code):
        begin = max(code.rfind(mark, 0, each.start()) for mark in ";{}") + 1
        name = _function_name(code, each.end())
        close = code.find("(", each.end())
        words = {word[2] for word in _words(code, begin, close if close >= 0 else len(code))} if name else set()
        if name and "constexpr" not in words and not _SIDES.keys() <= words:
            found.add(name)
    return found


def _words(code: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    return ((*word.span(), word[0]) for word in re.compile(_ONE_WORD).finditer(code, start, end))


def _count_from_the_end(words: list[tuple[int, int, str]], macros: dict[str, re.Match[str]]) -> int:
    count = 0
    while count < len(words) and _is_specifier(words[-1 - count][2], macros):
        count += 1
    return count


def _is_specifier(word: str, macros: dict[str, re.Match[str]]) -> bool:
    if word not in macros:
        return word in _SPECIFIERS
    words = set(macros[word][2].split())
    return words <= _SPECIFIERS and not words.isdisjoint(_INLINE)


_NAME = r"(?:\boperator\s*(?:\(\s*\)|[^\s\w(]+|[\w:\s*&]+)|([A-Za-z_]\w*)\s*(?:<[^;{}()]*>)?)\s*\Z"
_NO_PARAMETERS = r"\b(?:decltype|__attribute__|alignas|__align__|__launch_bounds__)\s*\Z"


def _function_name(code: str, end: int) -> str:
    """Return the name of the function whose return type begins at `end`; "" for a variable."""
    depth, at, stop = 0, end, min(len(code), end + 4 * _REACH)
    while at < stop:
        mark = re.compile(r"[<>(=;{\[}]").search(code, at, stop)
        if mark is None:
            return ""
        at = mark.end()
        if mark[0] == "(" and re.compile(_NO_PARAMETERS).search(code, end, mark.start()):
            at = closing(code, mark.start()) + 1
        elif mark[0] == "<" and not _is_operator(code, mark.start()):
            depth += 1
        elif mark[0] == ">" and not _is_operator(code, mark.start()):
            depth -= depth > 0
        elif not depth and mark[0] == "(":
            name = re.compile(_NAME).search(code, end, mark.start())
            return "" if name is None or code[mark.end() : mark.end() + 1] in ("*", "&") else name[1] or name[0]
        elif not depth and not _is_operator(code, mark.start()):
            return ""
    return ""


def _is_operator(code: str, at: int) -> bool:
    return re.compile(r"\boperator\s*[-+*/%&|^!=<>\[\]]*\Z").search(code, max(0, at - 20), at) is not None


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
