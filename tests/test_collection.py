"""`pytest` without arguments, as `make test` runs it, finds all tests."""

from __future__ import annotations

import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent


def test_no_folder_of_tests_is_skipped(pytestconfig: pytest.Config) -> None:
    folders = {name for path in ROOT.rglob("test_*.py") for name in path.relative_to(ROOT).parts[:-1]}
    assert "build" in folders, "a name that pytest skips by default"
    patterns = pytestconfig.getini("norecursedirs")
    assert not [name for name in folders for pattern in patterns if fnmatch.fnmatch(name, pattern)]
