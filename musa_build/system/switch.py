"""The words of switches among the environment variables: the same for each of them (docs/variables.md).

The start-up hook of FORCE_MUSA=1 imports this module, so it imports nothing. torch_musa's setup.py uses it, too.
"""

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
