"""Where an operator runs: in which module, forward or backward."""

from __future__ import annotations

from typing import NamedTuple, Optional, Protocol


class Place(Protocol):
    """A module's call, a module or a parameter."""

    @property
    def class_path(self) -> str:
        """Return class names, as ``Net/Block/Linear``."""
        ...

    @property
    def label(self) -> str:
        """Return the path of names, as ``layers.3.attn (call 1)``."""
        ...


class Where(NamedTuple):
    """A place in the model and a direction."""

    place: Optional[Place]
    backward: bool

    def full_name(self, operator: str) -> str:
        """Return the operator's name as the logs write it."""
        path = f"{self.place.class_path}/" if self.place is not None else ""
        return f"{path}{operator}({'backward' if self.backward else 'forward'})"

    @property
    def label(self) -> str:
        """Return the module's own path, or nothing where no module is known."""
        return self.place.label if self.place is not None else ""
