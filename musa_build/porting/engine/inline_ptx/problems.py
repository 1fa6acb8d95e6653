"""Why an asm statement cannot be ported."""

from __future__ import annotations


class Unportable(Exception):
    """A person has to rewrite this asm statement, because of `reason`: an instruction, or what cannot be read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
