"""Basic blocks of a function and the edges between them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from .text import LABEL, LOCAL, NAME_ENDS, local_names

_LABEL = re.compile(rf"^({LABEL}):")
_PHI = re.compile(rf"^  {LOCAL} = phi ")
#: a value may be a vector with commas in it
_INCOMING = re.compile(rf"\[ (.+?), ({LOCAL}) \]")
_BRANCH = re.compile(rf"^  br i1 ({LOCAL}), label ({LOCAL}), label ({LOCAL})")
_TARGET = re.compile(rf"\blabel %({LABEL})")
_TERMINATOR = re.compile(rf"^  (?:br|switch|indirectbr|{LOCAL} = invoke|invoke)\b")
_LEAVES_BY = re.compile(r"^  (?:br|switch) ")
#: The name of a function's first block where clang leaves its label out.
ENTRY = ""

#: From the end of one block to the start of another, by their names.
Edge = tuple[str, str]


class Block(NamedTuple):
    """A basic block."""

    name: str
    lines: tuple[str, ...]
    successors: tuple[str, ...]  # one per edge
    decides: frozenset[str]  # the values that choose among them


class Detour(NamedTuple):
    """A block that is put on an edge."""

    name: str  # where the edge goes now
    last: str  # the block from which control comes to the old target; the same, or made from it
    code: str  # labels and lines, each ended


def blocks(code: str) -> dict[str, Block]:
    """Return the blocks of a function's code, with its braces or without, in order; the first one is its entry."""
    found: dict[str, list[str]] = {}
    name = ENTRY
    start = code.index("{\n") + 2 if "{\n" in code else 0
    for line in code[start:].split("\n"):
        if line.startswith(" "):
            found.setdefault(name, []).append(line)
        elif started := label(line):
            name = started
            found[name] = []
    return {name: _block(name, lines) for name, lines in found.items()}


def _block(name: str, lines: Sequence[str]) -> Block:
    """Take a block's end apart: from the last line that starts a terminator, as a switch goes on over several lines."""
    start = next((at for at in reversed(range(len(lines))) if _TERMINATOR.match(lines[at])), len(lines))
    end = "\n".join(lines[start:])
    return Block(name, tuple(lines), tuple(_TARGET.findall(end)), frozenset(local_names(_TARGET.sub("", end))))


def label(line: str) -> str:
    """Return the name of the block that a line starts, spelled as `label %name` spells it; empty for other lines."""
    found = None if line.startswith(" ") else _LABEL.match(line)
    return found.group(1) if found else ""


def is_phi(line: str) -> bool:
    """Return whether a line chooses a value by the block that control comes from."""
    return _PHI.match(line) is not None


def incoming(line: str) -> list[tuple[str, str]]:
    """Return what a phi chooses from: (value, name of the block that it comes from)."""
    return [(value, block[1:]) for value, block in _INCOMING.findall(line)]


def branch(line: str) -> tuple[str, str, str] | None:
    """Take a branch of two ways apart: what decides, where true leads, where false leads; None for other lines."""
    found = _BRANCH.match(line)
    return (found.group(1), found.group(2)[1:], found.group(3)[1:]) if found else None


def without_incoming(line: str, block: str) -> str:
    """Return a phi without the value that comes from a block."""
    kept = [f"[ {value}, %{name} ]" for value, name in incoming(line) if name != block]
    return line[: line.index("[ ")] + ", ".join(kept)


def branch_condition(line: str) -> str:
    """Return the value that decides a branch of two ways; empty for other lines."""
    found = _BRANCH.match(line)
    return found.group(1) if found else ""


def put_on_edges(code: str, detours: Mapping[Edge, Detour]) -> str:
    """Return a function's code, braces left out, with a block on each of these edges."""
    lines: list[str] = []
    block = ""
    ends = False  # inside the terminator, which may have several lines
    for line in code.split("\n"):
        started = label(line)
        if started:
            block, ends = started, False
        ends = ends or _LEAVES_BY.match(line) is not None
        for (source, target), detour in detours.items():
            if block == source and ends:
                line = re.sub(rf"label %{re.escape(target)}{NAME_ENDS}", f"label %{detour.name}", line)
            elif block == target and is_phi(line):
                line = _with_incoming(line, source, detour.last)
        lines.append(line)
    return "\n".join(lines).rstrip("\n") + "\n" + "".join(detour.code for detour in detours.values())


def _with_incoming(line: str, block: str, new: str) -> str:
    return line.replace(f", %{block} ]", f", %{new} ]")


def replace_incoming(code: str, block: str, new: str) -> str:
    """Return the code with another block's name in every phi that has a value from `block`."""
    comes_from = f", %{block} ]"
    if comes_from not in code:
        return code
    lines = code.split("\n")
    changes = (comes_from in line and is_phi(line) for line in lines)
    return "\n".join(_with_incoming(line, block, new) if change else line for line, change in zip(lines, changes))


def without_unreachable(code: str) -> str:
    """Return a function's code, with its braces, without the blocks that control never comes to."""
    parts = blocks(code)
    entry = next(iter(parts))
    seen = {entry}
    todo = [entry]
    comes_from: dict[str, set[str]] = {}
    while todo:
        name = todo.pop()
        for successor in parts[name].successors:
            comes_from.setdefault(successor, set()).add(name)
            if successor not in seen:
                seen.add(successor)
                todo.append(successor)
    edges = {
        (name, successor): part.successors.count(successor)
        for name, part in parts.items()
        for successor in part.successors
    }
    texts: list[str] = []
    for name, part in parts.items():
        if name in seen:
            lines = [
                _pruned(line, name, comes_from.get(name, set()), edges) if is_phi(line) else line for line in part.lines
            ]
            texts.append("\n".join([*([f"{name}:"] if name else []), *lines]))
    return "{\n" + "\n\n".join(texts) + "\n}\n"


def _pruned(line: str, block: str, comes_from: Collection[str], edges: Mapping[Edge, int]) -> str:
    """Return a phi with as many values from each block as there are edges."""
    given: dict[str, int] = {}
    parts: list[str] = []
    for value, source in incoming(line):
        given[source] = given.get(source, 0) + 1
        if source in comes_from and given[source] <= edges[source, block]:
            parts.append(f"[ {value}, %{source} ]")
    return line[: line.index("[ ")] + ", ".join(parts)
