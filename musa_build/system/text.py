"""Texts for people."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: `1 file`, `2 files`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
