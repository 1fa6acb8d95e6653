"""The command line of `musa-build`, also `python -m musa_build`."""

from __future__ import annotations

from .main import main

__all__ = ["main"]
