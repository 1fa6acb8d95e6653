"""Attributes of functions: after a function's parameters, or in a group `#0` that they refer to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from .text import GLOBAL, LOCAL, bare, closing, lines_with

_GROUP = re.compile(r"attributes (#\d+) = \{([^\n]*)\}")
_FUNCTION = re.compile(rf"(?:define|declare) [^\n]*?({GLOBAL})\(")
_BEFORE_ATTRIBUTES = re.compile(r"(?: (?:local_)?unnamed_addr)?")
_DEFINED_OR_CALLED = re.compile(rf"^(?:define|  (?:{LOCAL} = )?(?:\w+ )?(?:call|invoke)) [^@\n]*({GLOBAL})\(", re.M)
_MEMORY = re.compile(r"\bmemory\([^)]*\) ?")
_REFERENCE = re.compile(r"#\d+")


def add_to_groups(ir: str, attribute: str) -> str:
    """Return the module with an attribute in every group of attributes."""
    return re.sub(r"^(attributes #\d+ = \{)", rf"\1 {attribute}", ir, flags=re.M)


def set_target_cpu(ir: str, cpu: str) -> str:
    """Return the module with all functions that name a CPU compiled for another; unchanged for an empty name."""
    return re.sub(r'"target-cpu"="[^"]*"', f'"target-cpu"="{cpu}"', ir) if cpu else ir


def add_to_definitions(ir: str, names: Collection[str], attribute: str) -> str:
    """Return the module with an attribute on the definitions of these functions."""
    parts: list[str] = []
    done = 0
    for found in _functions(ir, "define "):
        if bare(found.group(1)) in names:
            behind = _BEFORE_ATTRIBUTES.match(ir, closing(ir, found.end() - 1) + 1)
            assert behind, "it matches nothing as well"
            parts += [ir[done : behind.end()], f" {attribute}"]
            done = behind.end()
    return "".join([*parts, ir[done:]])


def remove_from_groups(ir: str, mark: str, others: Collection[str]) -> str:
    """Return the module without an attribute, and in the groups that have it without those others.

    A group must not be empty: one that has nothing else keeps it.
    """

    parts: list[str] = []
    done = 0
    for found in _groups(ir):
        words = found[2].split(" ")
        if mark in words:
            kept = [word for word in words if word and word != mark and word not in others]
            parts += [ir[done : found.start(2)], f" {' '.join(kept or [mark])} "]
            done = found.end(2)
    return "".join([*parts, ir[done:]])


def forget_memory(ir: str, names: Collection[str]) -> str:
    """Return the module without what it says of the memory that these functions read and write, called or defined."""
    groups = {found[1]: _MEMORY.sub("", found[2]).strip() for found in _groups(ir) if _MEMORY.search(found[2])}
    if not groups:
        return ir
    first = 1 + max(int(found[1][1:]) for found in _groups(ir))
    others = {group: f"#{first + at}" for at, group in enumerate(groups)}
    parts: list[str] = []
    done = 0
    for found in _DEFINED_OR_CALLED.finditer(ir):
        if bare(found[1]) in names:
            at = closing(ir, found.end() - 1)
            end = ir.index("\n", at)
            parts += [ir[done:at], _REFERENCE.sub(lambda group: others.get(group[0], group[0]), ir[at:end])]
            done = end
    # a group must not be empty
    added = (f"attributes {others[group]} = {{ {text or 'nounwind'} }}\n" for group, text in groups.items())
    return "".join([*parts, ir[done:], *added]) if parts else ir


def functions_with(ir: str, attribute: str) -> frozenset[str]:
    """Return the bare names of the functions, declared or defined, that have an attribute."""
    groups = {found[1] for found in _groups(ir) if attribute in found[2]}
    if not groups and attribute not in ir:
        return frozenset()
    return frozenset(
        bare(found.group(1))
        for word in ("declare ", "define ")
        for found in _functions(ir, word)
        if _has(_behind(ir, found.end() - 1), attribute, groups)
    )


def _groups(ir: str) -> Iterator[re.Match[str]]:
    """Yield the lines that define a group."""
    for at in lines_with(ir, "attributes "):
        found = _GROUP.match(ir, at)
        if found:
            yield found


def _functions(ir: str, word: str) -> Iterator[re.Match[str]]:
    """Yield the lines that start with this word, up to the parenthesis that opens the parameters."""
    for at in lines_with(ir, word):
        found = _FUNCTION.match(ir, at)
        if found:
            yield found


def _behind(ir: str, opening: int) -> str:
    """Return the rest of the line that declares a function or opens its definition, behind the parameters."""
    end = closing(ir, opening)
    return ir[end : ir.index("\n", end)]


def _has(text: str, attribute: str, groups: Collection[str]) -> bool:
    return attribute in text or any(name in groups for name in _REFERENCE.findall(text))
