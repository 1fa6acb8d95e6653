"""Attachments of instructions, and the debug info that some of them lead to."""

from __future__ import annotations

import re
from functools import cached_property

from .text import unescape

_NODE = re.compile(r"^(!\d+) = (?:distinct )?!(DI\w+)\((.*)\)$", re.M)
_TEXT = re.compile(r'\b(filename|directory): "((?:[^"\\]|\\.)*)"')
_REFERENCE = re.compile(r"\b(line|column|scope|inlinedAt|file): (!?\d+)")
_DEBUG = re.compile(r", !dbg (!\d+)")


class Node:
    """One node of the debug info: `!DILocation(line: 3, column: 9, scope: !4)`."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def numbers(self) -> dict[str, str]:
        """Numbers and references to other nodes, by the names of the fields."""
        return dict(_REFERENCE.findall(self.text))

    @cached_property
    def texts(self) -> dict[str, str]:
        """File name and directory."""
        return {key: unescape(text) for key, text in _TEXT.findall(self.text)}


def debug_nodes(ir: str) -> dict[str, Node]:
    """Return the nodes of a module's debug info, by their names: `!7`."""
    return {name: Node(text) for name, _, text in _NODE.findall(ir)}


def debug_attachment(line: str) -> str:
    """Return `, !dbg !7` of a line that has it; otherwise nothing."""
    found = _DEBUG.search(line)
    return found.group(0) if found else ""


def debug_node(line: str) -> str:
    """Return the name of the node that a line's debug info starts at; empty if it has none."""
    found = _DEBUG.search(line)
    return found.group(1) if found else ""


def remove_attachments(code: str, *kinds: str) -> str:
    """Return the code without attachments of these kinds."""
    return re.sub(rf", !(?:{'|'.join(kinds)}) ![0-9]+", "", code)
