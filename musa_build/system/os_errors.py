"""What a refused access to a file was about: reading or writing, permission, a read-only file system or a full one."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Optional

from ..errors import MusaBuildError, UnreadableError, UnwritableError

_PERMISSION = (errno.EACCES, errno.EPERM)
_WRITING = {
    errno.EROFS: "the file system of the build output is read-only",
    errno.ENOSPC: "no space is left for build output",
    errno.EDQUOT: "the disk quota is used up by build output",
}


def refused_access(error: OSError) -> Optional[MusaBuildError]:
    """`error` as one that says what may be done about it; None where it is about something else."""
    if error.errno not in (*_PERMISSION, *_WRITING):
        return None
    path = Path(os.fsdecode(error.filename)) if isinstance(error.filename, (str, bytes)) else None
    found = f"{error.strerror}: {path}" if path else str(error)
    if error.errno in _PERMISSION and path is not None and _cannot_be_read(path):
        return UnreadableError(
            "permission denied while reading",
            found=found,
            wanted="a file that the user who builds may read",
            hint="change its owner or its mode (chmod)",
        )
    return UnwritableError(
        _WRITING.get(error.errno or 0, "permission denied while writing build output"),
        found=found,
        wanted="a directory that can be written to",
        hint="name others with `build_ext --build-temp DIR --build-lib DIR`; sources may be read-only",
    )


def _cannot_be_read(path: Path) -> bool:
    """Whether the path, or the nearest directory above it that can be seen at all, refuses to be read."""
    nearest = next((folder for folder in (path, *path.parents) if os.path.lexists(folder)), path)
    needed = os.R_OK | os.X_OK if nearest.is_dir() else os.R_OK
    return not os.access(nearest, needed)
