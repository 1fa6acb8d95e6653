"""Find build requirements that a setup.py imports and that are not installed.

pip installs them where it isolates the build. With --no-build-isolation they are left to the user, and a setup.py that
catches the ImportError continues without its extensions.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from ..environment.settings import parse_toml
from ..errors import SettingError

_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+(?P<module>\w+)", re.MULTILINE)


def missing_imports(directory: Path) -> list[str]:
    """Return the names of a project's build requirements that are missing, and that its setup.py imports.

    Modules beside setup.py count as parts of it. A requirement whose module has another name is not found.
    """
    imported = {canonicalize_name(name) for path in directory.glob("*.py") for name in _imports(path)}
    return [name for name in _required(directory) if canonicalize_name(name) in imported and not _is_installed(name)]


def _imports(path: Path) -> Iterator[str]:
    for found in _IMPORT.finditer(path.read_text(encoding="utf-8", errors="replace")):
        yield found["module"]


def _required(directory: Path) -> Iterator[str]:
    try:
        text = (directory / "pyproject.toml").read_text(encoding="utf-8", errors="replace")
        table = parse_toml(text, "pyproject.toml").get("build-system")
    except (OSError, SettingError):
        return  # the build reports an invalid file
    listed = table.get("requires") if isinstance(table, dict) else None
    for item in listed if isinstance(listed, list) else ():
        try:
            requirement = Requirement(str(item))
        except InvalidRequirement:
            continue
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield requirement.name


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
