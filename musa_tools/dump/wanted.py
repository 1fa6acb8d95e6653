"""What is wanted of a call."""

from __future__ import annotations

from typing import NamedTuple


class Wanted(NamedTuple):
    """What is wanted of a call."""

    values: bool
    stack: bool


NOTHING = Wanted(False, False)
