"""Tests of the kernel library. They need it to be built: MUSA_KERNELS=1 pip install ./backend, or `make kernels`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The backend is compiled code: `make unit` runs without it."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.compiles)


@pytest.fixture(autouse=True)
def no_fallback(kernel_library: None) -> None:
    """Count from zero: a test that computes on the CPU must know it."""
    torch.musa.reset_fallback_report()
    torch.manual_seed(2026)
