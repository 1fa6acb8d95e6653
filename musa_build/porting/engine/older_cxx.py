"""C++ from before C++20 that C++20 reads differently.

PyTorch's headers need C++20; most CUDA code was written for C++14 or 17. Two language changes are undone by a local
rewrite:

- `u8"text"` was an array of char and is one of char8_t. Without the prefix it is an array of char again; both compilers
  read UTF-8. A file that names char8_t or a type made of it was written for C++20 and is not changed.
- `requires`, `concept`, `consteval` and `constinit` were identifiers and are keywords. If a file uses one as C++20
  never does, it is renamed in all of that file.

A header of musa_build (toolchain/cxx_headers) hides what C++20 added to <math.h>.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .identifiers import IdentifierIndex
    from .scanner import Layout

_LITERALS = {"u8": "", "u8R": "R"}
CXX20_IDENTIFIERS = frozenset({"char8_t", "u8string", "u8string_view", "u8streampos"})
# keyword -> the characters that may follow it as an identifier, but never as a keyword
_AFTER_IDENTIFIER = {
    "requires": "=,;)]}.?+*/%|^&<>-",
    "concept": "=,;)]}.?+*/%|^&<>-(",
    "consteval": "=,;)]}.?+*/%|^&<>-(",
    "constinit": "=,;)]}.?+*/%|^&<>-(",
}
_MEMBER = re.compile(r"(?:\.|->)[ \t]*\Z")
OLDER_CXX_IDENTIFIERS = frozenset((*_LITERALS, *_AFTER_IDENTIFIER))


def rewrites(identifiers: frozenset[str], index: IdentifierIndex, layout: Layout) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, replacement) for the rewrites of a text with these relevant `identifiers`."""
    if identifiers.isdisjoint(CXX20_IDENTIFIERS):
        for prefix in identifiers & _LITERALS.keys():
            for start in index.offsets(prefix):
                end = start + len(prefix)
                if layout.text[end : end + 1] in ('"', "'") and layout.is_plain_code(start, end):
                    yield start, end, _LITERALS[prefix]
    for keyword in identifiers & _AFTER_IDENTIFIER.keys():
        length = len(keyword)
        offsets = [at for at in index.offsets(keyword) if layout.is_plain_code(at, at + length)]
        if any(_is_identifier(layout.code, at, keyword) for at in offsets):
            yield from ((at, at + length, f"{keyword}_cxx17") for at in offsets)


def _is_identifier(text: str, start: int, keyword: str) -> bool:
    following = text[start + len(keyword) : start + len(keyword) + 80].lstrip()
    if following and following[0] in _AFTER_IDENTIFIER[keyword]:
        return True
    return _MEMBER.search(text, max(0, start - 20), start) is not None
