"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from musa_tools.errors import ToolError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary path, and rename it when all went well: no reader sees half a file.

    Args:
        path: The file to write. Its folder exists.
    """
    if not path.parent.is_dir():
        raise ToolError(f"no such folder: {path.parent}; make it, or name another place for {path.name}")
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise ToolError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()
