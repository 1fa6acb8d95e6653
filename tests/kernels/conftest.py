"""Tests of the kernel library. They need it to be built: MUSA_KERNELS=1 pip install ./backend, or `make kernels`."""

from __future__ import annotations

import pytest
import torch


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
