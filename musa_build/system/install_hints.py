"""Hints to install a package: a command that helps on this machine.

pip says "already satisfied" of a package that is installed, even if its files are gone. And a user without a checkout
has no folder to install from.
"""

from __future__ import annotations

import shlex
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def installed_version(distribution: str) -> str:
    """Return the version in the metadata of a package, "" if this Python has none."""
    from importlib import metadata  # slow, and only errors need it

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def install_hint(distribution: str, version: str = "") -> str:
    """Return the command that installs a package which was not found. pip repairs one of which files are missing."""
    again = "--force-reinstall --no-deps " if installed_version(distribution) else ""
    return f"pip install {again}{distribution}{f'=={version}' if version else ''}"


def simulator_hint(root: Path = _ROOT) -> str:
    """Return the command that installs the simulated SDK: from the folder of a checkout, if this is one."""
    folder = root / "simulator"
    if (folder / "pyproject.toml").is_file():
        return f"pip install {shlex.quote(str(folder))}"
    return install_hint("musa-sim", installed_version("musa-build"))
