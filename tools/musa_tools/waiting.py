"""A line on a terminal that says what a command does while it prints nothing. It is erased when that is over.

musa_tools does not need musa_build, so this is its own copy of that one's (system/waiting.py). A test compares them.
"""

from __future__ import annotations

import os
import threading
import time
import unicodedata
from collections.abc import Callable
from types import TracebackType
from typing import IO, Optional

_ERASE = "\033[K"  # from the cursor on, which waits in the first column: other output overwrites the line
_PERIOD = 0.5


class Waiting:
    """The line, with the seconds that its step has taken. A stream that is no terminal gets none.

    It appears when nothing was printed for `quiet` seconds. After that a new step is shown at once: it may be a long
    call of C code, during which no other thread runs.
    """

    def __init__(self, stream: Optional[IO[str]], quiet: float = 1) -> None:
        self._stream, self._quiet = stream, quiet
        self._is_terminal = _is_terminal(stream)
        self._text = ""
        self._shown = ""
        self._printed = self._since = time.monotonic()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._watch: Optional[threading.Thread] = None

    def begins(self, text: str) -> None:
        """Set what the command does from now on."""
        with self._lock:
            self._erase()
            self._text, self._since = text, time.monotonic()
            self._show()
        self._count_on()

    def continues(self, text: str) -> None:
        """Set another text for what the command has been doing."""
        with self._lock:
            self._since = self._since if self._text else time.monotonic()
            self._text = text
        self._count_on()

    def ends(self) -> None:
        """Erase the line, if there is one."""
        with self._lock:
            self._text = ""
            self._erase()

    def before(self, show: Callable[[str], None]) -> Callable[[str], None]:
        """Return `show` as a function that prints in place of the line. The seconds count from there."""

        def shown(text: str) -> None:
            with self._lock:
                self._erase()
                show(text)
                self._printed = self._since = time.monotonic()

        return shown

    def _count_on(self) -> None:
        if self._is_terminal and self._watch is None:
            self._watch = threading.Thread(target=self._count, daemon=True)
            self._watch.start()

    def _count(self) -> None:
        while not self._ended.wait(_PERIOD):
            with self._lock:
                self._show()

    def _show(self) -> None:
        now = time.monotonic()
        if not (self._is_terminal and self._text and now - self._printed >= self._quiet):
            return
        waited = now - self._since
        text = self._fitting(" ..." if waited < 1 else f" ... {waited:.0f} s")
        if text != self._shown:
            self._write(f"{_ERASE}{text}\r")
            self._shown = text

    def _fitting(self, end: str) -> str:
        """Return the text with `end`, cut so that it does not reach the last column."""
        assert self._stream is not None
        room = _width(self._stream) - 1
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        printable = "".join(letter if letter.isprintable() else "?" for letter in self._text)
        cut = ""
        for letter in printable.encode(encoding, "replace").decode(encoding):
            if _columns(cut + letter) > room - len(end):
                break
            cut += letter
        return (cut + end)[: max(room, 0)] if len(end) > room else cut + end

    def _erase(self) -> None:
        if self._shown:
            self._write(_ERASE)
            self._shown = ""

    def _write(self, text: str) -> None:
        assert self._stream is not None
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # closed or broken: the command's own next line says so
            self._is_terminal = False

    def __enter__(self) -> Waiting:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._ended.set()
        if self._watch is not None:
            self._watch.join()
        self.ends()


def _is_terminal(stream: Optional[IO[str]]) -> bool:
    """Return whether a stream is a terminal. Programs may close it, or replace it by another object or None."""
    try:
        return stream is not None and stream.isatty()
    except (AttributeError, ValueError):
        return False


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _width(stream: IO[str]) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
