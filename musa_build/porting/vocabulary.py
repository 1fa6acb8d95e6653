"""The words of a text, found at memory speed.

Whether porting has anything to do with a file is decided by the set of its words alone: every rule, guard and hazard
names words without which it cannot apply. Most files of a tree hold none of them and are never scanned. One table
look-up per byte and a split cost about a tenth of what a regular expression over identifiers does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# A byte of a UTF-8 identifier counts as part of a word, so that a rule never cuts one in two.
WORD_CHARS = r"0-9A-Za-z_\x80-\xff"
WORD = re.compile(f"[{WORD_CHARS}]+")

_IN_WORD = frozenset(chr(code) for code in range(256) if WORD.match(chr(code)))
_ONLY_WORDS = bytes(code if chr(code) in _IN_WORD else 0x20 for code in range(256))


class Vocabulary:
    """The words of one text, comments and literals included, and where they stand.

    Each word is looked for once, however many rules ask. Between words there are only blanks here, so that a search
    for the word between two of them passes over all longer words that hold it.
    """

    def __init__(self, content: bytes) -> None:
        self._text = b" %b " % content.translate(_ONLY_WORDS)
        self._places: dict[str, Sequence[int]] = {}

    def words(self) -> set[bytes]:
        """Every word."""
        return set(self._text.split())

    def places(self, word: str) -> Sequence[int]:
        """The offsets at which the text has `word`, in order."""
        known = self._places.get(word)
        if known is None:
            known = self._places[word] = tuple(self._find(f" {word} ".encode("latin-1")))
        return known

    def _find(self, wanted: bytes) -> Iterator[int]:
        text, step = self._text, len(wanted) - 1
        start = text.find(wanted)
        while start >= 0:
            yield start  # of the blank here: of the word in the text, which has none before it
            start = text.find(wanted, start + step)


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
