"""Merge the dependency files of several passes into one."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CONTINUATION = re.compile(r"\\\r?\n")
_UNESCAPED_SPACE = re.compile(r"(?<!\\)\s+")


def _rules(text: str) -> list[tuple[str, list[str]]]:
    rules: list[tuple[str, list[str]]] = []
    for line in _CONTINUATION.sub(" ", text).splitlines():
        if line.strip():
            target, _, names = line.partition(": ") if ": " in line else line.rpartition(":")
            rules.append((target.strip(), [name for name in _UNESCAPED_SPACE.split(names.strip()) if name]))
    return rules


def merge_dependency_files(texts: Sequence[str]) -> str:
    """One make rule with the prerequisites of all texts' first rules, in order, each once.

    Further rules (-MP's empty ones) are kept after it.
    """
    parsed = [_rules(text) for text in texts if text.strip()]
    if not parsed:
        return ""
    target = parsed[0][0][0]
    names = dict.fromkeys(name for rules in parsed for name in rules[0][1])
    phony = dict.fromkeys(rule[0] for rules in parsed for rule in rules[1:])
    lines = [f"{target}: " + " \\\n  ".join(names), *(f"\n{name}:" for name in phony)]
    return "\n".join(lines) + "\n"
