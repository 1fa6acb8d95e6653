"""Hints to install a package: a command that helps on this machine.

pip says "already satisfied" of a package that is installed, even if its files are gone. And a user without a checkout
has no folder to install from.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Optional

_ROOT = Path(__file__).resolve().parents[2]

DEVICE = "torch-musa-sim"
#: Without pip's cache of wheels, which knows neither torch nor the SDK that they were compiled for
INSTALL_SIMULATED_DEVICE = f"pip install --no-build-isolation --no-cache-dir {DEVICE}"
COMPILE_OPTIONS = ("--force-reinstall", "--no-deps", "--no-build-isolation", "--no-cache-dir", "--no-binary", DEVICE)


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


def compile_device_hint(folder: Optional[Path] = None) -> str:
    """Return the command that compiles torch_musa for the torch that is here, from the index or from a folder.

    Without --no-binary, pip would install the index's wheel once more, which was compiled for another torch.
    """
    version = installed_version("musa-build")
    source = shlex.quote(str(folder)) if folder else f"{DEVICE}=={version}" if version else DEVICE
    return f"pip install {' '.join(COMPILE_OPTIONS)} {source}"


def simulator_hint(root: Path = _ROOT) -> str:
    """Return the command that installs the simulated SDK: from the folder of a checkout, if this is one."""
    folder = root / "simulator"
    if (folder / "pyproject.toml").is_file():
        return f"pip install {shlex.quote(str(folder))}"
    return install_hint("musa-sim", installed_version("musa-build"))
