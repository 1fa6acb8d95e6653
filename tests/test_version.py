"""The version of musa_build is written once, in musa_build/__init__.py."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
from pathlib import Path

import musa_build

ROOT = Path(__file__).resolve().parent.parent


def test_the_installed_version_is_the_packages() -> None:
    assert importlib.metadata.version("musa-build") == musa_build.__version__


def test_all_that_names_the_version_names_this_one() -> None:
    """The distributions of a release have one version: pins, change log, and the page of promises in both languages."""
    number = musa_build.__version__
    for package in ("simulator/musa_sim", "tools/musa_tools"):
        text = (ROOT / package / "__init__.py").read_text(encoding="utf-8")
        assert f'\n__version__ = "{number}"\n' in text, package
    pins = re.findall(r'"musa-(?:sim|tools)==([^"]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert pins == [number, number]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", changes, re.MULTILINE)[0] == number
    for page in ("docs/stability.md", "docs/zh/stability.md"):
        named = re.findall(r"`(\d+\.\d+\.\d+(?:rc\d+)?)`", (ROOT / page).read_text(encoding="utf-8"))
        assert named[0] == number, page


def test_the_distribution_takes_its_version_without_an_import(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    package = tmp_path / "musa_build" / "__init__.py"
    package.parent.mkdir()
    package.write_text('__version__ = "7.8.9"\nraise ImportError("this would import torch")\n')
    done = subprocess.run(
        [sys.executable, "setup.py", "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-1] == "7.8.9"
