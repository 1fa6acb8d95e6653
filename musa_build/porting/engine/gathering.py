"""Findings that a file may have many of: one for each line, and beyond a few lines one that lists them."""

from __future__ import annotations

from collections.abc import Sequence

from .edits import Remark

_MOST = 6  # findings of one kind that a file has one by one
_MOST_LINES = 20  # that a finding lists


def gathered(remarks: Sequence[Remark], source: str) -> list[Remark]:
    """Return `remarks` of one kind, in the order of their offsets: the first of each line.

    If there are more than a few, the first one lists the lines of the others.
    """
    firsts: list[Remark] = []
    lines: list[int] = []
    line, position = 1, 0
    for remark in sorted(remarks):
        line += source.count("\n", position, remark.offset)
        position = remark.offset
        if lines[-1:] != [line]:
            firsts.append(remark)
            lines.append(line)
    if len(firsts) <= _MOST:
        return firsts
    others = ", ".join(map(str, lines[1 : _MOST_LINES + 1]))
    more = f" and {len(lines) - 1 - _MOST_LINES} more" if len(lines) > _MOST_LINES + 1 else ""
    return [firsts[0]._replace(message=f"{firsts[0].message} (as in lines {others}{more})")]
