"""Write a file whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path; when the block ends well, its content becomes that of `path` in one step.

    A device, a pipe or a link is written to: replacing it would destroy it.

    Args:
        path: The file to write. Its folder exists.
    """
    replace = _is_replaceable(path)
    # A folder of devices, as /dev, may refuse new files.
    folder = path.parent if replace else Path(tempfile.gettempdir())
    temporary = folder / f"{path.name}.{os.getpid()}.tmp"
    try:
        yield temporary
        if replace:
            temporary.replace(path)
        else:
            with temporary.open("rb") as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _is_replaceable(path: Path) -> bool:
    """Return whether `path` is a regular file or does not exist yet."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return True
