"""The generator lies beside the backend, and is no part of a distribution."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY / "backend" / "codegen"))

from musa_codegen.pytorch import PyTorch


@pytest.fixture(scope="session")
def pytorch() -> PyTorch:
    return PyTorch.installed()
