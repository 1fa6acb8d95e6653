"""Resolve names to torch, torch.cuda and similar modules: scopes and their bindings, resolved on demand."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Optional, Union

if TYPE_CHECKING:
    from .map_location import MapLocations

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
OPAQUE = object()  # bound to a value that is not analysed

# The object that a name is bound to: an import (of a module: its alias; from a module: the dotted name), a value, a
# definition, or OPAQUE.
Bound = Union[str, ast.AST, object]


class Scope:
    """A module, class, function or comprehension. Its bindings are collected when a name is first looked up in it."""

    def __init__(
        self, node: ast.AST, parent: Optional[Scope], locations: MapLocations, is_location: bool = False
    ) -> None:
        self.node = node
        self.parent = parent
        self.locations = locations
        #: whether it is, or lies in, a function that is given as `map_location`
        self.maps_location: bool = is_location or (parent is not None and parent.maps_location)
        self._resolved: dict[str, Optional[str]] = {}
        #: names of this scope -> whether a value of theirs is surely a device, as far as it was asked
        self.devices: dict[str, bool] = {}

    def lookup(self, name: str) -> tuple[Scope, list[Bound]]:
        """Return all possible bindings of `name` where it is used in this scope, and the scope that binds it.

        Nothing for a name that no scope binds.
        """
        scope: Optional[Scope] = self
        while scope is not None:
            if (scope is self or not isinstance(scope.node, ast.ClassDef)) and name in scope.bindings:
                return scope, scope.bindings[name]
            scope = scope.parent
        return self, []

    @cached_property
    def bindings(self) -> dict[str, list[Bound]]:
        """Every name that this scope binds."""
        found: dict[str, list[Bound]] = {}
        outer: set[str] = set()
        for name, bound in _bindings_of(self.node):
            if bound is None:
                outer.add(name)
            else:
                found.setdefault(name, []).append(bound)
        return {name: bounds for name, bounds in found.items() if name not in outer}

    def returned(self) -> list[ast.AST]:
        """Return the values that the function of this scope may return."""
        found: list[ast.AST] = []
        rest: list[ast.AST] = [*getattr(self.node, "body", ())] if isinstance(self.node, FUNCTIONS[:2]) else []
        while rest:
            node = rest.pop()
            if isinstance(node, ast.Return) and node.value is not None:
                found.append(node.value)
            if isinstance(node, ast.stmt) and not isinstance(node, (*FUNCTIONS[:2], ast.ClassDef)):
                rest += [each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.expr)]
            elif isinstance(node, ast.excepthandler) or type(node).__name__ == "match_case":
                rest += ast.iter_child_nodes(node)
        return found

    @cached_property
    def imported(self) -> frozenset[str]:
        """The names that an import statement of this scope binds. Kept, since a file may use one name on every line."""
        return frozenset(
            name for name, bounds in self.bindings.items() if any(isinstance(bound, ast.alias) for bound in bounds)
        )

    def resolve(self, node: Optional[ast.AST]) -> Optional[str]:
        """Return the dotted name that an expression means (`torch.cuda.amp`), or None.

        A relative import begins with dots. `torch` itself, where nothing binds it, is torch: a star import or an
        earlier cell has.
        """
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            return base and f"{base}.{node.attr}"
        if not isinstance(node, ast.Name):
            return None
        scope, bounds = self.lookup(node.id)
        if not bounds:
            return "torch" if node.id == "torch" else None
        return scope._resolve_own(node.id)

    def _resolve_own(self, name: str) -> Optional[str]:
        """Return the dotted name that a name of this very scope means. It is found once: bindings are many."""
        if name not in self._resolved:
            self._resolved[name] = None  # for `x = x.y`
            names = {self._dotted(bound) for bound in self.bindings[name] if not _is_none(bound)}
            agree = len(names) == 1 or all(each is not None and each.split(".")[0] == "torch" for each in names)
            self._resolved[name] = min(names, key=str) if names and None not in names and agree else None
        return self._resolved[name]

    def _dotted(self, bound: Bound) -> Optional[str]:
        """Return the dotted name of a binding."""
        if isinstance(bound, str):
            return bound
        if isinstance(bound, ast.alias):
            return bound.name if bound.asname else bound.name.split(".")[0]
        if isinstance(bound, (ast.Name, ast.Attribute)):
            return self.resolve(bound)
        if isinstance(bound, ast.Call) and any(
            isinstance(argument, ast.Constant) and argument.value == "torch" for argument in bound.args
        ):
            return "torch"  # import_module("torch"), pytest.importorskip("torch")
        return None

    def definition(self, node: ast.AST) -> Optional[ast.AST]:
        """Return the only definition or value that a name is bound to, if it is one."""
        if not isinstance(node, ast.Name):
            return None
        bounds = self.lookup(node.id)[1]
        return bounds[0] if len(bounds) == 1 and isinstance(bounds[0], ast.AST) else None

    def inner(self, node: ast.AST, is_location: bool = False) -> Scope:
        """Return the scope of a definition or comprehension in this one."""
        return Scope(node, self, self.locations, is_location or self.locations.has(node, self.node))

    def is_location(self, name: str) -> bool:
        """Whether a name is a parameter, or a part of one, in a function that is given as `map_location`."""
        scope, bounds = self.lookup(name)
        return scope.maps_location and OPAQUE in bounds and name not in ("self", "cls")


def _is_none(bound: Bound) -> bool:
    """Whether a name is set to None, as after an import that failed."""
    return isinstance(bound, ast.Constant) and bound.value is None


def _bindings_of(node: ast.AST) -> Iterator[tuple[str, Optional[Bound]]]:
    """Yield the names that a scope's own node binds; None for names that belong to an outer scope."""
    if isinstance(node, FUNCTIONS):
        arguments = node.args
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            yield argument.arg, OPAQUE
        for variable in (arguments.vararg, arguments.kwarg):
            if variable is not None:
                yield variable.arg, OPAQUE
    if isinstance(node, COMPREHENSIONS):
        for generator in node.generators:
            yield from _targets(generator.target, OPAQUE)
    body = getattr(node, "body", None)
    if isinstance(body, list):
        yield from _of_statements(body)


