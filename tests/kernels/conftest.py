"""Tests of the kernel library. They need it to be built: MUSA_KERNELS=1 pip install ./backend, or `make kernels`."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True)
def no_fallback(kernel_library: None) -> None:
    """Count from zero: a test that computes on the CPU must know it."""
    torch.musa.reset_fallback_report()
    torch.manual_seed(2026)
