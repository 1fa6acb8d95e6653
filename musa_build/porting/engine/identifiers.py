"""The words of a text, found at memory speed.

Whether porting has anything to do with a file is decided by the set of its words alone: every rule, guard and hazard
names words without which it cannot apply. Most files of a tree hold none of them and are never scanned. One table
look-up per byte and a split cost about a tenth of what a regular expression over identifiers does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

# A byte of a UTF-8 identifier counts as part of a word, so that a rule never cuts one in two.
WORD_CHARS = r"0-9A-Za-z_\x80-\xff"
WORD = re.compile(f"[{WORD_CHARS}]+")

_IN_WORD = frozenset(chr(code) for code in range(256) if WORD.match(chr(code)))
_ONLY_WORDS = bytes(code if chr(code) in _IN_WORD else 0x20 for code in range(256))


class Vocabulary:
    """The words of one text, comments and literals included, and where they stand.

    Nothing is looked for twice, however many rules ask, and all words that hold "cuda", or "CUDA", are looked for at
    once: nearly every word that porting is about holds one of the two.
    """

    def __init__(self, content: bytes) -> None:
        self._text = b" %b " % content.translate(_ONLY_WORDS)  # so every word has a blank on both sides
        self._known: dict[str, dict[str, list[int]]] = {}

    @cached_property
    def words(self) -> Sequence[bytes]:
        """Every word, as often as it stands in the text."""
        return self._text.split()

    def places(self, word: str) -> Sequence[int]:
        """The offsets at which the text has `word`, in order."""
        stem = "cuda" if "cuda" in word else "CUDA" if "CUDA" in word else word
        known = self._known.get(stem)
        if known is None:
            known = self._known[stem] = self._words_with(stem)
        return known.get(word, ())

    def _words_with(self, part: str) -> dict[str, list[int]]:
        """Each word that holds `part`, and where it stands."""
        text, wanted = self._text, part.encode("latin-1")
        places: dict[str, list[int]] = {}
        at = text.find(wanted)
        while at >= 0:
            start, end = text.rfind(b" ", 0, at), text.find(b" ", at)
            # The blank before the word is where the word is in the text, which has no blank before its first character.
            places.setdefault(text[start + 1 : end].decode("latin-1"), []).append(start)
            at = text.find(wanted, end)
        return places


def occurrences(text: str, find: str) -> Iterator[int]:
    """The offsets at which `find` stands in `text`, at identifier borders wherever its own edge is part of a word.

    So `cu` is not found in `Accumulate`, but `.cuh` is found in `a.cuh`. Places do not overlap.
    """
    length = len(find)
    first_in_word, last_in_word = find[0] in _IN_WORD, find[-1] in _IN_WORD
    start = text.find(find)
    while start >= 0:
        end = start + length
        cut = (first_in_word and start and text[start - 1] in _IN_WORD) or (
            last_in_word and end < len(text) and text[end] in _IN_WORD
        )
        if not cut:
            yield start
        start = text.find(find, start + 1 if cut else end)
