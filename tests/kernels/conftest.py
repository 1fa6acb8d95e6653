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


@pytest.fixture(scope="session", autouse=True)
def kernel_library() -> None:
    """Skip where the library was not built: it takes minutes, so `make test` does without."""
    if torch.musa.operator_kinds()["aten::mul.out"] != "native":
        pytest.skip("the kernel library is not installed: make kernels")


@pytest.fixture(autouse=True)
def no_fallback() -> None:
    """Count from zero: a test that computes on the CPU must know it."""
    torch.musa.reset_fallback_report()
    torch.manual_seed(2026)
