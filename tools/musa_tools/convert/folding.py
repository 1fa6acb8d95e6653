"""Texts that an expression puts together of literals, and of variables that have a literal's value."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .scopes import Scope

_MOST = 200  # characters of a text
_DEPTH = 8  # of expressions in one another
_FIELD = {ast.Mod: re.compile("%s"), ast.Call: re.compile(r"\{\}")}
_OTHER_FIELD = {ast.Mod: "%", ast.Call: "{"}

# A part of a text, and the literal that has it if the expression itself does.
Part = tuple[str, Optional[ast.Constant]]


def parts_of(node: ast.AST, scope: Scope, depth: int = _DEPTH) -> Optional[list[Part]]:
    """Return the parts of which an expression makes a text; None if one is not known, or the text is long."""
    found = _parts(node, scope, depth) if depth else None
    return found if found is not None and sum(len(text) for text, _ in found) < _MOST else None


def _parts(node: ast.AST, scope: Scope, depth: int) -> Optional[list[Part]]:
    if isinstance(node, ast.Constant):
        return [(node.value, node)] if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _all([node.left, node.right], scope, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return _filled(node.left, ast.Mod, values, scope, depth)
    if isinstance(node, ast.JoinedStr):
        return _elsewhere(_all([_plain(value) for value in node.values], scope, depth))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        if node.func.attr == "format":
            return _filled(node.func.value, ast.Call, node.args, scope, depth)
        if node.func.attr == "join" and len(node.args) == 1 and isinstance(node.args[0], (ast.List, ast.Tuple)):
            between = [part for each in node.args[0].elts for part in (node.func.value, each)]
            return _all(between[1:], scope, depth)
    definition = scope.definition(node)
    return None if definition is None else _elsewhere(parts_of(definition, scope, depth - 1))


def _plain(value: ast.expr) -> ast.AST:
    """Return the expression of an f-string's field that has no format."""
    is_plain = isinstance(value, ast.FormattedValue) and value.conversion == -1 and value.format_spec is None
    return value.value if is_plain and isinstance(value, ast.FormattedValue) else value


def _all(nodes: Sequence[ast.AST], scope: Scope, depth: int) -> Optional[list[Part]]:
    found: list[Part] = []
    for node in nodes:
        parts = parts_of(node, scope, depth - 1)
        if parts is None:
            return None
        found += parts
    return found


def _filled(
    form: ast.AST, kind: type[ast.AST], values: Sequence[ast.AST], scope: Scope, depth: int
) -> Optional[list[Part]]:
    """Return the parts of a text with fields that are filled in, `"%s_%s" % (a, b)`."""
    form_parts, given = parts_of(form, scope, depth - 1), _all(values, scope, depth)
    if form_parts is None or given is None or len(given) != len(values):
        return None
    texts = _FIELD[kind].split("".join(text for text, _ in form_parts))
    if len(texts) != len(given) + 1 or any(_OTHER_FIELD[kind] in text for text in texts):
        return None
    return _elsewhere([*((text + value[0], None) for text, value in zip(texts, given)), (texts[-1], None)])


def _elsewhere(found: Optional[list[Part]]) -> Optional[list[Part]]:
    """Return the parts without their literals, which are not to be changed here."""
    return None if found is None else [(text, None) for text, _ in found]
