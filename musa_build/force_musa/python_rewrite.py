"""Rewrite Python modules that name CUDA's device so that they name MUSA's. Pure: text in, text out.

It changes only what would take a wrong branch, or name a device that does not exist:

    tensor.is_cuda           tensor.is_musa
    tensor.cuda()            tensor.musa()
    torch.cuda.stream        torch.musa.stream
    "cuda", "cuda:0"         "musa", "musa:0"       (whole strings; no other text)

TorchScript knows the members of a tensor that PyTorch itself has, and torch_musa's are none of them. So in classes and
functions under `@torch.jit.script`, `tensor.is_cuda` asks for the name of the device, and `.cuda()` stays: it may be a
method of the package. A tensor's then raises an error when it is called.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_DEVICE = re.compile(r"""(?P<open>[bBuUrR]{0,2}(?P<quote>["']))cuda(?P<rest>(?::\d+)?(?P=quote))""")
_SCRIPT = ["@", "torch", ".", "jit", ".", "script"]
_IN_SCRIPT = 'device.type.startswith("musa")'
_IGNORED = (tokenize.NL, tokenize.COMMENT)


class _Edit(NamedTuple):
    """Replace the text between two positions (line, column) by `text`. A tuple, because edits are sorted."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def module_for_musa(content: bytes) -> bytes:
    """Return the content of a module's file for MUSA; unchanged if it is not Python: a template, or Python 2."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = content.decode(encoding)
    except (SyntaxError, UnicodeDecodeError):
        return content
    return for_musa(text).encode(encoding)


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
    scripts = _torch_scripts(tokens, strings)
    for at, token in enumerate(tokens):
        if token.type == tokenize.STRING:
            found = _DEVICE.fullmatch(token.string)
            if found:
                yield _Edit(token.start, token.end, f"{found['open']}musa{found['rest']}")
        elif token.type != tokenize.NAME or at == 0 or strings[at - 1] != ".":
            continue
        elif token.string == "is_cuda":
            if strings[at + 1] != "(":  # a tensor's is no method
                yield _Edit(token.start, token.end, _IN_SCRIPT if _is_within(at, scripts) else "is_musa")
        elif token.string == "cuda" and not (_is_within(at, scripts) and strings[at + 1] == "("):
            yield from _module_or_method(tokens, strings, at)


def _torch_scripts(tokens: Sequence[tokenize.TokenInfo], strings: Sequence[str]) -> list[range]:
    """Return the tokens of each class and function that is compiled to TorchScript."""
    found = []
    for at in range(len(tokens) - len(_SCRIPT)):
        if strings[at : at + len(_SCRIPT)] != _SCRIPT:
            continue
        depth, end = 0, at
        for end in range(at, len(tokens)):
            depth += (tokens[end].type == tokenize.INDENT) - (tokens[end].type == tokenize.DEDENT)
            if tokens[end].type == tokenize.DEDENT and depth <= 0:
                break
        found.append(range(at, end + 1))
    return found


def _is_within(at: int, scripts: Sequence[range]) -> bool:
    return any(at in script for script in scripts)


def _module_or_method(tokens: Sequence[tokenize.TokenInfo], strings: Sequence[str], at: int) -> Iterator[_Edit]:
    """Yield the edit of the `.cuda` at `at` if it is torch's, or a method that moves a tensor or module."""
    token = tokens[at]
    if strings[at - 2 : at] == ["torch", "."]:
        if strings[at - 3] not in ("import", "from"):  # these name modules, and torch_musa has its own
            yield _Edit(token.start, token.end, "musa")
    elif strings[at + 1] == "(":
        yield _Edit(token.start, token.end, "musa")
