"""Folders of the cache that are named by their content: whole or not there, made once, never changed."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Return `folder`; if it does not exist, let `make` fill another one and move that to its place in one step.

    Processes that ask at the same time wait for the first one.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{folder}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # closing the file releases it, and so does the end of the process
        if not folder.is_dir():
            _make_beside(folder, make)
    return folder


def _make_beside(folder: Path, make: Callable[[Path], None]) -> None:
    """Make under another name, then move; the caller holds the lock."""
    prefix = f"{folder.name}.partial-"
    for left in folder.parent.glob(f"{prefix}*"):  # of a run that was killed: the lock says that nobody is in it
        shutil.rmtree(left, ignore_errors=True)
    building = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    try:
        make(building)
        building.chmod(0o755)
        building.replace(folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)
