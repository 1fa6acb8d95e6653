"""Slow tests in parts: CI runs another part each day. A run stays short, and every test is met within some days."""

from __future__ import annotations

import re
import zlib

import pytest

_FORM = re.compile(r"(\d+)/(\d+)")


def part_of(name: str, parts: int) -> int:
    """Return the part (1 to `parts`) of the test `name`: the same on each machine, independent of other tests."""
    return zlib.crc32(name.encode()) % parts + 1


def leave_out_other_parts(config: pytest.Config, items: list[pytest.Item], chosen: str) -> None:
    """Deselect the slow tests that are not in the part `chosen`, "2/5".

    Raises pytest.UsageError for another form.
    """
    match = _FORM.fullmatch(chosen)
    part, parts = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= part <= parts:
        raise pytest.UsageError(f"--slow-part {chosen}: not a part of several; write --slow-part 2/5")
    kept, left_out = [], []
    for item in items:
        is_elsewhere = item.get_closest_marker("slow") and part_of(item.nodeid, parts) != part
        (left_out if is_elsewhere else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)
