"""Write a file that the user named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from musa_tools.errors import ToolError
from musa_tools.whole_file import whole_file


@contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """Like `whole_file`, for a file that the user named: raise ToolError if it cannot be written."""
    if not path.parent.is_dir():
        raise ToolError(f"no such folder: {path.parent}; make it, or name another place for {path.name}")
    try:
        with whole_file(path) as temporary:
            yield temporary
    except OSError as error:
        raise ToolError(f"cannot write {path}: {error.strerror or error}") from error
