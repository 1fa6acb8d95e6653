"""Source positions of instructions, read from the line tables that clang wrote into the module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..ir.pieces import string_constant

if TYPE_CHECKING:
    from ..ir.instructions import Instruction
    from ..ir.metadata import Node


class SourceLocations:
    """The locations in reports, "file:line:column" of a `!dbg` attachment, and the constants that hold them.

    Code that was inlined is attributed to the innermost call that is not in a library: a fault inside
    atomicAdd is reported at the line that calls atomicAdd.
    """

    def __init__(self, nodes: Mapping[str, Node], library_directories: Sequence[str]) -> None:
        self._libraries = tuple(directory.rstrip("/") + "/" for directory in library_directories)
        self._nodes = nodes
        self._known: dict[str, str] = {}
        self._names: dict[str, str] = {}  # text -> constant

    def operand(self, item: Instruction) -> str:
        """Return the argument that names the location of an instruction."""
        return self.text(self.location(item))

    def text(self, text: str) -> str:
        """Return the argument that is a text, or null."""
        if not text:
            return "ptr null"
        return f"ptr {self._names.setdefault(text, f'@__musa_sim_location_{len(self._names)}')}"

    def definitions(self) -> str:
        """Write the requested texts."""
        return "".join(string_constant(name, text) for text, name in self._names.items())

    def location(self, item: Instruction) -> str:
        """Return the location of an instruction; nothing when the optimiser lost it."""
        node = item.debug
        if node and node not in self._known:
            self._known[node] = self._resolve(node)
        return self._known.get(node, "")

    def _resolve(self, node: str) -> str:
        innermost = ""
        while node:
            numbers = self._numbers(node)
            path = self._path(numbers.get("scope", ""))
            line, column = numbers.get("line", "0"), numbers.get("column", "0")
            if path and line != "0":
                location = f"{path}:{line}" + (f":{column}" if column != "0" else "")
                if not str(Path.cwd() / path).startswith(self._libraries):  # clang shortens paths below this folder
                    return location
                innermost = innermost or location
            node = numbers.get("inlinedAt", "")
        return innermost

    def _numbers(self, name: str) -> dict[str, str]:
        node = self._nodes.get(name)
        return node.numbers if node else {}

    def _path(self, scope: str) -> str:
        """Return the path of a scope's file as the command line had it.

        It is the whole path if clang cut off the part that it shares with the working directory.
        """
        file = self._nodes.get(self._numbers(scope).get("file", ""))
        texts = file.texts if file else {}
        directory, name = texts.get("directory", ""), texts.get("filename", "")
        return name if not name or directory in ("", str(Path.cwd())) else str(Path(directory) / name)
