"""Find definitions that bridge CUDA and MUSA: `#define cudaFree musaFree`, or a function cudaFree with musaFree in it.

Renaming would make each of them define a name by itself: an error, or a function that calls itself for ever. So the
port depends on where the definition is:

- Outside of named namespaces and classes it keeps its name, and the rest of the code uses MUSA's directly.
- In a namespace or a class it is renamed like its uses, and names MUSA's own by `::`.
- A variable in a function keeps its name to the end of its block. A parameter is renamed, and its default names `::`.
- A pointer to a function is a variable, also where it gets its value later: `cudaFree = musaFree;`.
- A function or variable musaX that is defined by cudaX cannot be right on MUSA: the definition is left and reported.

A macro musaX or an alias musaX for cudaX may name itself, and is ported like any other code.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Optional

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex
    from .scanner import Layout

Range = tuple[int, int]


class Bridge(NamedTuple):
    """A definition at `offset`: the ranges that must not be ported, and the offsets at which to insert `::`."""

    offset: int
    is_warning: bool
    message: str
    kept: Sequence[Range] = ()
    qualified: Sequence[int] = ()


class _Definition(NamedTuple):
    """The definition of a name at `name`: its `body`, and its full extent (`whole`)."""

    kind: str
    name: Range
    body: Range
    whole: Range
    parameters: str = ""


def bridges(
    layout: Layout, identifiers: frozenset[str], index: IdentifierIndex, renames: Mapping[str, str]
) -> Iterator[Bridge]:
    """Yield the definitions of a name of CUDA by its counterpart, and the reverse. `renames` has the counterparts."""
    for cuda in sorted(identifiers & renames.keys()):
        musa = renames[cuda]
        if musa in identifiers:
            reader = _Reader(layout, index)
            kept = [bridge for bridge in map(reader.bridge, *_each(reader.offsets(cuda), cuda, musa)) if bridge]
            yield from kept
            if any(bridge.kept and reader.is_global(bridge.offset) for bridge in kept):
                offsets = {bridge.offset for bridge in kept}
                yield from (bridge for bridge in reader.declarations(cuda) if bridge.offset not in offsets)
            yield from reader.assignments(cuda, musa)
            for offset in reader.offsets(musa):
                yield from reader.reversed_bridge(offset, musa, cuda)


def _each(offsets: Sequence[int], cuda: str, musa: str) -> tuple[Sequence[int], Sequence[str], Sequence[str]]:
    return offsets, [cuda] * len(offsets), [musa] * len(offsets)


_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+")
_NO_TYPE = frozenset(
    {
        *("return", "else", "do", "case", "goto", "throw", "new", "delete"),
        *("typename", "namespace", "struct", "class", "union", "enum"),
    }
)
_DECLARED = re.compile(r"(?:(?P<word>\w+)|(?:\w|>)\s*[*&]+(?:\s*const)?|(?<!-)>|\]\]|::)\s*\Z")
_QUALIFIED = re.compile(r"(?:\b\w+::\s*)+\Z")
_OF_EXPRESSION = re.compile(r"\)[\s*&]*(?:const\s*)?\Z")  # decltype(&musaFree)
_TYPE_OF = re.compile(r"\b(?:decltype|__typeof__|typeof|__attribute__|__declspec|alignas)\s*\Z")
_POINTER = re.compile(r"\(\s*(?:\w+\s*::\s*)*[*&]+\s*(?:const\b\s*|volatile\b\s*)*\Z")  # musaError_t (*cudaFree)(void*)
_POINTED = re.compile(r"\s*(?:\[[^\]]*\]\s*)*\)\s*(?=\()")
_INITIALISER = re.compile(r"[({]\s*&?\s*\w+\s*[)}]\s*[,{]")  # of a member, in a constructor
_OF_LIST = re.compile(r"(?<!:)[:,]\s*\Z")
_FIRST_OF_MANY = re.compile(
    r"\s*(?:(?:static|extern|inline|const|thread_local)\s+)*[A-Za-z_][\w:]*(?:<[^;()]*>)?[\s*&]+\w+\s*[=,]"
)
_TO_VALUE = re.compile(r"(?:\s|noexcept|const|->[^;={}]*)*(?==|\{|;)")
_NAME = re.compile(r"\(\s*&?\s*(?:::\s*)?\w+\s*\)\s*;")
_TO_BODY = re.compile(r"[^;{}=]*\{")
_OF_SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum)\b[^()]*\Z")
_TRANSPARENT = re.compile(r"(?:\bextern|\bnamespace)\s*\Z|\benum\b(?!\s+(?:class|struct)\b)[^()]*\Z")
_CLOSING = {"(": ")", "{": "}", "[": "]"}


class _Reader:
    """Reads definitions in one text."""

    def __init__(self, layout: Layout, index: IdentifierIndex) -> None:
        self._code = layout.code_without_literals
        self._layout = layout
        self._index = index

    def offsets(self, name: str) -> Sequence[int]:
        """Return the offsets of `name` in code."""
        return [at for at in self._index.offsets(name) if self._layout.is_plain_code(at, at + len(name))]

    def bridge(self, at: int, cuda: str, musa: str) -> Optional[Bridge]:
        """Return the definition of `cuda` at the offset `at`, if it is one and `musa` is part of its body."""
        found = self._definition(at, cuda)
        if found is None or not self._words(musa, found.body):
            return None
        scope, block_end = self._scope(at)
        if found.kind == "macro" or (found.kind == "alias" and scope == "global"):
            return Bridge(at, *self._judged(found, cuda, musa), kept=[found.whole])
        if scope == "block" and found.kind == "variable":
            message = f"{cuda} is a variable of its own here, as {musa} is; it was kept"
            kept = [(each, each + len(cuda)) for each in self.offsets(cuda) if at <= each < block_end]
            return Bridge(at, False, message, kept)
        if scope == "global" and found.kind != "parameter":
            return Bridge(at, *self._judged(found, cuda, musa), kept=[found.name])
        message = f"{cuda} is defined by {musa} here; it became {musa}, defined by ::{musa}"
        return Bridge(at, False, message, qualified=self._unqualified(musa, found.body))

    def assignments(self, cuda: str, musa: str) -> Iterator[Bridge]:
        """Yield the assignments of `musa` to a variable `cuda`, and the definition of that variable."""
        offsets = self.offsets(cuda)
        found = [(at, self._value(at, cuda)) for at in offsets]
        assigned = [(at, value) for at, value in found if value is not None and self._words(musa, value)]
        variables = [at for at in offsets if assigned and self._is_variable(at, cuda)]
        is_global = any(self._scope(at)[0] == "global" for at in variables)
        for at, value in assigned if variables else ():
            if is_global:
                yield Bridge(at, False, f"{cuda} is a variable of its own here; it was kept", [(at, at + len(cuda))])
            else:
                message = f"{cuda} is set to {musa} here; it became {musa}, set to ::{musa}"
                yield Bridge(at, False, message, qualified=self._unqualified(musa, value or (0, 0)))
        types = [at for at in offsets if re.search(r"\bdecltype\s*\(\s*\Z", self._code[max(0, at - 20) : at])]
        for at in [*variables, *types] if is_global else ():
            yield Bridge(at, False, f"{cuda} is a variable of its own here; it was kept", [(at, at + len(cuda))])

    def _value(self, at: int, name: str) -> Optional[Range]:
        """Return the range of the value that is assigned to the variable at `at`, unless this is its definition."""
        code, following = self._code, self._after(at + len(name))
        is_assigned = code[following] == "=" and code[following + 1 : following + 2] != "="
        if not is_assigned or self._definition(at, name) is not None:
            return None
        end = code.find(";", following)
        return (following, len(code) if end < 0 else end)

    def _is_variable(self, at: int, cuda: str) -> bool:
        """Return whether the name at `at` is a variable that is declared there."""
        found = self._definition(at, cuda)
        if found is not None:
            return found.kind == "variable"
        is_plain = self._code[self._after(at + len(cuda))] in ";,"
        return (is_plain and self._is_declared(at)) or self._value_of_pointer(at, at + len(cuda)) is not None

    def reversed_bridge(self, at: int, musa: str, cuda: str) -> Iterator[Bridge]:
        """Yield the definition of `musa` at the offset `at`, if it is one and `cuda` is part of its body."""
        found = self._definition(at, musa)
        if found is None or found.kind in ("macro", "alias"):
            return
        inside = self._words(cuda, found.body)
        if not inside:
            return
        if self._scope(at)[0] == "named":
            message = f"{musa} is defined by {cuda} here; it is now defined by ::{musa}"
            yield Bridge(at, False, message, qualified=self._unqualified(cuda, found.body))
        else:
            message = f"{musa} is defined by {cuda}, which MUSA does not have; remove this definition"
            yield Bridge(at, True, message, [(each, each + len(cuda)) for each in inside])

    def is_global(self, at: int) -> bool:
        """Return whether `at` is outside of functions, classes and named namespaces."""
        return self._scope(at)[0] == "global"

    def declarations(self, name: str) -> Iterator[Bridge]:
        """Yield the declarations of a function that keeps its name."""
        for at in self.offsets(name):
            end = self._code.find(";", at)
            opening = self._after(at + len(name))
            is_qualified = self._code[:at].rstrip().endswith("::")
            if self._is_variable(at, name):
                yield Bridge(at, False, f"a declaration of {name}, which was kept", [(at, at + len(name))])
            elif not is_qualified and self._is_declared(at) and self._code[opening] == "(" and end >= 0:
                rest = self._code[self._closing(opening) + 1 : end]
                if not re.search(r"[{}=(]", rest):
                    yield Bridge(at, False, f"a declaration of {name}, which was kept", [(at, at + len(name))])

    def _judged(self, found: _Definition, cuda: str, musa: str) -> tuple[bool, str]:
        if self._only_forwards(found, musa):
            return False, f"this gives the CUDA name {cuda} to {musa}; it was kept"
        return True, f"this {cuda} does more than {musa}; it was kept, but ported code calls {musa} instead"

    def _only_forwards(self, found: _Definition, musa: str) -> bool:
        body = self._code[slice(*found.body)].strip()
        if found.kind in ("alias", "variable"):
            return True
        if not found.parameters:
            return re.fullmatch(rf"[( \t]*(?:::\s*)?{musa}[) \t]*", body) is not None
        call = re.fullmatch(rf"[{{( \t\n]*(?:return\b)?[( \t\n]*(?:::\s*)?{musa}\s*\((.*?)\)[);}}\s]*", body, re.DOTALL)
        return call is not None and _names(call[1]) == _names(found.parameters)

    def _definition(self, at: int, name: str) -> Optional[_Definition]:
        code, end = self._code, at + len(name)
        line = code.rfind("\n", 0, at) + 1
        define = _DEFINE.match(code, line)
        if define is not None and define.end() == at:
            stop = code.find("\n", at)
            stop = len(code) if stop < 0 else stop
            begin = self._closing(end) + 1 if code[end : end + 1] == "(" else end
            return _Definition("macro", (at, end), (begin, stop), (line, stop), code[end + 1 : begin - 1])
        following = self._after(end)
        begin = max(code.rfind(mark, 0, at) for mark in ";{}") + 1
        statement = code[begin:at]
        if re.search(r"\busing\s+\Z", statement) and code[following] == "=":
            return self._statement("alias", at, end, begin + statement.rfind("using"), following + 1)
        if re.search(r"\btypedef\b", statement) and code[following] == ";":
            start = begin + statement.rfind("typedef")
            return _Definition("alias", (at, end), (start, at), (start, following + 1))
        if code[following] == "(" and self._is_declared(at):
            closing = self._closing(following)
            opening = _TO_BODY.match(code, closing + 1)
            if opening is not None:
                body = (opening.end() - 1, self._closing(opening.end() - 1) + 1)
                return _Definition("function", (at, end), body, (begin, body[1]), code[following + 1 : closing])
            if _NAME.match(code, following):  # auto cudaFree(&musaFree);
                return _Definition("variable", (at, end), (following, closing), (begin, closing + 2))
        if _OF_LIST.search(code, max(0, at - 50), at) and _INITIALISER.match(code, following):
            return _Definition("parameter", (at, end), (following, self._closing(following)), (at, end))
        pointer = self._value_of_pointer(at, end)
        if pointer is not None:
            return self._statement("variable", at, end, begin, pointer)
        is_set = code[following] in "{[" or (code[following] == "=" and code[following + 1 : following + 2] != "=")
        if is_set and (self._is_declared(at) or self._is_enumerator(at)):
            return self._statement("variable", at, end, begin, following)
        return None

    def _statement(self, kind: str, at: int, end: int, start: int, body: int) -> Optional[_Definition]:
        """Return the definition up to the `;` (or the `,` or `}` of an enumerator) that ends it."""
        position = body
        while position < len(self._code):
            character = self._code[position]
            if character in _CLOSING:
                position = self._closing(position)
            elif character in ";,}":
                stop = position + (character == ";")
                return _Definition(kind, (at, end), (body, position), (start, stop))
            elif character == ")":
                return _Definition("parameter", (at, end), (body, position), (start, position))
            position += 1
        return None

    def _is_declared(self, at: int) -> bool:
        """Return whether something like a type precedes the name at `at`, with the namespaces and classes before it."""
        qualified = _QUALIFIED.search(self._code, max(0, at - 200), at)
        at = at if qualified is None else qualified.start()
        before = _DECLARED.search(self._code, max(0, at - 200), at)
        if before is not None:
            return before["word"] not in _NO_TYPE
        if self._code[:at].rstrip().endswith(","):  # int a, b;
            statement = self._code[max(self._code.rfind(mark, 0, at) for mark in ";{}") + 1 : at]
            return statement.count("(") == statement.count(")") and _FIRST_OF_MANY.match(statement) is not None
        closing = _OF_EXPRESSION.search(self._code, max(0, at - 200), at)
        opening = -1 if closing is None else self._opening(closing.start())
        return opening >= 0 and _TYPE_OF.search(self._code, max(0, opening - 40), opening) is not None

    def _value_of_pointer(self, at: int, end: int) -> Optional[int]:
        """Return the offset behind the declarator of a pointer to a function, `(*name)(void*)`; None if it is none."""
        before, behind = _POINTER.search(self._code, max(0, at - 200), at), _POINTED.match(self._code, end)
        if before is None or behind is None or not self._is_declared(before.start()):
            return None
        value = _TO_VALUE.match(self._code, self._closing(behind.end()) + 1)
        return None if value is None else value.end()

    def _opening(self, closing: int) -> int:
        """Return the offset of the parenthesis that the one at `closing` closes; -1 if none is there."""
        depth = 0
        for at in range(closing, max(-1, closing - 500), -1):
            depth += {")": 1, "(": -1}.get(self._code[at], 0)
            if depth == 0:
                return at
        return -1

    def _is_enumerator(self, at: int) -> bool:
        opening = self._openings(at)
        return self._code[:at].rstrip()[-1:] in "{," and bool(opening) and "enum" in self._head(opening[-1])

    def _scope(self, at: int) -> tuple[str, int]:
        """Return whether `at` is in a `block` of a function, in something `named`, or `global`; and the block's end."""
        openings = self._openings(at)
        heads = [head for head in map(self._head, openings) if not _TRANSPARENT.search(head)]
        if any(not _OF_SCOPE.search(head) for head in heads):
            return "block", self._closing(openings[-1])
        qualified = self._code[:at].rstrip().endswith("::")
        return ("named" if heads or qualified else "global"), len(self._code)

    def _openings(self, at: int) -> list[int]:
        """Return the offsets of the braces that are open at `at`."""
        braces, around = self._braces
        index = bisect_left(braces, at) - 1
        inner = around[index] if index >= 0 else -1
        opened: list[int] = []
        while inner >= 0:
            opened.append(braces[inner])
            inner = around[inner - 1] if inner else -1
        return opened[::-1]

    @cached_property
    def _braces(self) -> tuple[Sequence[int], Sequence[int]]:
        """The offsets of all braces, and for each the number of the innermost one that is open behind it, or -1."""
        offsets: list[int] = []
        around: list[int] = []
        opened: list[int] = []
        for brace in re.finditer(r"[{}]", self._code):
            if brace[0] == "{":
                opened.append(len(offsets))
            elif opened:
                opened.pop()
            offsets.append(brace.start())
            around.append(opened[-1] if opened else -1)
        return offsets, around

    def _head(self, opening: int) -> str:
        begin = max(self._code.rfind(mark, 0, opening) for mark in ";{}") + 1
        return self._code[begin:opening]

    def _closing(self, opening: int) -> int:
        """Return the offset of the bracket that closes the one at `opening`; the end if none does."""
        bracket = self._code[opening]
        depth = 0
        for match in re.compile(rf"[\{bracket}\{_CLOSING[bracket]}]").finditer(self._code, opening):
            depth += 1 if match[0] == bracket else -1
            if depth == 0:
                return match.start()
        return len(self._code)

    def _after(self, offset: int) -> int:
        """Return the offset of the first character after `offset` that is not blank (the last one at the end)."""
        while offset < len(self._code) - 1 and self._code[offset].isspace():
            offset += 1
        return min(offset, len(self._code) - 1)

    def _words(self, name: str, inside: Range) -> list[int]:
        return [at for at in self.offsets(name) if inside[0] <= at < inside[1]]

    def _unqualified(self, name: str, inside: Range) -> list[int]:
        code = self._code
        return [at for at in self._words(name, inside) if not code[:at].rstrip().endswith((":", ".", "->"))]


def _names(items: str) -> list[str]:
    """Return the last name in each of the parameters or arguments `items`: `p` in `void *p` and std::forward<T>(p)."""
    flat = re.sub(r"\bstd\s*::\s*(?:forward|move)\s*(?:<[^()]*>)?", "", items).replace("__VA_ARGS__", "...")
    names = [re.findall(r"\w+|\.\.\.", re.sub(r"=.*|\[.*", "", item)) for item in flat.split(",")]
    return [next((word for word in reversed(words) if word != "..."), "...") if words else "" for words in names]
