"""Shell scripts: the names of environment variables."""

from __future__ import annotations

import re

from .edits import Edit, apply
from .results import UNCHANGED, Converted, Options, described
from .source import Source
from .vocabulary import environment_variable

_VARIABLE = re.compile(rb"(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]*(?![A-Za-z0-9_])")
_COMMENT = re.compile(rb"(?:^|(?<=\s))#[^\r\n]*")


def shell_edits(code: bytes) -> list[Edit]:
    """Return the edits of a script: variables outside comments."""
    comments = [found.span() for found in _COMMENT.finditer(code)]
    edits = []
    for found in _VARIABLE.finditer(code):
        new = environment_variable(found.group().decode())
        if new and not any(start <= found.start() < end for start, end in comments):
            edits.append(Edit(found.start(), found.end(), new.encode(), "environment variable"))
    return edits


def convert_shell(content: bytes, options: Options) -> Converted:
    """Convert a shell script, if that was asked for."""
    edits = shell_edits(content) if options.shell else []
    if not edits:
        return UNCHANGED
    readable = Source(content.decode("utf-8", "replace").encode()) if _is_binary(content) else Source(content)
    return described(readable, edits, [], apply(content, edits))


def _is_binary(content: bytes) -> bool:
    try:
        content.decode()
        return False
    except UnicodeDecodeError:
        return True
