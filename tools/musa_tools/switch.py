"""Switches among the environment variables: the same words mean yes and no for each of them (docs/variables.md)."""

from __future__ import annotations

YES = ("1", "yes", "true", "on", "y")
NO = ("", "0", "no", "false", "off", "n")
WANTED = "1, yes, true or on; or 0, no, false or off"


def is_on(text: str) -> bool:
    """Return whether a switch is on. Raise ValueError if `text` is neither yes nor no."""
    word = text.strip().lower()
    if word not in YES and word not in NO:
        raise ValueError(f"'{text}' is neither yes nor no; wanted: {WANTED}")
    return word in YES
