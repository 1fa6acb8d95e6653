"""C++ that was written before C++20, where a compiler for C++20 reads it otherwise.

PyTorch's headers need C++20 by now; most CUDA code was written for C++14 or 17. Two things of the language can be
carried over by rewriting them where they stand:

- `u8"text"` was an array of char and is one of char8_t. Without the prefix it is what it was, for both compilers take
  UTF-8. A file that names char8_t or a type made of it was written for C++20, and is left alone.
- `requires`, `concept`, `consteval` and `constinit` were identifiers and are keywords. Where one stands as C++20 never
  writes it, all of its places in that file get another name.

What C++20 added to <math.h> is held back by a header of musa_build's (cxx_headers), not here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .identifiers import Vocabulary
from .scanner import Layout

_LITERALS = {"u8": "", "u8R": "R"}
_CXX20_TYPES = frozenset({"char8_t", "u8string", "u8string_view", "u8streampos"})
# keyword -> the characters that follow it as an identifier, and never as a keyword
_AFTER_IDENTIFIER = {
    "requires": "=,;)]}.?+*/%|^&<>-",
    "concept": "=,;)]}.?+*/%|^&<>-(",
    "consteval": "=,;)]}.?+*/%|^&<>-(",
    "constinit": "=,;)]}.?+*/%|^&<>-(",
}
_MEMBER = re.compile(r"(?:\.|->)[ \t]*\Z")
OLDER_CXX_WORDS = frozenset((*_LITERALS, *_AFTER_IDENTIFIER))
OLDER_CXX_COMPANY = _CXX20_TYPES


class Rewrite(NamedTuple):
    """`text[start:end]` becomes `replacement`."""

    start: int
    end: int
    replacement: str


def rewrites(text: str, words: frozenset[str], vocabulary: Vocabulary, layout: Layout) -> Iterator[Rewrite]:
    """What has to change in a text with these relevant `words`."""
    if words.isdisjoint(_CXX20_TYPES):
        for word in words & _LITERALS.keys():
            for start in vocabulary.places(word):
                end = start + len(word)
                if text[end : end + 1] in ('"', "'") and layout.is_plain_code(start, end):
                    yield Rewrite(start, end, _LITERALS[word])
    for word in words & _AFTER_IDENTIFIER.keys():
        places = [at for at in vocabulary.places(word) if layout.is_plain_code(at, at + len(word))]
        if any(_is_identifier(text, at, word) for at in places):
            yield from (Rewrite(at, at + len(word), f"{word}_cxx17") for at in places)


def _is_identifier(text: str, start: int, word: str) -> bool:
    following = text[start + len(word) : start + len(word) + 80].lstrip()
    if following and following[0] in _AFTER_IDENTIFIER[word]:
        return True
    return _MEMBER.search(text, max(0, start - 20), start) is not None
