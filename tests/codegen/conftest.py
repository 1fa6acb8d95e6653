"""PyTorch's functions, read once."""

from __future__ import annotations

from pathlib import Path

import pytest
from musa_codegen.pytorch import PyTorch

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def pytorch() -> PyTorch:
    return PyTorch.installed()
