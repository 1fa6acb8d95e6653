"""Merge the dependency files of several passes into one."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_CONTINUATION = re.compile(r"\\\r?\n")
_UNESCAPED_SPACE = re.compile(r"(?<!\\)\s+")


def _rules(text: str) -> list[tuple[str, list[str]]]:
    rules: list[tuple[str, list[str]]] = []
    for line in _CONTINUATION.sub(" ", text).splitlines():
        if line.strip():
            target, _, names = line.partition(": ") if ": " in line else line.rpartition(":")
            rules.append((target.strip(), [name for name in _UNESCAPED_SPACE.split(names.strip()) if name]))
    return rules


def prerequisites(text: str) -> list[str]:
    """Return the prerequisites of the first rule of a dependency file, without make's escapes."""
    return [_unescaped(name) for name in _rules(text)[0][1]] if text.strip() else []


def _unescaped(name: str) -> str:
    return re.sub(r"\\([ #])", r"\1", name).replace("$$", "$")


def merge_dependency_files(texts: Sequence[str], first: str = "", left_out: Collection[str] = ()) -> str:
    """Return one make rule with the prerequisites of the first rules of all texts: in order, each once.

    `left_out` are not among them. The file `first` comes first if it is one of them, and has no rule of its own: with a
    precompiled header clang names others before it.
    Further rules (-MP's empty ones) are kept after it.
    """
    parsed = [_rules(text) for text in texts if text.strip()]
    if not parsed:
        return ""
    target = parsed[0][0][0]
    names = dict.fromkeys(name for rules in parsed for name in rules[0][1] if name not in left_out)
    ordered = sorted(names, key=lambda name: _unescaped(name) != first)
    phony = dict.fromkeys(rule[0] for rules in parsed for rule in rules[1:] if rule[0] not in left_out)
    phony = {name: None for name in phony if _unescaped(name) != first}
    lines = [f"{target}: " + " \\\n  ".join(ordered), *(f"\n{name}:" for name in phony)]
    return "\n".join(lines) + "\n"
