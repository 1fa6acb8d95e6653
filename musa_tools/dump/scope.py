"""Which calls of a run are dumped: those between two names, and those whose names a list has."""

from __future__ import annotations

from collections.abc import Sequence


class Scope:
    """Says of every call, in the order of the run, whether it is wanted.

    Args:
        ends: Nothing, or the names of the first and the last call.
        names: Parts of names; nothing means all.
    """

    def __init__(self, ends: Sequence[str] = (), names: Sequence[str] = ()) -> None:
        self._ends = tuple(ends)
        self._names = tuple(names)
        self._inside = not ends

    def admits(self, name: str) -> bool:
        """Return whether a call is wanted; ask once per call."""
        within = self._between(name)
        return within and (not self._names or any(part in name for part in self._names))

    def _between(self, name: str) -> bool:
        if not self._ends:
            return True
        if name == self._ends[0]:
            self._inside = True
        within = self._inside
        if name == self._ends[1]:
            self._inside = False
        return within
