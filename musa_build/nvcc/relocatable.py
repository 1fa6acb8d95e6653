"""Find relocatable device code in the inputs of a link: only then does nvcc's link need a device link.

mcc's device link reads the code itself. Here the name of its section is enough.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator

from .command import Command

#: The section of clang's relocatable device code, under MUSA's name: the simulator's; a guess for the real mcc.
_SECTION = b"__mt_relfatbin"


def static_libraries(command: Command) -> Iterator[str]:
    """Yield the static libraries that a link names by -l: those in the folders of -L."""
    folders = _values(command, "library-path")
    for name in _values(command, "library"):
        found = (f"{folder}/lib{name}{suffix}" for folder in folders for suffix in (".so", ".a"))
        path = next(filter(os.path.isfile, found), "")
        if path.endswith(".a"):
            yield path


def _values(command: Command, key: str) -> list[str]:
    return [value for flag in command.flags if flag.key == key for value in flag.value.split(",")]


def is_in(paths: Iterable[str]) -> bool:
    """Return whether one of these objects and archives has relocatable device code."""
    return any(map(_has_section, paths))


def _has_section(path: str) -> bool:
    try:
        with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(_SECTION) >= 0
    except (OSError, ValueError):
        return False  # not there, or empty: the linker says so
