"""Names that the preprocessor puts together: `cublas##T##gemm`, `JOIN(cuda, GetLastError)`, `"cuda" #name`.

No rule finds such a name. So each is put together here as the preprocessor would, with the arguments of the calls in
the same text. If the result is a name of CUDA, its first piece is ported. Where that cannot be known, it is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Optional

if TYPE_CHECKING:
    from .scanner import Layout

Lookup = Callable[[str], Optional[str]]

# Beginnings of names of CUDA that code pastes to. `cu` alone could begin anything.
PREFIXES = frozenset(
    {
        *("cuda", "cu", "__cuda", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusolverDn", "cusparse"),
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
    start: int


_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^()\n]*)\)(.*)$", re.MULTILINE)
_CHAIN = re.compile(r"\w+(?:\s*##\s*\w+)+")
_JOINING = re.compile(r"\w*(?:CAT|PASTE|JOIN|GLUE)\w*", re.IGNORECASE)
_STRING = re.compile(r'"([A-Za-z_]+)"[ \t]*#[ \t]*\w+')


def pastings(layout: Layout, identifiers: frozenset[str], lookup: Lookup) -> Iterator[Pasting]:
    """Yield the pieces that matter. `lookup` returns what a whole name becomes, None if it is none of CUDA's."""
    if "##" not in layout.text and identifiers.isdisjoint(PREFIXES):
        return
    code = layout.code_without_literals
    macros = _macros(code)
    calls = _calls(code, macros, identifiers)
    for name, macro in macros.items():
        of_macro = [call for call in calls if call.name == name]
        for chain in macro.chains:
            if chain[0].text in macro.parameters:
                yield from _of_calls(chain, macro, of_macro, lookup)
            else:
                yield from _of_macro(chain, macro, of_macro, lookup)
    for call in calls:
        if call.name not in macros:
            yield from _of_unknown(call, lookup)
    for match in _STRING.finditer(layout.code):
        if match[1] in PREFIXES:
            message = f"{match[0]} becomes a string with a name of CUDA; strings are not ported"
            yield Pasting(*match.span(), message=message)


def _macros(code: str) -> Mapping[str, _Macro]:
    """Return the macros that paste, themselves or by another macro of the same text."""
    defines = list(_DEFINE.finditer(code)) if "##" in code else []
    macros: dict[str, _Macro] = {}
    for _ in range(3):  # CAT(a, b) calls CAT_2(a, b), which calls CAT_3(a, b)
        for define in defines:
            chains = [_pieces(match) for match in _CHAIN.finditer(code, *define.span(3))]
            for call in _calls_of(code, macros.keys() - {define[1]}, *define.span(3)):
                given = dict(zip(macros[call.name].parameters, call.arguments))
                chains += [[given.get(p.text, p) for p in chain] for chain in macros[call.name].chains]
            if chains:
                parameters = [parameter.strip() for parameter in define[2].split(",")]
                macros[define[1]] = _Macro(parameters, chains)
    return macros


def _pieces(chain: re.Match[str]) -> list[_Piece]:
    return [_Piece(word[0], chain.start() + word.start()) for word in re.finditer(r"\w+", chain[0])]


def _calls(code: str, macros: Mapping[str, _Macro], identifiers: frozenset[str]) -> list[_Call]:
    """Return the calls of `macros`, and those of unknown macros to which a prefix is given."""
    found = list(_calls_of(code, macros.keys(), 0, len(code)))
    if not identifiers.isdisjoint(PREFIXES):
        prefixes = "|".join(sorted(PREFIXES & identifiers))
        given = re.compile(rf"\b(\w+)\s*\(\s*(?:{prefixes})\s*,")
        names = {match[1] for match in given.finditer(code)} - macros.keys()
        found += _calls_of(code, names, 0, len(code))
    return found


def _calls_of(code: str, names: Iterable[str], start: int, end: int) -> Iterator[_Call]:
    words = "|".join(map(re.escape, sorted(names)))
    for match in re.finditer(rf"\b({words})\s*\(", code[:end]) if words else ():
        if match.start() >= start and not re.search(r"#[ \t]*define[ \t]+\Z", code[: match.start()][-40:]):
            yield _Call(match[1], _arguments(code, match.end()), match.start())


def _arguments(code: str, start: int) -> list[_Piece]:
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
    """Return what the first of `pieces` becomes when the name that they make is ported."""
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
    if first.text in PREFIXES:
        message = f"{'##'.join(piece.text for piece in chain)} may become a name of CUDA where this macro is used"
        yield Pasting(first.start, first.start + len(first.text), message=message)


def _of_calls(chain: Sequence[_Piece], macro: _Macro, calls: Sequence[_Call], lookup: Lookup) -> Iterator[Pasting]:
    """Yield the arguments of `calls` that are the first piece of `chain`."""
    place = list(macro.parameters).index(chain[0].text)
    for call in calls:
        new = _first_of([_given(piece, macro, call) for piece in chain], lookup)
        if new is not None and place < len(call.arguments):
            argument = call.arguments[place]
            yield Pasting(argument.start, argument.start + len(argument.text), new)


def _of_unknown(call: _Call, lookup: Lookup) -> Iterator[Pasting]:
    """Yield the first argument of the call of a macro that is defined elsewhere, and may paste."""
    first, *others = call.arguments
    name = first.text + "".join(other.text for other in others[:1])
    if not others or others[0].text.isupper() or lookup(name) is None:
        return
    end = first.start + len(first.text)
    new = _first_of([argument.text for argument in call.arguments], lookup)
    if new is not None and _JOINING.fullmatch(call.name):
        yield Pasting(first.start, end, new)
    elif call.name.isupper():
        message = f"{call.name} may join {first.text} and {others[0].text} to a name of CUDA"
        yield Pasting(first.start, end, message=message)


def _given(piece: _Piece, macro: _Macro, call: _Call) -> str:
    """Return the text of `piece` in `call`."""
    given = dict(zip(macro.parameters, call.arguments))
    return given[piece.text].text if piece.text in given else piece.text
