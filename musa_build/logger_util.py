"""`LOGGER`: the logger of musa_build. It has the five methods of torch_musa's `LOGGER`.

It is a named logger with its own handler on stderr, and leaves the root logger alone. torch_musa's LOGGER *is* the root
logger: importing that one enables the messages of every other library and disables a later `logging.basicConfig`.
`MUSA_BUILD_LOG` (debug, info, warning, error, critical) sets the level. The default is info.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING, TextIO

NAME = "musa_build"
_COLOURS = {"WARNING": "\033[33m", "ERROR": "\033[31m", "CRITICAL": "\033[1;31m"}
_PLAIN = "\033[0m"


if TYPE_CHECKING:
    _TextHandler = logging.StreamHandler[TextIO]
else:
    _TextHandler = logging.StreamHandler  # takes no [] before Python 3.11


class _StderrHandler(_TextHandler):
    """Write to the current sys.stderr, so that redirection and pytest's capture see the messages."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:
        return sys.stderr

    @stream.setter
    def stream(self, _: TextIO) -> None:
        raise AttributeError("the stream is always the current sys.stderr")


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        level = record.levelname
        if level in _COLOURS and sys.stderr.isatty() and "NO_COLOR" not in os.environ:
            level = f"{_COLOURS[level]}{level}{_PLAIN}"
        return f"musa_build | {level} : {super().format(record)}"


def make_logger(name: str = NAME, level: str = "") -> logging.Logger:
    """Return the logger `name` with exactly one handler of ours. An unknown level means info."""
    logger = logging.getLogger(name)
    if not any(isinstance(handler, _StderrHandler) for handler in logger.handlers):
        handler = _StderrHandler()
        handler.setFormatter(_Formatter("%(message)s"))
        logger.addHandler(handler)
    logger.propagate = False
    wanted = logging.getLevelName(level.upper())
    logger.setLevel(wanted if isinstance(wanted, int) else logging.INFO)
    return logger


LOGGER = make_logger(level=os.environ.get("MUSA_BUILD_LOG", "info"))
