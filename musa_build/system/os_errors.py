"""Turn an OSError about a file into an error with a hint: reading or writing, permission, read-only or full disk."""

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
    """Return an error with a hint for a denied access to a file; None for any other `error`."""
    if error.errno not in (*_PERMISSION, *_WRITING):
        return None
    path = Path(os.fsdecode(error.filename)) if isinstance(error.filename, (str, bytes)) else None
    found = f"{error.strerror}: {path}" if path else str(error)
    if error.errno in _PERMISSION and path is not None and _cannot_be_read(path):
        return UnreadableError(
            "permission denied while reading",
            found=found,
            wanted="a file that the current user can read",
            hint="change its owner or its mode (chmod)",
        )
    return UnwritableError(
        _WRITING.get(error.errno or 0, "permission denied while writing build output"),
        found=found,
        wanted="a writable directory",
        hint="choose others with `build_ext --build-temp DIR --build-lib DIR`; sources may be read-only",
    )


def _cannot_be_read(path: Path) -> bool:
    """Return whether the path, or the nearest existing directory above it, is not readable."""
    nearest = next((folder for folder in (path, *path.parents) if os.path.lexists(folder)), path)
    needed = os.R_OK | os.X_OK if nearest.is_dir() else os.R_OK
    return not os.access(nearest, needed)
