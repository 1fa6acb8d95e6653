"""Pure: a package's Python modules, where they ask for CUDA's device by name, for MUSA's.

Only what would take a wrong branch or name a device that is not there is changed, and only in the wheel:

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
    """Replace the text between two places (line, column) by `text`."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def for_musa(text: str) -> str:
    """The text of a module for MUSA; the same text where there is nothing to change, or where it is no Python."""
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
    words = [token.string for token in tokens]
    for at, token in enumerate(tokens):
        if token.type == tokenize.STRING:
            found = _DEVICE.fullmatch(token.string)
            if found:
                yield _Edit(token.start, token.end, f"{found['open']}musa{found['rest']}")
        elif token.type != tokenize.NAME or at == 0 or words[at - 1] != ".":
            continue
        elif token.string == "is_cuda":
            yield _Edit(token.start, token.end, "is_musa")
        elif token.string == "cuda":
            yield from _module_or_method(tokens, words, at)


def _module_or_method(tokens: Sequence[tokenize.TokenInfo], words: Sequence[str], at: int) -> Iterator[_Edit]:
    """`.cuda` at `at`: of torch, or of a tensor or module that is moved."""
    token = tokens[at]
    if words[at - 2 : at] == ["torch", "."]:
        if words[at - 3] not in ("import", "from"):  # those name modules, of which torch_musa has its own
            yield _Edit(token.start, token.end, "musa")
    elif words[at + 1] == "(":
        yield _Edit(token.start, token.end, "musa")
