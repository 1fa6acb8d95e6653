"""Replace attributes of other packages' modules, and put the originals back."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

_MISSING = object()


@dataclass(frozen=True)
class Replacement:
    """One attribute of `owner`, or one key where `owner` is a mapping, and its original value."""

    owner: Any
    name: str
    original: object

    def undo(self) -> None:
        """Put the original back."""
        if not isinstance(self.owner, MutableMapping):
            setattr(self.owner, self.name, self.original)
        elif self.original is _MISSING:
            self.owner.pop(self.name, None)
        else:
            self.owner[self.name] = self.original


class Patches:
    """A list of replacements that are undone together, the last one first."""

    def __init__(self) -> None:
        self._replacements: list[Replacement] = []

    def replace(self, owner: Any, name: str, value: object) -> None:
        """Set an attribute of a module or class."""
        self._replacements.append(Replacement(owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    def replace_item(self, owner: MutableMapping[str, Any], name: str, value: object) -> None:
        """Set a key of a mapping: of os.environ, or of a module's dictionary."""
        self._replacements.append(Replacement(owner, name, owner.get(name, _MISSING)))
        owner[name] = value

    def undo(self) -> None:
        """Put all originals back. Calling it again has no effect."""
        while self._replacements:
            self._replacements.pop().undo()
