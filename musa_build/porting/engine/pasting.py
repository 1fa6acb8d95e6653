"""Names that the preprocessor puts together: `cublas##T##gemm`, `JOIN(cuda, GetLastError)`, `"cuda" #name`.

No rule finds such a name. So each is put together here as the preprocessor would, with the arguments of the calls in
the same text. If the result is a name of CUDA, its first piece is ported. If the result is unknown, that is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Optional

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex
    from .scanner import Layout

Lookup = Callable[[str], Optional[str]]

_PREFIXES = frozenset(
    {
        *("cu", "cuda", "__cuda", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusolverDn", "cusparse"),
        *("cudnn", "nccl", "nvrtc", "nvtx"),
    }
)


class Pasting(NamedTuple):
    """A piece of a pasted name, `text[start:end]`: its `replacement`, or a `message` why it has none."""

    start: int
    end: int
    replacement: str = ""
    message: str = ""


class _Piece(NamedTuple):
    text: str
    start: int


class _Macro(NamedTuple):
    """A function-like macro, and the chains of pieces that its body pastes together."""

    parameters: Sequence[str]
    chains: Sequence[Sequence[_Piece]]


class _Call(NamedTuple):
    name: str
    arguments: Sequence[_Piece]


# (Text, not compiled patterns: most trees need few of them.)
DEFINE = r"(?m)#[ \t]*define[ \t]+(\w+)\(([^()\n]*)\)(.*)$"
_WORD_MACRO = r"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\w+)[ \t]*$"
_CALL = r"\b(\w+)\s*\("
_CHAIN = r"\w+(?:\s*##\s*\w+)+"
_DEFINED = r"#[ \t]*define[ \t]+\Z"
_OPENING, _FOLLOWED = r"\s*\(", r"\s*,"
_CALLING = r"\b(\w+)\s*\(\s*\Z"
_JOINING = r"(?i)\w*(?:CAT|PASTE|JOIN|GLUE)\w*"
_WORD_BEFORE = r"\w+\s*\Z"
_STRING = r'"([A-Za-z_]+)"[ \t]*#[ \t]*\w+'


def pastings(layout: Layout, prefixes: frozenset[str], index: IdentifierIndex, lookup: Lookup) -> Iterator[Pasting]:
    """Yield the pieces that matter.

    `prefixes` are beginnings of names of CUDA in the text; `lookup` maps a complete name to its new name, or to
    None if it is not CUDA's.
    """
    macros: Mapping[str, _Macro] = {}
    if layout.pastes:
        code = layout.code_without_literals
        macros = _macros(code)
        words = dict(re.findall(_WORD_MACRO, code))
        for name, macro in macros.items():
            chains = [chain for chain in macro.chains if _may_begin(chain[0].text, macro.parameters)]
            calls = [_call(name, code, at) for at in (index.offsets(name) if chains else ())]
            for chain in chains:
                known = [call for call in calls if call is not None]
                if chain[0].text in macro.parameters:
                    yield from _of_calls(chain, macro, known, lookup)
                    yield from _of_words(chain, macro, known, lookup, words)
                else:
                    yield from _of_macro(chain, macro, known, lookup)
            yield from _left_behind(name, macro, code, index, lookup)
    for prefix in prefixes:
        for at in index.offsets(prefix):
            call = _call_with(layout, at, at + len(prefix))
            if call is not None and call.name not in macros:
                yield from _of_unknown(call, lookup)
            string = re.compile(_STRING).match(layout.code, at - 1) if layout.text[at - 1 : at] == '"' else None
            if string is not None:
                message = f"{string[0]} becomes a string with a name of CUDA; strings are not ported"
                yield Pasting(*string.span(), message=message)


def _may_begin(text: str, parameters: Sequence[str]) -> bool:
    return text in parameters or text.lower().startswith(("cu", "nccl", "nvrtc", "nvtx"))


def _macros(code: str) -> Mapping[str, _Macro]:
    """Return the macros that paste, themselves or by another macro of the same text."""
    defines = [
        (define, list(_chains(code, *define.span(3))), list(re.compile(_CALL).finditer(code, *define.span(3))))
        for define in re.compile(DEFINE).finditer(code)
    ]
    macros: dict[str, _Macro] = {}
    for _ in range(3):  # CAT(a, b) calls CAT_2(a, b), which calls CAT_3(a, b)
        for define, own, calls in defines:
            chains = [*own]
            for call in [call for call in calls if call[1] in macros and call[1] != define[1]]:
                given = dict(zip(macros[call[1]].parameters, arguments(code, call.end())))
                chains += [[given.get(piece.text, piece) for piece in chain] for chain in macros[call[1]].chains]
            if chains:
                parameters = [parameter.strip() for parameter in define[2].split(",")]
                macros[define[1]] = _Macro(parameters, chains)
    return macros


def _chains(code: str, start: int, end: int) -> Iterator[list[_Piece]]:
    """Yield the pieces that `##` joins between `start` and `end`, beginning at each operator: words are many."""
    at = code.find("##", start, end)
    while at >= 0:
        word = re.compile(_WORD_BEFORE).search(code, max(start, at - 80), at)
        chain = None if word is None else re.compile(_CHAIN).match(code, word.start(), end)
        if chain is not None:
            yield _pieces(chain)
        at = code.find("##", at + 2 if chain is None else chain.end(), end)


def _pieces(chain: re.Match[str]) -> list[_Piece]:
    return [_Piece(word[0], chain.start() + word.start()) for word in re.finditer(r"\w+", chain[0])]


def _call(name: str, code: str, at: int) -> Optional[_Call]:
    """Return the call of the macro `name` at the offset `at`; None for its definition, or if it is no call."""
    opening = re.compile(_OPENING).match(code, at + len(name)) if code.startswith(name, at) else None
    if opening is None or re.compile(_DEFINED).search(code, max(0, at - 40), at):
        return None
    return _Call(name, arguments(code, opening.end()))


def _call_with(layout: Layout, start: int, end: int) -> Optional[_Call]:
    """Return the call of which `layout.text[start:end]` is the first of several arguments."""
    if not layout.is_plain_code(start, end) or not re.compile(_FOLLOWED).match(layout.code, end):
        return None
    before = re.compile(_CALLING).search(layout.code, max(0, start - 100), start)
    if before is None:
        return None
    return _Call(before[1], arguments(layout.code_without_literals, before.end()))


def arguments(code: str, start: int) -> list[_Piece]:
    """Return the arguments of a call whose parenthesis opens before `start`."""
    arguments, depth, begin = [], 0, start
    for mark in re.compile(r"[(),]").finditer(code, start):
        if mark[0] == "(":
            depth += 1
        elif mark[0] == ")" and depth:
            depth -= 1
        elif depth == 0:
            argument = code[begin : mark.start()]
            arguments.append(_Piece(argument.strip(), begin + len(argument) - len(argument.lstrip())))
            begin = mark.end()
            if mark[0] == ")":
                break
    return arguments


def _first_of(pieces: Sequence[str], lookup: Lookup) -> Optional[str]:
    """Return the new text of the first of `pieces` when the name that they make is ported."""
    name, rest = "".join(pieces), "".join(pieces[1:])
    new = lookup(name) if re.fullmatch(r"\w+", name) else None
    return new[: len(new) - len(rest)] if new is not None and new.endswith(rest) else None


def _of_macro(chain: Sequence[_Piece], macro: _Macro, calls: Sequence[_Call], lookup: Lookup) -> Iterator[Pasting]:
    """Yield the first piece of `chain`, which the macro itself holds."""
    first = chain[0]
    texts = [[_given(piece, macro, call) for piece in chain] for call in calls]
    texts.append(["X" if piece.text in macro.parameters else piece.text for piece in chain])
    for pieces in texts:
        new = _first_of(pieces, lookup)
        if new is not None:
            yield Pasting(first.start, first.start + len(first.text), new)
            return
    if first.text in _PREFIXES:
        message = f"{'##'.join(piece.text for piece in chain)} may become a name of CUDA where this macro is used"
        yield Pasting(first.start, first.start + len(first.text), message=message)


def _of_calls(chain: Sequence[_Piece], macro: _Macro, calls: Sequence[_Call], lookup: Lookup) -> Iterator[Pasting]:
    """Yield the arguments of `calls` that are the first piece of `chain`."""
    index = list(macro.parameters).index(chain[0].text)
    for call in calls:
        new = _first_of([_given(piece, macro, call) for piece in chain], lookup)
        if new is not None and index < len(call.arguments):
            argument = call.arguments[index]
            yield Pasting(argument.start, argument.start + len(argument.text), new)


def _of_words(
    chain: Sequence[_Piece], macro: _Macro, calls: Sequence[_Call], lookup: Lookup, words: Mapping[str, str]
) -> Iterator[Pasting]:
    """Yield the first argument of the `calls` that is a macro for a word, with which the chain is a name of CUDA."""
    said: set[str] = set()
    index = list(macro.parameters).index(chain[0].text)
    for call in calls:
        pieces = [_given(piece, macro, call) for piece in chain]
        name = "".join(words.get(piece, piece) for piece in pieces)
        new = lookup(name) if pieces[0] in words and pieces[0] not in said else None
        if new is not None and index < len(call.arguments):
            said.add(pieces[0])
            argument = call.arguments[index]
            message = f"{call.name} makes {name} of it, which is {new} on MUSA: {pieces[0]} must be another word there"
            yield Pasting(argument.start, argument.start + len(argument.text), message=message)


def _left_behind(name: str, macro: _Macro, code: str, index: IdentifierIndex, lookup: Lookup) -> Iterator[Pasting]:
    """Yield the ported arguments from which the macro makes a package's own name that the text has elsewhere, too."""
    chains = [chain for chain in macro.chains if any(piece.text in macro.parameters for piece in chain[1:])]
    for call in (_call(name, code, at) for at in (index.offsets(name) if chains else ())):
        new = {} if call is None else {each.text: lookup(each.text) for each in call.arguments}
        for chain in chains if call is not None and any(new.values()) else ():
            assert call is not None
            pieces = [_given(piece, macro, call) for piece in chain]
            old, made = "".join(pieces), "".join(new.get(piece) or piece for piece in pieces)
            argument = next((each for each in call.arguments if new[each.text] and each.text in pieces[1:]), None)
            if argument is not None and old != made and lookup(old) is None and index.offsets(old):
                message = f"{name} makes the name {old} of this one, and {made} in the port: rename {old} too"
                yield Pasting(argument.start, argument.start + len(argument.text), message=message)
                break


def _of_unknown(call: _Call, lookup: Lookup) -> Iterator[Pasting]:
    """Yield the first argument of the call of a macro that is defined elsewhere, and may paste."""
    first, *others = call.arguments
    name = first.text + "".join(other.text for other in others[:1])
    if not others or others[0].text.isupper() or lookup(name) is None:
        return
    end = first.start + len(first.text)
    new = _first_of([argument.text for argument in call.arguments], lookup)
    if new is not None and re.compile(_JOINING).fullmatch(call.name):
        yield Pasting(first.start, end, new)
    elif call.name.isupper():
        message = f"{call.name} may join {first.text} and {others[0].text} to a name of CUDA"
        yield Pasting(first.start, end, message=message)


def _given(piece: _Piece, macro: _Macro, call: _Call) -> str:
    """Return the text of `piece` in `call`."""
    given = dict(zip(macro.parameters, call.arguments))
    return given[piece.text].text if piece.text in given else piece.text
