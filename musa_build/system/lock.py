"""A lock between processes.

It is the operating system's (flock): a killed process leaves no locked file behind. The library filelock takes the same
lock, but a build with nothing to do takes 5 to 6 % longer with it, mostly for its import. So no package here uses it.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ..logger_util import LOGGER

_SILENT_SECONDS = 1.0  # short waits are not logged
_POLL_SECONDS = 0.02


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path` for the length of the block, across processes and threads.

    Wait while another process or thread holds it. Log a message after a second of waiting.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        _acquire(file, path)
        yield  # closing the file releases the lock


def _acquire(file: IO[str], path: Path) -> None:
    deadline = time.monotonic() + _SILENT_SECONDS
    while time.monotonic() < deadline:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(_POLL_SECONDS)
    LOGGER.info("waiting for another build to release the lock %s", path)
    fcntl.flock(file, fcntl.LOCK_EX)
