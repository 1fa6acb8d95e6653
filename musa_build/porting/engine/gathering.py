"""Findings that a file may have many of: neighbours become one, and beyond a few all are one with a list of lines."""

from __future__ import annotations

from collections.abc import Sequence

from .edits import Remark

_MOST = 6  # findings of one kind that a file has one by one
_MOST_LINES = 20  # that a finding lists


def gathered(remarks: Sequence[Remark], source: str) -> list[Remark]:
    """Return `remarks` of one kind, in the order of their offsets: one for each group of lines that follow one another.

    If there are more than a few groups, the first one lists the lines of the others.
    """
    groups: list[Remark] = []
    lines: list[int] = []
    line, position, last = 1, 0, -1
    for remark in sorted(remarks):
        line += source.count("\n", position, remark.offset)
        position = remark.offset
        if last < 0 or line > last + 1:
            groups.append(remark)
            lines.append(line)
        last = line
    if len(groups) <= _MOST:
        return groups
    others = ", ".join(map(str, lines[1 : _MOST_LINES + 1]))
    more = f" and {len(lines) - 1 - _MOST_LINES} more" if len(lines) > _MOST_LINES + 1 else ""
    return [groups[0]._replace(message=f"{groups[0].message} (as in lines {others}{more})")]
