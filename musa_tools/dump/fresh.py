"""Names with the time in them that nothing has yet."""

from __future__ import annotations

import itertools
import time
from pathlib import Path


def fresh(stem: Path, ending: str) -> Path:
    """Return a path with the time in its name that does not exist yet, neither with the ending nor without."""
    base = f"{stem.name}_{time.strftime('%Y%m%d_%H%M%S')}"
    for number in itertools.count():
        path = stem.with_name(f"{base}{f'_{number}' if number else ''}{ending}")
        if not path.exists() and not path.with_suffix("").exists():
            return path
    raise AssertionError("there is always a next number")
