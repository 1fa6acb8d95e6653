"""The user's cache: its path, the folders in use, and the removal of old folders.

A folder is in use while a process holds a shared lock on a file in it. The operating system releases the lock when the
process ends, also when it is killed. A folder that is not in use is removed as a whole, under an exclusive lock.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

LOCK = ".in-use"
KEPT = 2  # folders of one kind to keep, however old they are
DAYS = 30.0  # days to keep an unused folder


def user_cache() -> Path:
    """Return the folder of all programs' caches."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute()


def forced_builds() -> Path:
    """Return the folder of the builds with FORCE_MUSA=1, one folder per project."""
    return user_cache() / "musa_build" / "force"


def cuda_toolkits() -> Path:
    """Return the folder of the CUDA toolkits that musa_build.cuda_toolkit writes."""
    return user_cache() / "musa_build" / "cuda"


def jit_builds() -> Path:
    """Return the folder of the builds of `load`: TORCH_EXTENSIONS_DIR, or torch's own in the user's cache."""
    return Path(os.environ.get("TORCH_EXTENSIONS_DIR") or user_cache() / "torch_extensions").absolute()


def use(folder: Path) -> IO[str]:
    """Create `folder` and mark it as in use until the returned file is closed: `prune` does not remove it."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            stream = (folder / LOCK).open("a")
        except FileNotFoundError:
            continue  # another process has just removed it
        fcntl.flock(stream, fcntl.LOCK_SH)
        if _is_still(folder / LOCK, stream):
            os.utime(folder / LOCK)
            return stream
        stream.close()  # another process removed it while this one waited


def prune(folders: Iterable[Path], *, kept: int = KEPT, days: float = DAYS) -> None:
    """Remove the unused ones of `folders`, except the `kept` last used and those used within `days`."""
    by_use = sorted(((last_use(folder), folder) for folder in folders if folder.is_dir()), reverse=True)
    for used, folder in by_use[kept:]:
        if used <= time.time() - days * 86400:
            remove_unused(folder)


def last_use(folder: Path) -> float:
    """Return when a process last used `folder`, in seconds since the epoch; 0 if it does not exist."""
    for path in (folder / LOCK, folder):
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


def remove_unused(folder: Path) -> bool:
    """Remove `folder` unless a process uses it. Return whether it is gone."""
    try:
        with (folder / LOCK).open("a") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        pass  # in use, removed already, or not writable
    return not folder.exists()
