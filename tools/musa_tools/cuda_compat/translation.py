"""Translate devices and backends, and list the translations."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any, Optional

import torch

from ..convert.meanings import DEVICE, Meaning
from ..convert.strings import converted

_OURS = frozenset({"torch", "torch_musa", "musa_tools", "importlib", "runpy"})


def asked_by_torch(depth: int = 2) -> bool:
    """Whether PyTorch's own code is asking: it sees things as they are."""
    return sys._getframe(depth).f_globals.get("__name__", "").split(".")[0] in _OURS


class Translations:
    """Translates devices and backends, and counts the translations, with the first position of each."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._locations: dict[tuple[str, str], str] = {}

    def count(self, old: str, new: str) -> None:
        """Remember a translation."""
        pair = old, new
        self._counts[pair] += 1
        if pair not in self._locations:
            self._locations[pair] = _location()

    def device(self, value: Any) -> Any:
        """Return the MUSA device for a device or its name; anything else unchanged."""
        if isinstance(value, str):
            change = converted(value, DEVICE)
            if change is None:
                return value
            self.count(repr(value), repr(change[0]))
            return change[0]
        if type(value) is torch.device and value.type == "cuda":
            new = torch.device("musa", value.index) if value.index is not None else torch.device("musa")
            self.count(str(value), str(new))
            return new
        return value

    def backend(self, value: Any) -> Any:
        """Return a backend's name on MUSA."""
        change = converted(value, Meaning.BACKEND) if isinstance(value, str) else None
        if change is None:
            return value
        self.count(repr(value), repr(change[0]))
        return change[0]

    def text(self) -> str:
        """Return the list of translations, with the location of each first one."""
        lines = [
            f"  {old} -> {new}: {count}x, first in {self._locations[old, new]}" for (old, new), count in self._sorted()
        ]
        return "\n".join(["cuda_compat translated:", *lines]) if lines else "cuda_compat translated nothing"

    def _sorted(self) -> list[tuple[tuple[str, str], int]]:
        return sorted(self._counts.items())


def _location() -> str:
    """Return file and line of the code that is not PyTorch's and not ours."""
    frame: Optional[Any] = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in _OURS:
        frame = frame.f_back
    return "?" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
