"""The output and the records of this directory's programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Arrays = dict[str, "np.ndarray[Any, np.dtype[Any]]"]


@dataclass(frozen=True)
class Run:
    """The lines that a program printed, and its records: {(idiom, "in" or "out"): {name: array}}."""

    seed: int
    lines: Mapping[str, str]
    records: Mapping[tuple[str, str], Arrays]
    ending: str


def read_records(content: bytes) -> dict[tuple[str, str], Arrays]:
    """The entries that idiom.h's write_record wrote."""
    records: dict[tuple[str, str], Arrays] = {}
    while content:
        line, content = content.split(b"\n", 1)
        idiom, direction, name, kind, count = line.decode().split()
        size = np.dtype(kind).itemsize * int(count)
        records.setdefault((idiom, direction), {})[name] = np.frombuffer(content[:size], kind)
        content = content[size:]
    return records
