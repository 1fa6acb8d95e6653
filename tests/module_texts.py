"""The texts in the source of a module, for tests of what users read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def messages(path: Path) -> Iterator[str]:
    """Yield the texts of a module but its documentation; an f-string in one piece, with `{}` for what it inserts."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner | documentation:
            yield node.value