def _of_statements(statements: Iterable[ast.stmt]) -> Iterator[tuple[str, Optional[Bound]]]:
    """Yield the bindings of statements, also of nested ones, but not inside functions and classes."""
    for statement in statements:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement.name, statement
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                yield alias.asname or alias.name.split(".")[0], alias
        elif isinstance(statement, ast.ImportFrom):
            base = "." * statement.level + (f"{statement.module}." if statement.module else "")
            for alias in statement.names:
                yield alias.asname or alias.name, base + alias.name
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                yield from _targets(target, statement.value)
        elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
            yield from _targets(statement.target, statement.value or OPAQUE)
        elif isinstance(statement, (ast.Global, ast.Nonlocal)):
            yield from ((name, None) for name in statement.names)
        else:
            yield from _of_compound(statement)


def _of_compound(statement: ast.AST) -> Iterator[tuple[str, Optional[Bound]]]:
    """Yield the bindings of a loop, `with`, `try`, `if` or `match`, and of the statements inside it."""
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        yield from _targets(statement.target, OPAQUE)
    for item in getattr(statement, "items", ()):
        if item.optional_vars is not None:
            yield from _targets(item.optional_vars, OPAQUE)
    for handler in getattr(statement, "handlers", ()):
        if handler.name:
            yield handler.name, OPAQUE
        yield from _of_statements(handler.body)
    for case in getattr(statement, "cases", ()):
        for pattern in ast.walk(case.pattern):
            for name in (getattr(pattern, "name", None), getattr(pattern, "rest", None)):
                if name:
                    yield name, OPAQUE
        yield from _of_statements(case.body)
    for block in ("body", "orelse", "finalbody"):
        yield from _of_statements(getattr(statement, block, ()))


def _targets(target: ast.AST, value: Bound) -> Iterator[tuple[str, Optional[Bound]]]:
    """Yield the names in an assignment's target. Only a single name is known to be the value."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _targets(element, OPAQUE)
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, OPAQUE)
