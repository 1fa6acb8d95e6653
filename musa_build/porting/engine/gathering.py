"""Findings that a file may have many of: each once in a line, and beyond a few lines one that lists them."""

from __future__ import annotations

from collections.abc import Sequence

from .edits import Remark

_MOST = 6  # findings of one kind that a file has one by one
_MOST_LINES = 20  # that a finding lists


def gathered(remarks: Sequence[Remark], source: str) -> list[Remark]:
    """Return `remarks` of one kind, in the order of their offsets: each message once in a line.

    If there are more than a few lines, the first one lists the lines of the others.
    """
    firsts: list[Remark] = []
    lines: list[int] = []
    said: set[str] = set()
    line, position = 1, 0
    for remark in sorted(remarks):
        line += source.count("\n", position, remark.offset)
        position = remark.offset
        if lines[-1:] != [line]:
            lines.append(line)
            said.clear()
        if remark.message not in said:
            said.add(remark.message)
            firsts.append(remark)
    if len(lines) <= _MOST:
        return firsts
    others = ", ".join(map(str, lines[1 : _MOST_LINES + 1]))
    more = f" and {len(lines) - 1 - _MOST_LINES} more" if len(lines) > _MOST_LINES + 1 else ""
    return [firsts[0]._replace(message=f"{firsts[0].message} (as in lines {others}{more})")]
