"""The modules that are imported when all tests are collected and none has run: tests/conftest.py notes them."""

from __future__ import annotations

import pytest

IMPORTED_TO_COLLECT = pytest.StashKey[frozenset[str]]()
