"""The meaning of a string by its context: a device, a backend, an environment variable, or nothing."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .scopes import Scope


class Meaning(enum.Flag):
    """The meanings that a string may have, depending on its context."""

    NONE = 0
    DEVICE = enum.auto()  # "cuda", "cuda:0"
    INDEXED = enum.auto()  # "cuda:0" only: nothing else is written so
    BACKEND = enum.auto()  # "nccl"
    ENVIRONMENT = enum.auto()  # "CUDA_VISIBLE_DEVICES"
    KEYS = enum.auto()  # a dict's keys have the meaning of its values
    MESSAGE = enum.auto()  # text for people
    COMMAND = enum.auto()  # "CUDA_VISIBLE_DEVICES=0 python train.py --device cuda"
    COMPARED = enum.auto()  # "CUDA out of memory" in str(error)
    DISPATCH = enum.auto()  # "CUDA", "AutogradCUDA": PyTorch's dispatch keys
    SHOWN = enum.auto()  # text for people, or another library's: nothing is said about it
    WRITTEN = enum.auto()  # text that is written to a file: for people, unless its lines are a program's
    LOCATION = enum.auto()  # the value of map_location, and anything in a function that is one


DEVICE = Meaning.DEVICE | Meaning.INDEXED
MAP = Meaning.KEYS | Meaning.LOCATION

_DEVICE_NAME = re.compile(r"device|map[_-]?location|^dev$|^dev_|_dev$", re.IGNORECASE)
_MAP_NAME = re.compile(r"map_?location|device_?map", re.IGNORECASE)
_ENVIRONMENT_NAME = re.compile(r"(^|_)env(iron(ment)?)?(_vars?)?$", re.IGNORECASE)
_COMMAND_NAME = re.compile(r"(^|_)(cmd|command)(_?line)?s?$", re.IGNORECASE)
_INDEX = r":(?:\d+|%(?:\(\w+\))?[dsi]|\{[^{}]*\})?"
INDEXED_TEXT = re.compile(f"cuda{_INDEX}")
DEVICE_TEXT = re.compile(f"cuda(?:{_INDEX})?")
_KEY = re.compile(r"-{0,2}[\w-]+(?:\s*,\s*[\w-]+)*")
_SAME_MEANING = frozenset(
    {"lower", "upper", "strip", "split", "rsplit", "replace", "partition", "removeprefix", "format"}
)


def meaning_of_name(name: Optional[str]) -> Meaning:
    """Return the meaning of the value of a variable, parameter, key or option of this name."""
    if not name:
        return Meaning.NONE
    if _DEVICE_NAME.search(name):
        return DEVICE | (MAP if _MAP_NAME.search(name) else Meaning.NONE)
    if name == "dispatch_key":
        return Meaning.DISPATCH
    if "backend" in name.lower():
        return Meaning.BACKEND
    if _COMMAND_NAME.search(name):
        return Meaning.COMMAND
    return Meaning.ENVIRONMENT if _ENVIRONMENT_NAME.search(name) else Meaning.NONE


def meaning_of_key(node: Optional[ast.AST]) -> Meaning:
    """Return the meaning of the value of a constant key ("device", "--device")."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and _KEY.fullmatch(node.value):
        return meaning_of_name(node.value) & ~Meaning.ENVIRONMENT
    return Meaning.NONE


