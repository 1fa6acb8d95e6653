"""Where in the source an instruction of the IR comes from, read from the line tables that clang left in the module."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_NODE = re.compile(r"^(!\d+) = (?:distinct )?!(DI\w+)\((.*)\)$", re.M)
_TEXT = re.compile(r'\b(filename|directory): "((?:[^"\\]|\\.)*)"')
_NUMBER = re.compile(r"\b(line|column|scope|inlinedAt|file): (!?\d+)")
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2})")


class SourcePlaces:
    """Answers "file:line:column" for a `!dbg` attachment.

    Code that was inlined is attributed to the innermost call that does not stand in a library: a fault inside
    atomicAdd is told at the line that calls atomicAdd.
    """

    def __init__(self, ir: str, library_directories: Sequence[str]) -> None:
        self._libraries = tuple(directory.rstrip("/") + "/" for directory in library_directories)
        self._nodes: dict[str, tuple[str, str]] = {name: (kind, text) for name, kind, text in _NODE.findall(ir)}
        self._known: dict[str, str] = {}

    def place(self, instruction: str) -> str:
        """The place of one line of IR; empty when the optimiser lost it."""
        attached = re.search(r"!dbg (!\d+)", instruction)
        if attached is None:
            return ""
        node = attached.group(1)
        if node not in self._known:
            self._known[node] = self._resolve(node)
        return self._known[node]

    def _resolve(self, node: str) -> str:
        innermost = ""
        while node:
            numbers = self._numbers(node)
            path = self._path(numbers.get("scope", ""))
            line, column = numbers.get("line", "0"), numbers.get("column", "0")
            if path and line != "0":
                place = f"{path}:{line}" + (f":{column}" if column != "0" else "")
                if not path.startswith(self._libraries):
                    return place
                innermost = innermost or place
            node = numbers.get("inlinedAt", "")
        return innermost

    def _numbers(self, node: str) -> dict[str, str]:
        return dict(_NUMBER.findall(self._nodes.get(node, ("", ""))[1]))

    def _path(self, scope: str) -> str:
        """A scope's file as the command line named it, or whole where clang cut off what it has in common with the
        working directory."""
        file = self._nodes.get(self._numbers(scope).get("file", ""), ("", ""))[1]
        texts = {key: _ESCAPE.sub(lambda code: chr(int(code.group(1), 16)), text) for key, text in _TEXT.findall(file)}
        directory, name = texts.get("directory", ""), texts.get("filename", "")
        return name if not name or directory in ("", str(Path.cwd())) else str(Path(directory) / name)
