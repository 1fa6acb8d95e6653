"""The functions that a file gives as `map_location`: their argument names devices ("cuda:0")."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Optional


@dataclass(frozen=True)
class MapLocations:
    """The names of such functions, and of their factories (`Remap(0)`). A walk over the file adds to both."""

    functions: set[str] = field(default_factory=set)
    factories: set[str] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.functions) + len(self.factories)

    @property
    def names(self) -> set[str]:
        """All names, without those that are too common to look for."""
        return self.functions | self.factories

    def give(self, node: ast.AST) -> None:
        """Take the value of a `map_location`."""
        if isinstance(node, ast.Call):
            if name_of(node.func) == "partial" and node.args:
                self.give(node.args[0])
            else:
                self.factories.add(name_of(node.func))
        else:
            self.functions.add(name_of(node))
        self.functions.discard("")
        self.factories.discard("")

    def gives(self, target: ast.AST) -> bool:
        """Whether a variable or attribute is such a function."""
        return name_of(target) in self.functions

    def has(self, node: ast.AST, outer: ast.AST) -> bool:
        """Whether a definition in `outer` is such a function. torch's own names of the parameters count, too."""
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return False
        arguments = node.args
        names = [each.arg for each in [*arguments.posonlyargs, *arguments.args] if each.arg not in ("self", "cls")]
        made_by = getattr(outer, "name", "")
        own_name = getattr(node, "name", "")
        return bool(names) and (
            own_name in self.functions
            or (made_by in self.factories and (own_name == "__call__" or not isinstance(outer, ast.ClassDef)))
            or (len(names) == 2 and names[0] == "storage")
        )


def name_of(node: Optional[ast.AST]) -> str:
    """Return the name of a variable, a method or an attribute; nothing for another expression."""
    return getattr(node, "attr", getattr(node, "id", ""))
