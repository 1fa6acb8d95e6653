"""The debug info that attachments of instructions lead to."""

from __future__ import annotations

import re

from .text import lazy, unescape

_NODE = re.compile(r"^(!\d+) = (?:distinct )?!(DI\w+)\((.*)\)$", re.M)
_TEXT = re.compile(r'\b(filename|directory): "((?:[^"\\]|\\.)*)"')
_REFERENCE = re.compile(r"\b(line|column|scope|inlinedAt|file): (!?\d+)")


class Node:
    """One node of the debug info: `!DILocation(line: 3, column: 9, scope: !4)`."""

    def __init__(self, text: str) -> None:
        self.text = text

    @lazy
    def numbers(self) -> dict[str, str]:
        """Numbers and references to other nodes, by the names of the fields."""
        return dict(_REFERENCE.findall(self.text))

    @lazy
    def texts(self) -> dict[str, str]:
        """File name and directory."""
        return {key: unescape(text) for key, text in _TEXT.findall(self.text)}


def debug_nodes(metadata: str) -> dict[str, Node]:
    """Return the nodes of debug info, by their names: `!7`."""
    return {name: Node(text) for name, _, text in _NODE.findall(metadata)}
