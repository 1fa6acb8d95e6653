"""Which package is built, and what is known about single ones: packages.toml, and a file of the user's.

Both are read as data. packages.toml explains the format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from ..environment.settings import FORCE_PACKAGES, Settings, parse_toml
from ..errors import SettingError

_FILE = Path(__file__).with_name("packages.toml")
_KEYS = ("environment", "rules")
_WANTED = "tables [package-name] with environment = { NAME = \"value\" } and rules = { \"text\" = \"replacement\" }"


@dataclass(frozen=True)
class Needs:
    """What one package needs. `environment` is set for its build; `rules` (text -> replacement) are used in porting its
    sources, before all others."""

    environment: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Package:
    """A project's name, as package indexes spell it, and its version; "" where the project does not say."""

    name: str
    version: str = ""


def identify(directory: Path) -> Package:
    """The project in `directory`: by its PKG-INFO (source distributions have one), else by what its build files say."""
    metadata = _text(directory / "PKG-INFO")
    if metadata:
        headers = HeaderParser().parsestr(metadata)
        return Package(canonicalize_name(headers.get("Name", "")), headers.get("Version", ""))
    for file in ("pyproject.toml", "setup.cfg", "setup.py"):
        found = re.search(r"""^\W*name\s*=\s*["']?([\w.-]+)["']?\s*,?\s*$""", _text(directory / file), re.MULTILINE)
        if found:
            return Package(canonicalize_name(found[1]))
    return Package("")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def needs_of(package: Package, settings: Settings) -> Needs:
    """What is known about `package`; the user's file wins. Raises SettingError."""
    own = settings.value(FORCE_PACKAGES)
    files = [_FILE, *([Path(own.text).expanduser()] if own.text else [])]
    entries = [_entries(path, str(path)).get(package.name, {}) for path in files]
    merged = {key: {name: value for entry in entries for name, value in entry.get(key, {}).items()} for key in _KEYS}
    return Needs(**merged)


def _entries(path: Path, origin: str) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    try:
        tables = parse_toml(path.read_text(encoding="utf-8"), origin)
    except OSError as error:
        raise SettingError("the file of package rules cannot be read", found=f"{path}: {error.strerror}") from error
    for name, entry in tables.items():
        if not (isinstance(entry, dict) and all(_is_valid(key, value) for key, value in entry.items())):
            raise SettingError("the file of package rules cannot be used", found=f"[{name}] in {path}", wanted=_WANTED)
    return {canonicalize_name(name): entry for name, entry in tables.items()}


def _is_valid(key: str, value: Any) -> bool:
    return key in _KEYS and isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
