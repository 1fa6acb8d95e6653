"""The identifiers of a text, found at memory speed.

The set of a file's identifiers decides whether porting has anything to do: every rule, guard and hazard names
identifiers without which it cannot apply. Most files of a tree hold none of them and are never scanned. One table
look-up per byte and a split cost about a tenth of what a regular expression over identifiers does.

Numbers count as identifiers here: a hazard may be about `32`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

# A byte of a UTF-8 identifier counts as part of the identifier, so that a rule never cuts one in two.
IDENTIFIER = re.compile(r"[0-9A-Za-z_\x80-\xff]+")

_IN_IDENTIFIER = frozenset(chr(code) for code in range(256) if IDENTIFIER.match(chr(code)))
_ONLY_IDENTIFIERS = bytes(code if chr(code) in _IN_IDENTIFIER else 0x20 for code in range(256))


class IdentifierIndex:
    """The identifiers of one text, also those in comments and literals, and their offsets.

    Nothing is searched twice, however many rules ask. All identifiers that contain "cuda", or "CUDA", are searched at
    once: nearly every identifier that porting is about contains one of the two.
    """

    def __init__(self, content: bytes) -> None:
        self._text = b" %b " % _without_escapes(content).translate(
            _ONLY_IDENTIFIERS
        )  # so every identifier has a blank on both sides
        self._known: dict[str, dict[str, list[int]]] = {}

    @cached_property
    def identifiers(self) -> Sequence[bytes]:
        """Every identifier, once per occurrence."""
        return self._text.split()

    def offsets(self, identifier: str) -> Sequence[int]:
        """Return the offsets of `identifier` in the text, in order."""
        part = "cuda" if "cuda" in identifier else "CUDA" if "CUDA" in identifier else identifier
        known = self._known.get(part)
        if known is None:
            known = self._known[part] = self._containing(part)
        return known.get(identifier, ())

    def _containing(self, part: str) -> dict[str, list[int]]:
        """Return each identifier that contains `part`, with its offsets."""
        text, wanted = self._text, part.encode("latin-1")
        offsets: dict[str, list[int]] = {}
        at = text.find(wanted)
        while at >= 0:
            start, end = text.rfind(b" ", 0, at), text.find(b" ", at)
            # The offset of the blank before it is its offset in the text, which has no blank before its first byte.
            offsets.setdefault(text[start + 1 : end].decode("latin-1"), []).append(start)
            at = text.find(wanted, max(end, at + 1))  # a name that begins with a blank is found there
        return offsets


# In a literal, `\nnvcc` is the word nvcc, and `c\x75da` is cuda. (In `\\n` the second character begins nothing.)
_LETTER = re.compile(rb"\\[abefnrtv\\]")
_NUMBER = rb"\\(?:x0*([0-9A-Fa-f]{2})(?![0-9A-Fa-f])|u00([0-9A-Fa-f]{2})|U000000([0-9A-Fa-f]{2})|([0-7]{3}))"
_NUMBERED_WORD = re.compile(rb"(?<!\w)\w*(?:" + re.sub(rb"\((?!\?)", b"(?:", _NUMBER) + rb"\w*)+")
_NUMBERS = re.compile(_NUMBER)


def _without_escapes(content: bytes) -> bytes:
    """Return the content without escapes: each word ends where its spelling does."""
    if b"\\" not in content:
        return content
    content = _LETTER.sub(b"  ", content)
    return _NUMBERED_WORD.sub(lambda word: _NUMBERS.sub(_character, word[0]).rjust(len(word[0])), content)


def _character(escape: re.Match[bytes]) -> bytes:
    hexadecimal = escape[1] or escape[2] or escape[3]
    return bytes([int(escape[4], 8) & 255 if hexadecimal is None else int(hexadecimal, 16)])


def occurrences(text: str, find: str) -> Iterator[int]:
    """Yield the offsets of `find` in `text`, at identifier borders wherever its own edge is part of an identifier.

    So `cu` is not found in `Accumulate`, but `.cuh` is found in `a.cuh`. Occurrences do not overlap.
    """
    length = len(find)
    starts_inside, ends_inside = find[0] in _IN_IDENTIFIER, find[-1] in _IN_IDENTIFIER
    start = text.find(find)
    while start >= 0:
        end = start + length
        cut = (starts_inside and start and text[start - 1] in _IN_IDENTIFIER) or (
            ends_inside and end < len(text) and text[end] in _IN_IDENTIFIER
        )
        if not cut:
            yield start
        start = text.find(find, start + 1 if cut else end)
