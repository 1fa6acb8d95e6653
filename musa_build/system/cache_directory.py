"""The user's cache: where it is, which of its folders are in use, and how old ones go.

A folder is in use while a process holds a shared lock on a file in it. The lock is the operating system's: it ends with
the process, however that ends. A folder that nobody uses is removed as a whole, under an exclusive lock.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

_LOCK = ".in-use"
KEPT = 2  # folders of one kind that stay however old they are
DAYS = 30.0  # for which unused folders stay


def user_cache() -> Path:
    """Return the folder for the caches of all programs."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute()


def use(folder: Path) -> IO[str]:
    """Make `folder`, and hold it until what is returned is closed: `prune` leaves it alone."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            stream = (folder / _LOCK).open("a")
        except FileNotFoundError:
            continue  # removed just now
        fcntl.flock(stream, fcntl.LOCK_SH)
        if _is_still(folder / _LOCK, stream):
            os.utime(folder / _LOCK)
            return stream
        stream.close()  # it was removed while this waited


def prune(folders: Iterable[Path], *, kept: int = KEPT, days: float = DAYS) -> None:
    """Remove those of `folders` that are not in use, but for the `kept` last used and those used within `days`."""
    by_use = sorted(((_last_use(folder), folder) for folder in folders if folder.is_dir()), reverse=True)
    for used, folder in by_use[kept:]:
        if used <= time.time() - days * 86400:
            _remove_unused(folder)


def _last_use(folder: Path) -> float:
    for path in (folder / _LOCK, folder):
        try:
            return path.stat().st_mtime
        except FileNotFoundError:
            continue
    return 0.0


def _is_still(path: Path, stream: IO[str]) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(stream.fileno()))
    except FileNotFoundError:
        return False


def _remove_unused(folder: Path) -> None:
    try:
        with (folder / _LOCK).open("a") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return  # in use, gone, or not ours to change: it stays
