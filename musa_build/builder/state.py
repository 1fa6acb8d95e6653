"""The graph that the last build wrote, and what it was made from, so that the next one knows when it still stands.

Asking torch and setuptools for every command means importing torch, which takes longer than all else that a build with
nothing to do does. If everything that decides the graph (fingerprint.py) is the same, the graph is too, and ninja alone
knows whether a source has changed. What cannot be compared means asking again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Optional

from ..system import files

if TYPE_CHECKING:
    from .plan import BuildPlan  # which a build with nothing to do need not load

FILE_NAME = "graph.json"


class Delivery(NamedTuple):
    """A library: made as `output`, wanted as `destination`."""

    output: str
    destination: str
    optional: bool


class BuildState(NamedTuple):
    """A graph that was written as build.ninja: what to ask ninja for, and what to call its outputs.

    `key` stands for what decided the graph; `watched` are files that it stands or falls with, and what they were: those
    that were written with it, and those that linkers look for.
    """

    key: str
    watched: Mapping[str, str]
    descriptions: Mapping[str, str]
    deliveries: tuple[Delivery, ...]

    @classmethod
    def of(cls, plan: BuildPlan, key: str, watched: Mapping[str, str]) -> BuildState:
        deliveries = tuple(Delivery(link.output, link.destination, link.optional) for link in plan.links)
        return cls(key, watched, plan.descriptions, deliveries)

    @classmethod
    def load(cls, directory: Path, key: str) -> Optional[BuildState]:
        """The state that `directory` was left in, when it has this key and all watched files are as they were."""
        try:
            content = json.loads((directory / FILE_NAME).read_text(encoding="utf-8"))
            deliveries = tuple(Delivery(**delivery) for delivery in content["deliveries"])
            state = cls(content["key"], dict(content["watched"]), content["descriptions"], deliveries)
        except (OSError, ValueError, TypeError, KeyError):
            return None  # none, or of another release of ours
        fresh = all(files.identity(Path(path)) == was for path, was in state.watched.items())
        return state if fresh and state.key == key else None

    def save(self, directory: Path) -> None:
        content = {**self._asdict(), "deliveries": [delivery._asdict() for delivery in self.deliveries]}
        files.write_if_changed(directory / FILE_NAME, json.dumps(content, indent=1))
