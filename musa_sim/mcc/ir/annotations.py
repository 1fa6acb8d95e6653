"""`__attribute__((annotate("text", number)))`: clang prints a table of the functions that have one."""

from __future__ import annotations

import re
from typing import NamedTuple

from .text import GLOBAL, bare
from .variables import strings

_TABLE = re.compile(r"^@llvm\.global\.annotations = [^\n]*\n", re.M)
_ROW = re.compile(rf"\{{ ptr ({GLOBAL}), ptr ({GLOBAL}), ptr {GLOBAL}, i32 \d+, ptr ({GLOBAL}|null) \}}")
_NUMBERS = re.compile(rf"^({GLOBAL}) = [^\n]*constant \{{[^\n}}]*\}} \{{ i\d+ (\d+)", re.M)


class Annotation(NamedTuple):
    """What is written at one function."""

    function: str  # bare name
    text: str
    number: int | None  # the first argument, if it is one


def function_annotations(ir: str) -> list[Annotation]:
    """Return the annotations of a module's functions."""
    table = _TABLE.search(ir)
    if not table:
        return []
    texts = strings(ir)
    numbers = {name: int(number) for name, number in _NUMBERS.findall(ir)}
    return [
        Annotation(bare(function), texts[text], numbers.get(arguments))
        for function, text, arguments in _ROW.findall(table.group(0))
        if text in texts
    ]


def remove_annotations(ir: str) -> str:
    """Return the module without the table, which keeps every annotated function alive."""
    return _TABLE.sub("", ir)
