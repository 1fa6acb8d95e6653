"""Variables and porting rules for single packages, from quirks.toml and a file of the user's.

Both files are data. quirks.toml explains the format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from ..environment.settings import FORCE_PACKAGES, Settings, parse_toml
from ..errors import SettingError
from .package_name import Package

_FILE = Path(__file__).with_name("quirks.toml")
_KEYS = ("environment", "rules")
_WANTED = 'tables [package-name] with environment = { NAME = "value" } and rules = { "text" = "replacement" }'


@dataclass(frozen=True)
class PackageQuirks:
    """The variables and rules of one package.

    `environment` is set for its build. `rules` (text -> replacement) port its sources and win over all others.
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)


def quirks_of(package: Package, settings: Settings) -> PackageQuirks:
    """Return the quirks of `package`; the user's file wins over quirks.toml.

    Raises:
        SettingError: The user's file cannot be read or has another format.
    """
    own = settings.value(FORCE_PACKAGES)
    files = [_FILE, *([Path(own.text).expanduser()] if own.text else [])]
    entries = [_entries(path).get(package.name, {}) for path in files]
    merged = {key: {name: value for entry in entries for name, value in entry.get(key, {}).items()} for key in _KEYS}
    return PackageQuirks(**merged)


def _entries(path: Path) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    try:
        tables = parse_toml(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise SettingError("the file of package rules cannot be read", found=f"{path}: {error.strerror}") from error
    for name, entry in tables.items():
        if not (isinstance(entry, dict) and all(_is_valid(key, value) for key, value in entry.items())):
            raise SettingError("the file of package rules cannot be used", found=f"[{name}] in {path}", wanted=_WANTED)
    return {canonicalize_name(name): entry for name, entry in tables.items()}


def _is_valid(key: str, value: Any) -> bool:
    return key in _KEYS and isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
