"""Folders of the cache that are named by their content: complete or absent, built once, never changed.

Building a new one removes folders that nothing has used for some time.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from .mcc.sdk import LAST_USED, last_used

#: How many folders of one kind are kept, however old they are.
KEPT = 12
#: How many days an unused folder is kept.
DAYS = 14.0


def build_once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return `folder`; if it does not exist, let `fill` fill another one and rename that in one step.

    Processes that ask at the same time wait for the first one.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{folder}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # closing the file releases it, and so does the end of the process
        if not folder.is_dir():
            _build_beside(folder, fill)
    return folder


def _build_beside(folder: Path, fill: Callable[[Path], None]) -> None:
    """Build under another name, then rename; the caller holds the lock."""
    prefix = f"{folder.name}.partial-"
    for left in folder.parent.glob(f"{prefix}*"):  # of a killed run: the lock says that no process uses it
        shutil.rmtree(left, ignore_errors=True)
    building = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    try:
        fill(building)
        building.chmod(0o755)
        building.replace(folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def prune(folders: Iterable[Path], *, kept: int = KEPT, days: float = DAYS) -> None:
    """Remove folders, except the `kept` last used ones and those used within `days`."""
    by_use = sorted(((_last_use(folder), folder) for folder in folders if folder.is_dir()), reverse=True)
    for used, folder in by_use[kept:]:
        if used < time.time() - days * 86400:
            _remove(folder, used)


def _last_use(folder: Path) -> float:
    return last_used(folder / LAST_USED, folder)


def _remove(folder: Path, used: float) -> None:
    """Remove a folder, unless a process is making it or has used it meanwhile."""
    with Path(f"{folder}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return
        if _last_use(folder) == used:
            shutil.rmtree(folder, ignore_errors=True)