def meaning_of(node: Optional[ast.AST], scope: Scope, seen: frozenset[str] = frozenset()) -> Meaning:
    """Return the meaning of the value of an expression; strings compared with it have the same."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _meaning_of_variable(node, scope, seen)
    if isinstance(node, ast.Subscript):
        return meaning_of_key(node.slice) or meaning_of(node.value, scope, seen) & ~Meaning.ENVIRONMENT
    if isinstance(node, ast.NamedExpr):
        return meaning_of(node.target, scope, seen)
    if isinstance(node, ast.JoinedStr):
        fields = [value.value for value in node.values if isinstance(value, ast.FormattedValue)]
        return meaning_of(fields[0], scope, seen) if len(fields) == 1 else Meaning.NONE
    if isinstance(node, ast.Call):
        return _meaning_of_result(node, scope, seen)
    return DEVICE if is_indexed_device(node) else Meaning.NONE


def is_indexed_device(node: Optional[ast.AST]) -> bool:
    """Whether an expression, or one of its alternatives, is "cuda:0", "cuda:%d" % n or the like: always a device."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and INDEXED_TEXT.fullmatch(node.value) is not None
    if isinstance(node, ast.JoinedStr):
        return is_indexed_device(node.values[0]) if node.values else False
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.Add)):
        return is_indexed_device(node.left)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return is_indexed_device(node.func.value)
    if isinstance(node, ast.IfExp):
        return is_indexed_device(node.body) or is_indexed_device(node.orelse)
    return isinstance(node, ast.BoolOp) and any(map(is_indexed_device, node.values))


def meaning_of_alternatives(nodes: Iterable[ast.AST]) -> Meaning:
    """Return the meaning of several values of which one is taken: one device makes all of them devices."""
    return DEVICE if any(map(is_indexed_device, nodes)) else Meaning.NONE


def meaning_of_returned(scope: Scope) -> Meaning:
    """Return the meaning of all values that the function of a scope returns."""
    if "return" not in scope.devices:  # no variable is called so
        scope.devices["return"] = any(map(is_indexed_device, scope.returned()))
    return DEVICE if scope.devices["return"] else Meaning.NONE


def _is_set_to_device(name: str, scope: Scope) -> bool:
    """Whether one of the values that a scope gives to a name of its own is surely a device."""
    if name not in scope.devices:
        bounds = scope.bindings.get(name, ())
        scope.devices[name] = any(isinstance(each, ast.AST) and is_indexed_device(each) for each in bounds)
    return scope.devices[name]


def _meaning_of_variable(node: ast.AST, scope: Scope, seen: frozenset[str]) -> Meaning:
    if isinstance(node, ast.Name):
        if scope.resolve(node) == "os.environ":
            return Meaning.ENVIRONMENT
        return meaning_of_name(node.id) or _meaning_of_value(node, scope, seen)
    assert isinstance(node, ast.Attribute)
    if node.attr == "type":
        return meaning_of(node.value, scope, seen) & DEVICE
    return Meaning.ENVIRONMENT if scope.resolve(node) == "os.environ" else meaning_of_name(node.attr)


def _meaning_of_value(node: ast.Name, scope: Scope, seen: frozenset[str]) -> Meaning:
    """Return the meaning of a variable whose name says nothing, from the only value that it has."""
    if scope.is_location(node.id):
        return DEVICE
    if _is_set_to_device(node.id, scope.lookup(node.id)[0]):
        return DEVICE
    value = None if node.id in seen else scope.definition(node)
    return meaning_of(value, scope, seen | {node.id}) & (DEVICE | Meaning.BACKEND)


def _meaning_of_result(node: ast.Call, scope: Scope, seen: frozenset[str]) -> Meaning:
    function = node.func
    first = node.args[0] if node.args else None
    if isinstance(function, ast.Name):
        if function.id in ("str", "repr"):
            return meaning_of(first, scope, seen)
        if function.id == "getattr" and len(node.args) > 1:
            return meaning_of_key(node.args[1])
        return meaning_of_name(function.id) & ~Meaning.ENVIRONMENT
    if isinstance(function, ast.Attribute):
        if function.attr in _SAME_MEANING:
            return meaning_of(function.value, scope, seen)
        if function.attr in ("get", "getenv", "pop", "setdefault"):
            return meaning_of_key(first)
        return meaning_of_name(function.attr) & ~Meaning.ENVIRONMENT
    return Meaning.NONE
