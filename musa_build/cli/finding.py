"""A finding of `musa-build doctor`, and its lines in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Optional

from ..explain import lines
from ..explain.texts import parts_of


@dataclass(frozen=True)
class Finding:
    """The result of one check. `required` is whether building a MUSAExtension needs it."""

    name: str
    ok: bool
    text: str
    required: bool = True

    @property
    def as_json(self) -> dict[str, object]:
        """The finding for programs. The keys are stable."""
        return asdict(self)

    def line(self, in_language: Callable[[str], str]) -> str:
        """Return the finding for people, each part translated."""
        return f"{self._head(in_language)}{in_language(self.text)}"

    def block(self, in_language: Callable[[str], str], width: Optional[int] = None) -> str:
        """Return the finding as lines of at most `width` columns. Each part of an error begins a line."""
        what, *parts = parts_of(self.text)
        made = list(_fitted(f"{self._head(in_language)}{in_language(what)}", width, ""))
        for part in parts:
            label, _, words = part.partition(": ")
            made += _fitted(f"{in_language(f'{label}: ')}{in_language(words)}", width, " " * 8)
        return "\n".join(made)

    def _head(self, in_language: Callable[[str], str]) -> str:
        mark = "ok" if self.ok else ("MISSING" if self.required else "absent")
        return f"{in_language(f'{mark:8}')}{in_language(self.name)}: "

    def __str__(self) -> str:
        return self.line(str)


def _fitted(text: str, width: Optional[int], margin: str) -> Iterator[str]:
    """Yield a text as lines after a margin. Lines after the first have eight columns, under the name of the finding."""
    if width is None:
        yield margin + text
        return
    for line in lines(text, width - len(margin), "  " if margin else " " * 8):
        yield margin + line.rstrip()
