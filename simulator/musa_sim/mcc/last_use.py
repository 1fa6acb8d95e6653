"""When part of a cache was last used: the time stamp of a file."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

#: Below this age (seconds) a stamp is left as it is: a parallel build uses the same entry many times a second.
_FRESH = 1.0


def mark_used(stamp: Path) -> None:
    """Set a file's time stamp to now. Do nothing if it is less than a second old, missing or not ours to change."""
    with suppress(OSError):
        if time.time() - stamp.stat().st_mtime > _FRESH:
            os.utime(stamp)


def last_used(*stamps: Path) -> float:
    """Return the time stamp of the first of these files that exists, in seconds; 0 if none does."""
    for stamp in stamps:
        with suppress(OSError):
            return stamp.stat().st_mtime
    return 0.0
