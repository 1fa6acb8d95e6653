"""Command lines inside strings: `CUDA_VISIBLE_DEVICES=0 python train.py --device cuda:0 --backend nccl`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .kinds import Kind, kind_of_name
from .vocabulary import environment_variable

_VARIABLE = re.compile(r"(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]*(?![A-Za-z0-9_])")
_OPTION = re.compile(r"(?<![\w-])--?([A-Za-z][\w.-]*)(?:\s*=\s*|\s+)[\"']?(cuda|nccl)(?![\w/.-])")
_INDEXED = re.compile(r"(?<![\w/.:-])cuda(?=:\d)")
_MUSA = {"cuda": "musa", "nccl": "mccl"}


@dataclass(frozen=True)
class Word:
    """A word of a command that MUSA calls otherwise. `start` and `end` are offsets in the text."""

    start: int
    end: int
    new: str
    rule: str


def words_of_command(text: str) -> list[Word]:
    """Return the words to change in a command, or in a part of one."""
    found = {word.start: word for word in _words(text)}
    return [found[start] for start in sorted(found)]


def _words(text: str) -> Iterator[Word]:
    for each in _VARIABLE.finditer(text):
        variable = environment_variable(each.group())
        if variable:
            yield Word(*each.span(), variable, "environment variable")
    for each in _INDEXED.finditer(text):
        yield Word(*each.span(), "musa", "device string")
    for each in _OPTION.finditer(text):
        wanted = Kind.BACKEND if each.group(2) == "nccl" else Kind.DEVICE
        if kind_of_name(each.group(1)) & wanted:
            rule = "backend string" if wanted is Kind.BACKEND else "device string"
            yield Word(*each.span(2), _MUSA[each.group(2)], rule)
