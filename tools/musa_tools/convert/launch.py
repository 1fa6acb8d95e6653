"""Insert `import torch_musa` below the first `import torch`, once."""

from __future__ import annotations

import ast
from typing import Optional

from .edits import Edit
from .source import Offsets, Source

STATEMENT = b"import torch_musa"
RULE = "launch"


def imports_torch_musa(source: Source, tree: ast.Module) -> list[Edit]:
    """Return the edit that makes a module import torch_musa; none if it does already."""
    if any(_names(node, "torch_musa") for node in ast.walk(tree)):
        return []
    offsets = Offsets(source.line_starts)
    found = ((node, index) for index, node in enumerate(tree.body) if binds_torch(node))
    after, index = next(found, None) or _head(tree)
    if after is None:
        return [_at_top(source)]
    if isinstance(after, ast.ImportFrom) and any(alias.name in ("cuda", "musa") for alias in after.names):
        start = offsets.start(after)  # `from torch import musa` needs torch_musa
        return [Edit(start, start, STATEMENT + (source.newline if start in source.line_starts else b"; "), RULE)]
    following = tree.body[index + 1] if index + 1 < len(tree.body) else None
    return [_below(source, offsets, after, following)]


def _names(node: ast.AST, module: str) -> bool:
    """Whether a statement is `import module`."""
    return isinstance(node, ast.Import) and any(alias.name.split(".")[0] == module for alias in node.names)


def binds_torch(node: ast.stmt) -> bool:
    """Whether a top-level statement imports torch, perhaps in a `try` or `if`."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    if isinstance(node, ast.ImportFrom):
        return not node.level and (node.module or "").split(".")[0] == "torch"
    if isinstance(node, (ast.If, ast.Try)):
        return any(binds_torch(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt))
    return _names(node, "torch")


def _head(tree: ast.Module) -> tuple[Optional[ast.stmt], int]:
    """Return the last statement that must come first: the docstring or an import from __future__."""
    last, index = None, -1
    for position, node in enumerate(tree.body):
        is_docstring = position == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_docstring = is_docstring and isinstance(node.value.value, str)  # type: ignore[attr-defined]
        if is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            last, index = node, position
        else:
            break
    return last, index


def _at_top(source: Source) -> Edit:
    """Return the edit that puts the import below a shebang and comments (a cookie must stay in the first two lines)."""
    for start in source.line_starts:
        if source.code[start : start + 1] != b"#":
            return Edit(start, start, STATEMENT + source.newline, RULE)
    return Edit(len(source.code), len(source.code), source.newline + STATEMENT, RULE)


def _below(source: Source, offsets: Offsets, node: ast.stmt, following: Optional[ast.stmt]) -> Edit:
    """Return the edit that puts the import behind a statement: into the next line, or into the same if more follows."""
    end = offsets.end(node)
    if following is not None and following.lineno == node.end_lineno:
        return Edit(end, end, b"; " + STATEMENT, RULE)
    starts = [start for start in source.line_starts if start > end]
    if not starts:
        return Edit(len(source.code), len(source.code), source.newline + STATEMENT, RULE)
    return Edit(starts[0], starts[0], STATEMENT + source.newline, RULE)
