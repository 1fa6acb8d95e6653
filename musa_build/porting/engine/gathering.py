"""Findings that a file may have many of: each once in a line, and beyond a few one that lists the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .edits import Remark

_MOST = 6  # findings of one kind that a file has one by one
_MOST_LISTED = 20  # others that a finding lists
_QUOTED = r'"[^"]*"'


def gathered(remarks: Iterable[Remark], source: str) -> list[Remark]:
    """Return `remarks` in the order of their offsets: each message once in a line.

    Messages are of one kind if they differ in what they quote alone. If a kind has more than a few, the first one lists
    the lines of the others, and what these quote if that is something else.
    """
    kinds: dict[tuple[str, str], dict[tuple[int, str], Remark]] = {}
    line, position = 1, 0
    for remark in sorted(remarks):
        line += source.count("\n", position, remark.offset)
        position = remark.offset
        kind = remark.code, re.sub(_QUOTED, '""', remark.message)
        kinds.setdefault(kind, {}).setdefault((line, remark.message), remark)
    return sorted(remark for found in kinds.values() for remark in _of_kind(found))


def _of_kind(found: dict[tuple[int, str], Remark]) -> Sequence[Remark]:
    """Return the remarks of one kind, which are given by line and message, or the one that lists them."""
    (_, message), *others = found
    if len(found) <= _MOST:
        return [*found.values()]
    if all(other == message for _, other in others):
        listed = [str(line) for line, _ in others]
        begin = "as in lines "
    else:
        listed = [f"{''.join(re.findall(_QUOTED, other)[:1])} in line {line}" for line, other in others]
        begin = "the same holds of "
    more = f" and {len(listed) - _MOST_LISTED} more" if len(listed) > _MOST_LISTED else ""
    return [found[next(iter(found))]._replace(message=f"{message} ({begin}{', '.join(listed[:_MOST_LISTED])}{more})")]
