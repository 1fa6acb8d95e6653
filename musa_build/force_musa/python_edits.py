"""The edits of python_rewrite.py that need more of a module than one name. Pure.

What PyTorch answers about CUDA is what the build has seen: the version, and the compute capability that the CUDA
toolkit gives to each card (docs/decisions/0058-wheels-have-cudas-numbers.md).
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Optional

from ..porting.engine.announced_cuda import CUDA_ARCHITECTURES, DEFAULT_EMULATED_CUDA

_PLATFORM = re.compile(r"""[bBuUrR]{0,2}(?P<quote>["'])(?:rocm|hip)(?P=quote)""", re.IGNORECASE)
_DISPATCH_KEY = re.compile(r"""(?P<quote>["'])(?P<kind>(?:Autograd|Autocast|Sparse|Quantized|Nested)?)CUDA(?P=quote)""")
_REGISTERING = ("impl", "Library")
_PRIVATE = "_cuda_"
#: The members of PyTorch's streams and events that hold the runtime's own.
HANDLES = ("cuda_stream", "cuda_event")
_OR_ANNOUNCED = ["or", f'"{DEFAULT_EMULATED_CUDA}"']
_OR_ANNOUNCED_NUMBER = ["or", "str", "(", DEFAULT_EMULATED_CUDA, ")"]  # the same without quotes
_ARCHITECTURES = [f'"sm_{cuda // 10}"' for _, cuda in sorted(CUDA_ARCHITECTURES)]


class Edit(NamedTuple):
    """Replace the text between two positions (line, column) by `text`. A tuple, because edits are sorted."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


@dataclass(frozen=True)
class Module:
    """The tokens of a module, or of an expression in an f-string, without comments."""

    tokens: Sequence[tokenize.TokenInfo]
    strings: Sequence[str]
    own_handles: frozenset[str] = frozenset()  # of the whole module
    in_f_string: bool = False  # before Python 3.12, its quotes can't be used inside

    def has_before(self, at: int, wanted: Sequence[str]) -> bool:
        """Return whether these tokens come before the one at `at`."""
        return list(self.strings[max(at - len(wanted), 0) : at]) == list(wanted)

    def has_after(self, at: int, wanted: Sequence[str]) -> bool:
        """Return whether these tokens come after the one at `at`."""
        return list(self.strings[at + 1 : at + 1 + len(wanted)]) == list(wanted)

    def edit(self, at: int, text: str) -> Edit:
        """Return the edit that replaces the token at `at`."""
        return Edit(self.tokens[at].start, self.tokens[at].end, text)


def is_alternative_to_rocm(module: Module, at: int) -> bool:
    """Return whether the string at `at` and "rocm" (or "hip") are the two results of a conditional expression.

    PyTorch's device is "cuda" on both platforms, so that string names a platform.
    """
    strings = module.strings
    if strings[at - 1] == "else":
        other = _at_same_depth(strings, range(at - 2, 0, -1), "if", "else")
        return other is not None and _PLATFORM.fullmatch(strings[other - 1]) is not None
    if strings[at + 1] == "if":
        other = _at_same_depth(strings, range(at + 2, len(strings) - 1), "else", "if")
        return other is not None and _PLATFORM.fullmatch(strings[other + 1]) is not None
    return False


def _at_same_depth(strings: Sequence[str], positions: range, wanted: str, nested: str) -> Optional[int]:
    """Return where `wanted` is in the same expression: not in brackets, and not one that belongs to a `nested`."""
    opening, closing = ("([{", ")]}") if positions.step > 0 else (")]}", "([{")
    depth = inner = 0
    for at in positions:
        text = strings[at]
        if text == "\n":
            return None
        if len(text) == 1:
            depth += (text in opening) - (text in closing)
        if depth < 0:
            return None
        if depth == 0 and text == nested:
            inner += 1
        elif depth == 0 and text == wanted:
            if inner == 0:
                return at
            inner -= 1
    return None


def dispatch_key(module: Module, at: int) -> Iterator[Edit]:
    """Yield the edit of the string at `at` if an operator is registered for this key of PyTorch's dispatcher."""
    found = _DISPATCH_KEY.fullmatch(module.strings[at])
    if found and _call_around(module.strings, at) in _REGISTERING:
        quote = found["quote"]
        yield module.edit(at, f"{quote}{found['kind']}PrivateUse1{quote}")


def _call_around(strings: Sequence[str], at: int) -> str:
    """Return the name of the innermost call that has the token at `at` among its arguments, or in a list of these."""
    depth = 0
    for here in range(at - 1, 0, -1):
        if strings[here] in (")", "]", "}"):
            depth += 1
        elif strings[here] in ("(", "[", "{"):
            if depth == 0 and strings[here] == "(" and strings[here - 1].isidentifier():
                return strings[here - 1]
            depth = max(depth - 1, 0)
        elif strings[here] == "\n":
            break
    return ""


def handle(module: Module, at: int) -> Iterator[Edit]:
    """Yield the edit of the member at `at` of a stream or an event, unless classes of this module have such a name."""
    name = module.strings[at]
    if name not in module.own_handles:
        yield module.edit(at, name.replace("cuda", "musa"))


def own_handles(tokens: Sequence[tokenize.TokenInfo]) -> frozenset[str]:
    """Return the names of HANDLES that classes of a module have as their own."""
    module = Module(tokens, [token.string for token in tokens])
    uses = ((here, text) for here, text in enumerate(module.strings) if text in HANDLES)
    return frozenset(text for here, text in uses if _is_own(module, here))


def _is_own(module: Module, at: int) -> bool:
    """Return whether the name at `at` is that of a method, of an annotated member, or of a member of self or cls."""
    is_member = module.has_before(at, ["self", "."]) or module.has_before(at, ["cls", "."])
    is_annotated = module.has_after(at, [":"]) and not module.strings[at - 1].strip()
    return is_member or is_annotated or module.has_before(at, ["def"]) or module.has_after(at, ["("])


def version(module: Module, at: int) -> Iterator[Edit]:
    """Yield the edits of the torch.version.cuda that ends at `at`, unless it is assigned to, or has them already."""
    if not any(module.has_after(at, words) for words in (["="], _OR_ANNOUNCED, _OR_ANNOUNCED_NUMBER)):
        start, end = module.tokens[at - 4].start, module.tokens[at].end
        default = "".join(_OR_ANNOUNCED_NUMBER[1:]) if module.in_f_string else _OR_ANNOUNCED[1]
        yield Edit(start, start, "(")
        yield Edit(end, end, f" or {default})")


def architecture_answer(module: Module, at: int) -> Iterator[Edit]:
    """Yield the edits of a call of torch.cuda.get_device_capability or get_arch_list; `at` is its `cuda`.

    A capability is given its number of CUDA. The list has all of these numbers: with no kernel of PyTorch's own
    compiled for the device, none is missing. In an f-string the list would need quotes: there, the device answers.
    """
    start = module.tokens[at - 2].start
    if module.has_after(at, [".", "get_arch_list", "(", ")"]) and module.tokens[at + 4].end[0] == start[0]:
        if module.in_f_string:
            return
        yield Edit(start, module.tokens[at + 4].end, f"[{', '.join(_ARCHITECTURES)}]")
    elif module.has_after(at, [".", "get_device_capability", "("]):
        end = _closing(module.strings, at + 3)
        if end is not None:
            yield Edit(start, start, f"(lambda musa: {_capability()})(")
            yield module.edit(at, "musa")
            yield Edit(module.tokens[end].end, module.tokens[end].end, ")")


def _capability() -> str:
    *newer, (_, oldest) = CUDA_ARCHITECTURES
    pairs = [(divmod(musa // 10, 10), divmod(cuda // 10, 10)) for musa, cuda in newer]
    return " else ".join([*(f"{cuda} if musa >= {musa}" for musa, cuda in pairs), f"{divmod(oldest // 10, 10)}"])


def _closing(strings: Sequence[str], opening: int) -> Optional[int]:
    depth = 0
    for at in range(opening, len(strings)):
        depth += (strings[at] in ("(", "[", "{")) - (strings[at] in (")", "]", "}"))
        if depth == 0:
            return at
    return None


def is_private(name: str) -> bool:
    """Return whether PyTorch's C module may have a function of this name for CUDA."""
    return name.startswith(_PRIVATE)


def private_function(module: Module, at: int) -> Iterator[Edit]:
    """Yield the edits of torch._C._cuda_f: torch_musa's _MUSAC has such functions."""
    if module.has_before(at, ["torch", ".", "_C", "."]):
        yield module.edit(at - 2, "musa._MUSAC")
        yield module.edit(at, _of_musa(module.strings[at]))


def import_of_private_functions(module: Module, at: int) -> Iterator[Edit]:
    """Yield the edits of `from torch._C import _cuda_f, _cuda_g as h`, unless it imports other names too."""
    tokens = module.tokens
    edits = [Edit(tokens[at + 1].start, tokens[at + 3].end, "torch_musa._MUSAC")]
    for here in range(at + 5, len(tokens)):
        name = tokens[here].string
        if tokens[here].type == tokenize.NEWLINE:
            yield from edits
            return
        if tokens[here].type != tokenize.NAME or name == "as" or tokens[here - 1].string == "as":
            continue
        if not is_private(name):
            return
        edits.append(module.edit(here, _of_musa(name) + ("" if module.has_after(here, ["as"]) else f" as {name}")))


def _of_musa(private: str) -> str:
    return private.replace("cuda", "musa", 1)
