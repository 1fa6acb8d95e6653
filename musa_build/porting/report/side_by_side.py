"""Two texts side by side: the lines that differ, with the words that differ, and a few lines around them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

_AROUND = 3
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


class Part(NamedTuple):
    """A piece of a line; `changed` if the other side has something else there."""

    text: str
    changed: bool


class Line(NamedTuple):
    """A line of one side."""

    number: int
    parts: tuple[Part, ...]


class LinePair(NamedTuple):
    """A line of the old text beside one of the new text. A missing line is None; both are None in a gap."""

    before: Optional[Line]
    after: Optional[Line]
    changed: bool


GAP = LinePair(None, None, False)


def side_by_side(before: Sequence[str], after: Sequence[str]) -> Iterator[LinePair]:
    """Yield the line pairs of a comparison of two texts, with `GAP` for long unchanged parts."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for index, group in enumerate(matcher.get_grouped_opcodes(_AROUND)):
        if index:
            yield GAP
        for tag, first, last, other_first, other_last in group:
            if tag == "equal":
                for offset in range(last - first):
                    yield LinePair(
                        _plain(before, first + offset, False), _plain(after, other_first + offset, False), changed=False
                    )
            else:
                yield from _changed(before, range(first, last), after, range(other_first, other_last))


def _changed(before: Sequence[str], left: range, after: Sequence[str], right: range) -> Iterator[LinePair]:
    for offset in range(max(len(left), len(right))):
        old = left[offset] if offset < len(left) else None
        new = right[offset] if offset < len(right) else None
        if old is not None and new is not None:
            old_parts, new_parts = _words(before[old], after[new])
            yield LinePair(Line(old + 1, old_parts), Line(new + 1, new_parts), changed=True)
        else:
            yield LinePair(_plain(before, old, True), _plain(after, new, True), changed=True)


def _plain(lines: Sequence[str], index: Optional[int], changed: bool) -> Optional[Line]:
    return None if index is None else Line(index + 1, (Part(lines[index], changed),))


def _words(before: str, after: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return the parts of two lines. Words that both have in the same order are unchanged."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    old_parts: list[Part] = []
    new_parts: list[Part] = []
    for tag, first, last, other_first, other_last in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        old_parts.append(Part("".join(old[first:last]), tag != "equal"))
        new_parts.append(Part("".join(new[other_first:other_last]), tag != "equal"))
    return tuple(part for part in old_parts if part.text), tuple(part for part in new_parts if part.text)
