"""The log of a tool: standard output, or one file per rank."""

from __future__ import annotations

import datetime
import threading
import warnings
from pathlib import Path
from typing import Optional, TextIO

#: Files that this process has begun: the first tool that writes empties a file, later ones add to it.
_BEGUN: set[str] = set()


class Log:
    """Writes whole entries, also from several threads. A file that cannot be written costs one warning, not the run."""

    def __init__(self, path: Optional[Path] = None) -> None:
        self._path = path
        self._file: Optional[TextIO] = None
        self._lock = threading.Lock()

    def write(self, text: str, flush: bool = True) -> None:
        """Write an entry of one or more lines.

        Args:
            text: The lines.
            flush: False where another entry follows soon.
        """
        with self._lock:
            if self._path is None:
                print(text, flush=flush)
                return
            try:
                if self._file is None:
                    self._file = self._open(self._path)
                self._file.write(text + "\n")
                if flush:
                    self._file.flush()
            except OSError as error:
                self._give_up(error)
                print(text, flush=True)

    def close(self) -> None:
        """Close the file; a later entry opens it again."""
        with self._lock:
            if self._file is not None:
                try:
                    self._file.close()
                except OSError as error:
                    self._give_up(error)
                self._file = None

    def _open(self, path: Path) -> TextIO:
        path.parent.mkdir(parents=True, exist_ok=True)
        key = str(path.resolve())
        first = key not in _BEGUN
        file = path.open("w" if first else "a", encoding="utf-8")
        if first:
            _BEGUN.add(key)
            file.write(datetime.datetime.now().strftime("%Y-%m-%d, %H:%M:%S") + "\n")
        return file

    def _give_up(self, error: OSError) -> None:
        warnings.warn(
            f"cannot write the log {self._path}: {error.strerror or error}. The run goes on; further lines are "
            "printed. Choose another output_dir, or make room.",
            RuntimeWarning,
            stacklevel=4,
        )
        self._path = self._file = None
