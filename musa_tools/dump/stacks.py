"""Call stacks that cost little: file, line and function of the user's frames; the text of lines is read at the end."""

from __future__ import annotations

import functools
import linecache
import sys
from pathlib import Path
from typing import Any

import torch

_NOT_THE_USERS = (
    str(Path(torch.__file__).parent) + "/",
    str(Path(__file__).parent.parent) + "/",
)

Stack = tuple[tuple[str, int, str], ...]


class Stacks:
    """Remembers whose frames are the user's."""

    def __init__(self) -> None:
        self._foreign: dict[str, bool] = {}

    def here(self) -> Stack:
        """Return the user's frames, the innermost first."""
        found = []
        frame: Any = sys._getframe(1)
        foreign = self._foreign
        while frame is not None:
            code = frame.f_code
            name = code.co_filename
            skip = foreign.get(name)
            if skip is None:
                skip = foreign[name] = name.startswith(_NOT_THE_USERS) or name.startswith("<frozen ")
            if not skip:
                found.append((name, frame.f_lineno, code.co_name))
            frame = frame.f_back
        return tuple(found)


def written(stack: Stack) -> list[str]:
    """Return the lines of a stack, as stack.json has them."""
    return [_line(*frame) for frame in stack]


@functools.lru_cache(maxsize=4096)
def _line(file: str, number: int, function: str) -> str:
    return f"File {file}, line {number}, in {function}, \n {linecache.getline(file, number).strip()}"
