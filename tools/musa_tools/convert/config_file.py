"""Configuration files (YAML, JSON, TOML, INI): what names CUDA is noted. They are never changed.

Nothing says which program reads such a file, so a value may mean something else. Only lines are read: in each of these
formats a key, a mark and a value are on one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .edits import UNCLEAR, Note
from .results import UNCHANGED, Converted, described
from .source import Source
from .strings import MUSA, words_of_command
from .vocabulary import OTHER_VALUES

_MAY_NAME = re.compile(rb"cuda|nccl|CUDA|NCCL")
_COMMENT = re.compile(r"(?:^|(?<=\s))[#;].*")
_VALUE = re.compile(r"(?:[:=]\s*\[?|,|^\s*-|^\s*(?=[\"']))\s*\\?[\"']?(cuda|nccl)(?::\d+)?\\?[\"']?\s*(?=[,\]}]|$)")
_MODULE = re.compile(r"\btorch\.cuda(?=[.\"'\s,]|$)")
_OTHER = re.compile(r"(?<![A-Za-z0-9_])(?:" + "|".join(OTHER_VALUES) + r")(?=[\"']?\s*[:=])")
_MOST = 20  # notes on one file


def convert_config(content: bytes) -> Converted:
    """Note the lines of a configuration that name a device, a backend, or a variable of CUDA's."""
    if _MAY_NAME.search(content) is None:
        return UNCHANGED
    source = Source(content.decode("utf-8", "replace").encode())
    notes: list[Note] = []
    start = 0
    for line in source.code.splitlines(keepends=True):
        if _MAY_NAME.search(line):
            text = line.decode("latin-1")  # a character is a byte
            notes += (Note(start + at, UNCLEAR, message) for at, message in _named(_COMMENT.sub("", text).rstrip()))
        start += len(line)
    if len(notes) > _MOST:
        message = f"{notes[_MOST].message} (and {len(notes) - _MOST - 1} more in this file)"
        notes = [*notes[:_MOST], Note(notes[_MOST].offset, UNCLEAR, message)]
    return described(source, [], notes, None)


def _named(line: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and the message of each name of CUDA's in a line."""
    found = {each.start(1): (each[1], MUSA[each[1]]) for each in _VALUE.finditer(line)}
    found.update({each.start(): (each[0], "torch.musa") for each in _MODULE.finditer(line)})
    found.update({word.start: (line[word.start : word.end], word.new) for word in words_of_command(line)})
    for at, (old, new) in sorted(found.items()):
        yield at, f"{old} is {new} on MUSA; configuration files are not changed"
    yield from ((each.start(), f"{each[0]} {OTHER_VALUES[each[0]]}") for each in _OTHER.finditer(line))
