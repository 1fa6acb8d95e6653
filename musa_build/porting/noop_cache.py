"""The no-op cache: answers a command that is repeated although nothing has changed.

A build runs porting every time. If the same command runs in the same folder, and every file and folder that it read or
wrote still has its time stamps, the answer is the same, with nothing written. It is given without loading the engine.
The cache is a file in the output folder; `api.inputs_and_outputs` lists its dependencies.

This module imports only `os` and `sys`, so that the answer comes before other modules are loaded.
"""
# ruff: noqa: PTH100, PTH109, PTH113, PTH116, PTH123
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


def cached_output(arguments: Sequence[str]) -> Optional[str]:
    """Return the output of the command with these `arguments` if it has nothing to do; None if it may have work."""
    for argument in arguments:
        for folder in (os.path.abspath(argument) + "_musa", argument):
            if not os.path.isfile(f"{folder}/{NAME}"):  # to open a pipe would wait for a writer
                continue
            try:
                with open(f"{folder}/{NAME}", encoding="utf-8", errors="surrogateescape") as stream:
                    head, stamps, output_text = stream.read().split("\n\n", 2)
            except (OSError, ValueError):
                continue
            if head == _head(arguments) and all(map(_is_unchanged, stamps.split("\n"))):
                return output_text
    return None


def cache_entry(arguments: Sequence[str], stamps: Mapping[str, tuple[int, int, int]], output_text: str) -> bytes:
    """Return the content of the file `NAME`, by which `cached_output` recognises this command.

    `stamps` covers all files and folders whose change would change the answer: absolute path -> modification time,
    change time and size from before the path was read.
    """
    lines = "\n".join(f"{stamp[0]},{stamp[1]},{stamp[2]} {path}" for path, stamp in stamps.items())
    return f"{_head(arguments)}\n\n{lines}\n\n{output_text}".encode("utf-8", "surrogateescape")


def _head(arguments: Sequence[str]) -> str:
    parts = (sys.version.split()[0], os.getcwd(), *arguments)
    return " ".join(part.replace("%", "%25").replace("\n", "%0A").replace(" ", "%20") for part in parts)


def _is_unchanged(line: str) -> bool:
    stamp, _, path = line.partition(" ")
    return _stamp(path) == stamp


def _stamp(path: str) -> str:
    """Return both time stamps and the size. Those of a folder change when an entry is added or removed."""
    try:
        status = os.stat(path)
    except OSError:
        return _GONE
    return f"{status.st_mtime_ns},{status.st_ctime_ns},{status.st_size}"
