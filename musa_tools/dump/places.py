"""Entries by position, put into the lists that they come from."""

from __future__ import annotations

from typing import Any


def in_places(entries: dict[str, Any]) -> list[Any]:
    """Return entries by position as nested lists; a place without gradient has None."""
    found: list[Any] = []
    inner: dict[int, dict[str, Any]] = {}
    for position, entry in entries.items():
        first, _, rest = position.partition(".")
        if not first.isdigit():
            continue
        index = int(first)
        found.extend([None] * (index + 1 - len(found)))
        if rest:
            inner.setdefault(index, {})[rest] = entry
        else:
            found[index] = entry
    for index, within in inner.items():
        found[index] = in_places(within) or within
    return found
