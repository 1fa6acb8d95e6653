"""Finds functions in torch_musa's modules by name, under torch_musa's name."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import Union


def load_ext(name: str, funcs: Union[str, Sequence[str], None] = None) -> ModuleType:
    """Import torch_musa.NAME. Raises AssertionError if it lacks one of `funcs`."""
    module = importlib.import_module(f"torch_musa.{name}")
    wanted = [funcs] if isinstance(funcs, str) else (funcs or [])
    for function in wanted:
        assert hasattr(module, function), f"{function} not found in module {name}"
    return module
