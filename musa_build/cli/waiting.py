"""A line on a terminal that says what a command is waiting for. It is erased when the wait is over."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import IO, Optional

_ERASE = "\033[K"  # from the cursor on, which waits in the first column: other output overwrites the line


class Waiting:
    """The line. A stream that is no terminal gets none."""

    def __init__(self, stream: IO[str], in_language: Callable[[str], str]) -> None:
        self._stream, self._in_language = stream, in_language
        self._shown = False

    def begins(self, name: str) -> None:
        """Show that the check of this name runs."""
        self.ends()
        if self._stream.isatty():
            self._write(f"        {self._in_language(name)} ...\r")
            self._shown = True

    def ends(self) -> None:
        """Erase the line, if there is one."""
        if self._shown:
            self._write(_ERASE)
            self._shown = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()

    def __enter__(self) -> Waiting:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.ends()
