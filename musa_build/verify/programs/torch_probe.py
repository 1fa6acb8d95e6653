"""Shared by the Python probes: torch with its musa device, and facts on stdout."""

from __future__ import annotations

import importlib
import sys
from typing import Any, NoReturn


def undecided(why: str) -> NoReturn:
    """End the program: the question cannot be answered here."""
    print(f"undecided={why}")
    sys.exit(0)


def fact(name: str, value: object) -> None:
    """Print one fact."""
    print(f"{name}={value}", flush=True)


def torch_with_musa(device: bool = True) -> Any:
    """Return torch with `torch.musa`; with `device`, there must be a card too."""
    try:
        torch: Any = importlib.import_module("torch")
        importlib.import_module("torch_musa")
    except ImportError as error:
        undecided(f"no torch with torch_musa: {error}")
    if device and not torch.musa.is_available():
        undecided("torch.musa finds no device")
    return torch
