"""The SDK root that this mcc is in, and the time stamps that say when a part of the cache was last used."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .clang.toolchain import Toolchain

LAST_USED = Path("share", "musa_sim", "last_used")
#: A stamp younger than this (seconds) is not written again: a parallel build uses an entry many times a second.
_FRESH = 1.0


class Sdk(NamedTuple):
    """An SDK root, and the compilers that were found when it was created."""

    root: Path
    toolchain: Toolchain

    @property
    def include(self) -> str:
        """Its headers."""
        return str(self.root / "include")

    @property
    def library(self) -> str:
        """Its libraries."""
        return str(self.root / "lib")

    @property
    def last_used(self) -> Path:
        """The file whose time stamp says when this root was last used. The runtime sets it too (base/last_use.cpp)."""
        return self.root / LAST_USED

    @property
    def precompiled(self) -> Path:
        """Its precompiled headers. Each is made when it is first needed."""
        return self.root / "share" / "musa_sim" / "precompiled"


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
