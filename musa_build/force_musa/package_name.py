"""Identify the package in a directory from its metadata and build files, without running any of them."""

from __future__ import annotations

import ast
import configparser
from collections.abc import Callable
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from ..environment.settings import parse_toml
from ..errors import SettingError


@dataclass(frozen=True)
class Package:
    """A project's normalized name and its version; "" if no file of the project states it as plain text."""

    name: str
    version: str = ""


def identify(directory: Path) -> Package:
    """Return the project in `directory`: from PKG-INFO, which source distributions have, else from its build files."""
    metadata = _text(directory / "PKG-INFO")
    if metadata:
        headers = HeaderParser().parsestr(metadata)
        return Package(canonicalize_name(headers.get("Name", "")), headers.get("Version", ""))
    readers: dict[str, Callable[[str], object]] = {
        "pyproject.toml": _name_in_pyproject,
        "setup.cfg": _name_in_setup_cfg,
        "setup.py": _name_in_setup_py,
    }
    names = (_normalized(read(_text(directory / file))) for file, read in readers.items())
    return Package(next(filter(None, names), ""))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _normalized(name: object) -> str:
    """Return `name` as package indexes spell it; "" if it is no name."""
    try:
        return canonicalize_name(Requirement(name).name) if isinstance(name, str) else ""
    except InvalidRequirement:
        return ""


def _name_in_pyproject(text: str) -> object:
    try:
        tables = parse_toml(text, "pyproject.toml")
    except SettingError:
        return ""  # the build reports an invalid file
    return _table(tables, "project").get("name") or _table(_table(tables, "tool"), "poetry").get("name")


def _table(tables: dict[str, Any], key: str) -> dict[str, Any]:
    found = tables.get(key)
    return found if isinstance(found, dict) else {}


def _name_in_setup_cfg(text: str) -> object:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return ""
    return parser.get("metadata", "name", fallback="")


def _name_in_setup_py(text: str) -> object:
    """Return the `name` of a call of setup(): a string, or a variable that a string is assigned to."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ""
    nodes = list(ast.walk(tree))
    calls = (node for node in nodes if isinstance(node, ast.Call) and _called_name(node) == "setup")
    given = next((keyword.value for call in calls for keyword in call.keywords if keyword.arg == "name"), None)
    if isinstance(given, ast.Name):
        given = next((node.value for node in nodes if isinstance(node, ast.Assign) and _assigns(node, given.id)), None)
    return given.value if isinstance(given, ast.Constant) else ""


def _called_name(call: ast.Call) -> str:
    return str(getattr(call.func, "id", None) or getattr(call.func, "attr", ""))


def _assigns(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
