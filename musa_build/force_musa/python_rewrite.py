"""Rewrite Python modules that name CUDA's device so that they name MUSA's. Pure: text in, text out.

It changes only what would take a wrong branch, or name a device that does not exist:

    tensor.is_cuda           tensor.is_musa
    tensor.cuda()            tensor.musa()
    torch.cuda.stream        torch.musa.stream
    "cuda", "cuda:0"         "musa", "musa:0"       (whole strings; no other text)
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_DEVICE = re.compile(r"""(?P<open>[bBuUrR]{0,2}(?P<quote>["']))cuda(?P<rest>(?::\d+)?(?P=quote))""")
_IGNORED = (tokenize.NL, tokenize.COMMENT)


class _Edit(NamedTuple):
    """Replace the text between two positions (line, column) by `text`. A tuple, because edits are sorted."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def for_musa(text: str) -> str:
    """Return the text of a module for MUSA; unchanged if it does not name CUDA, or is not Python."""
    if "cuda" not in text:
        return text
    try:
        tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in _IGNORED]
    except (tokenize.TokenError, SyntaxError):
        return text
    lines = io.StringIO(text).readlines()  # as the tokenizer reads; splitlines() splits at form feeds too
    for edit in sorted(_edits(tokens), reverse=True):
        # No token that is edited spans lines.
        line = lines[edit.start[0] - 1]
        lines[edit.start[0] - 1] = line[: edit.start[1]] + edit.text + line[edit.end[1] :]
    return "".join(lines)


def _edits(tokens: Sequence[tokenize.TokenInfo]) -> Iterator[_Edit]:
    strings = [token.string for token in tokens]
    for at, token in enumerate(tokens):
        if token.type == tokenize.STRING:
            found = _DEVICE.fullmatch(token.string)
            if found:
                yield _Edit(token.start, token.end, f"{found['open']}musa{found['rest']}")
        elif token.type != tokenize.NAME or at == 0 or strings[at - 1] != ".":
            continue
        elif token.string == "is_cuda":
            yield _Edit(token.start, token.end, "is_musa")
        elif token.string == "cuda":
            yield from _module_or_method(tokens, strings, at)


def _module_or_method(tokens: Sequence[tokenize.TokenInfo], strings: Sequence[str], at: int) -> Iterator[_Edit]:
    """Yield the edit of the `.cuda` at `at` if it is torch's, or a method that moves a tensor or module."""
    token = tokens[at]
    if strings[at - 2 : at] == ["torch", "."]:
        if strings[at - 3] not in ("import", "from"):  # these name modules, and torch_musa has its own
            yield _Edit(token.start, token.end, "musa")
    elif strings[at + 1] == "(":
        yield _Edit(token.start, token.end, "musa")
