"""A command that is given again, with nothing changed since, is answered from memory.

A build runs porting every time. When the same command is given in the same folder, and every file and folder that it
read or wrote still has the time stamps it had, the answer is known: the same, with nothing written. It is given without
loading the engine. What was seen is kept in the output folder; `run.facts` lists it.

This module imports nothing but `os` and `sys` on purpose: the answer is there before other modules would be loaded.
"""
# ruff: noqa: PTH100, PTH109, PTH116, PTH123
# (For the same reason there is no pathlib.)

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing's own constant costs the import of typing
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Optional

NAME = ".musa_build_porting.last"

_GONE = "-"


def replay(arguments: Sequence[str]) -> Optional[str]:
    """What the command with these `arguments` says when it has nothing to do; None if it may have."""
    for word in arguments:
        for folder in (os.path.abspath(word) + "_musa", word):
            try:
                with open(f"{folder}/{NAME}", encoding="utf-8", errors="surrogateescape") as stream:
                    head, seen, said = stream.read().split("\n\n", 2)
            except (OSError, ValueError):
                continue
            if head == _head(arguments) and all(map(_is_as_it_was, seen.split("\n"))):
                return said
    return None


def memory(arguments: Sequence[str], seen: Mapping[str, tuple[int, int, int]], said: str) -> bytes:
    """The content of the file `NAME`, by which `replay` knows this command again.

    `seen` holds all files and folders whose change would change the answer: absolute path -> modification time, change
    time and size, as they were before the path was read.
    """
    lines = "\n".join(f"{stamp[0]},{stamp[1]},{stamp[2]} {path}" for path, stamp in seen.items())
    return f"{_head(arguments)}\n\n{lines}\n\n{said}".encode("utf-8", "surrogateescape")


def _head(arguments: Sequence[str]) -> str:
    words = (sys.version.split()[0], os.getcwd(), *arguments)
    return " ".join(word.replace("%", "%25").replace("\n", "%0A").replace(" ", "%20") for word in words)


def _is_as_it_was(line: str) -> bool:
    stamp, _, path = line.partition(" ")
    return _stamp(path) == stamp


def _stamp(path: str) -> str:
    """Both time stamps and the size; of a folder they change when something comes or goes in it."""
    try:
        status = os.stat(path)
    except OSError:
        return _GONE
    return f"{status.st_mtime_ns},{status.st_ctime_ns},{status.st_size}"
