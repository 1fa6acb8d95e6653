"""Shell scripts and commands: the environment's variables, and options that name a device or a backend.

They are changed on request. Else each is noted, as is what says CUDA otherwise.
"""

from __future__ import annotations

import re

from .edits import UNCLEAR, Edit, Note, apply
from .results import UNCHANGED, Converted, Options, described
from .source import Source
from .strings import names_of_cuda, tools_of_nvidia, words_of_command

_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\r\n]*")
_PYTHON = re.compile(r"\btorch\.cuda\b|\.cuda\(|\b\w*device\s*=\s*\\?[\"']cuda\b")
_SHOWS = re.compile(r"\s*(?:echo|printf|log\w*)\b")


def shell_findings(code: bytes, options: Options) -> tuple[list[Edit], list[Note]]:
    """Return the edits of commands, if requested, and notes on the others."""
    text = code.decode("latin-1")  # a character is a byte
    text = _COMMENT.sub(lambda found: " " * len(found[0]), text)
    words = words_of_command(text)
    edits, notes = [], []
    for word in words:
        if options.shell:
            edits.append(Edit(word.start, word.end, word.new.encode(), word.rule))
        else:
            message = f"{text[word.start : word.end]} is {word.new} on MUSA: --shell changes it"
            notes.append(Note(word.start, UNCLEAR, message))
        text = text[: word.start] + " " * (word.end - word.start) + text[word.end :]
    start = 0
    for line in text.splitlines(keepends=True):
        if not _SHOWS.match(line):
            left = names_of_cuda(line)
            messages = ([f"this command still says {', '.join(left)}"] if left else []) + tools_of_nvidia(line)
            if not messages and _PYTHON.search(line):
                messages = ["this line has Python for CUDA: change it by hand"]
            notes += (Note(start, UNCLEAR, message) for message in messages)
        start += len(line)
    return edits, notes


def convert_shell(content: bytes, options: Options) -> Converted:
    """Convert a shell script, if requested; else note what would change."""
    edits, notes = shell_findings(content, options)
    if not edits and not notes:
        return UNCHANGED
    readable = Source(content.decode("utf-8", "replace").encode()) if _is_binary(content) else Source(content)
    return described(readable, edits, notes, apply(content, edits) if edits else None)


def _is_binary(content: bytes) -> bool:
    try:
        content.decode()
        return False
    except UnicodeDecodeError:
        return True
