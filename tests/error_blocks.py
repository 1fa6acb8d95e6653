"""Errors of musa_build in the output of a program."""

from __future__ import annotations

import re

_PARTS = r"(?P<parts>(?:\n +(?:found|wanted|hint|see): .*)*)"
_BLOCK = re.compile(rf"^ *error: (?P<what>.*?) \[(?P<code>MB\d+)\]{_PARTS}", re.MULTILINE)


def only_error(output: str) -> str:
    """Return the one error that an output consists of, on one line."""
    assert _BLOCK.fullmatch(output.rstrip("\n")), output
    return last_error(output)


def last_error(output: str) -> str:
    """Return the last error as `str(error)` has it, on one line; "" if there is none."""
    found = [*_BLOCK.finditer(output)]
    if not found:
        return ""
    parts = re.sub(r"\n +(\w+): +", r"; \1: ", found[-1]["parts"])
    return f"error: {found[-1]['what']}{parts} [{found[-1]['code']}]"
