"""A file with one JSON value per line, in the system's hands as soon as it is written."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Optional

from musa_tools.dump.session_file import write_session
from musa_tools.dump.writing import WriteFailure


class LineStore:
    """Appends lines to a file, which is made or emptied with the first line.

    Args:
        path: The file; its folder is made. ``.session.json`` beside it describes the run.
        failure: Records errors of writing.
        config: The user's settings, for that file.
    """

    def __init__(self, path: Path, failure: WriteFailure, config: Mapping[str, Any]) -> None:
        self.path = path
        self._config = config
        self._failure = failure
        self._file: Optional[BinaryIO] = None
        self._lock = threading.Lock()

    def add(self, lines: Iterable[Any]) -> None:
        """Append lines, one after the other."""
        text = "".join(json.dumps(line) + "\n" for line in lines)
        with self._lock:
            self._failure.guarded(self._write, text.encode())

    def close(self) -> None:
        """Close the file; nothing more is written."""
        with self._lock:
            if self._file is not None:
                self._file.close()

    def _write(self, text: bytes) -> None:
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("wb", buffering=0)
            write_session(self.path.with_suffix(".session.json"), self._config)
        self._file.write(text)


def unique_name(stem: Path, ending: str) -> Path:
    """Return a path with the time in its name that does not exist yet, with or without the ending."""
    base = f"{stem.name}_{time.strftime('%Y%m%d_%H%M%S')}"
    for number in itertools.count():
        path = stem.with_name(f"{base}{f'_{number}' if number else ''}{ending}")
        if not path.exists() and not path.with_suffix("").exists():
            return path
    raise AssertionError("there is always a next number")
