"""Names of CUDA in Python files that call libraries by ctypes or cffi. Porting copies such files as they are."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from .edits import Finding, Severity
from .named_strings import Lookup, library_name, renamed

_CALLS_LIBRARIES = re.compile(rb"\b(?:import|from)[ \t]+(?:[\w, \t]+[, \t])?(?:ctypes|cffi)\b")
_BARE = re.compile(r"(?:cudart|nvrtc|nvcuda|cublas|cublasLt|cufft|curand|cusolver|cusparse|nccl)")
_LITERAL = re.compile(r"""[rRbBuU]*(?P<quote>'|")(?P<content>[^'"\\\n]*)(?P=quote)""")


def names_in_python(content: bytes, path: str, lookup: Lookup) -> tuple[Finding, ...]:
    """Return one finding for each line with such a name. A text that is no Python is read up to its first error."""
    if not _CALLS_LIBRARIES.search(content):
        return ()
    found: dict[int, Finding] = {}
    for line, message in _names(content, lookup):
        found.setdefault(line, Finding("name-in-string", Severity.WARNING, path, line, message))
    return tuple(found.values())


def _names(content: bytes, lookup: Lookup) -> Iterator[tuple[int, str]]:
    before = ""
    try:
        for token in tokenize.tokenize(io.BytesIO(content).readline):
            if token.type == tokenize.NAME and before == ".":
                new = lookup(token.string)
                if new is not None:
                    yield token.start[0], f"{token.string} is called here by its name: in ported code it is {new}"
            elif token.type == tokenize.STRING:
                yield from ((token.start[0], message) for message in _of_literal(token.string, lookup))
            if token.type not in (tokenize.NL, tokenize.COMMENT):
                before = token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _of_literal(literal: str, lookup: Lookup) -> Iterator[str]:
    match = _LITERAL.fullmatch(literal)
    text = "" if match is None else match["content"]
    library = "" if _BARE.fullmatch(text) else library_name(text)
    if library is not None:
        yield f'"{text}" is a library of CUDA, which MUSA does not have{f": write {library}" if library else ""}'
    elif text and (new := renamed(text, lookup)) is not None:
        yield f'"{text}" is a name of CUDA: in ported code it is {new}'
