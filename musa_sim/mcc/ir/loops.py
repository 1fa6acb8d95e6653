"""Natural loops of a function's blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .blocks import Block


class Loop(NamedTuple):
    """A natural loop: its blocks can only be entered through the header."""

    header: str
    latches: frozenset[str]
    blocks: frozenset[str]


def loops(function: Mapping[str, Block]) -> list[Loop]:
    """Return the natural loops, one per header."""
    dominators = _dominators(function)
    before = _predecessors(function)
    latches: dict[str, set[str]] = {}
    for name in dominators:
        for target in function[name].successors:
            if target in dominators[name]:
                latches.setdefault(target, set()).add(name)
    return [Loop(header, frozenset(ends), _body(header, ends, before)) for header, ends in latches.items()]


def _predecessors(function: Mapping[str, Block]) -> dict[str, list[str]]:
    before: dict[str, list[str]] = {name: [] for name in function}
    for block in function.values():
        for target in block.successors:
            before[target].append(block.name)
    return before


def _body(header: str, latches: set[str], before: Mapping[str, list[str]]) -> frozenset[str]:
    body = {header}
    todo = list(latches)
    while todo:
        name = todo.pop()
        if name not in body:
            body.add(name)
            todo += before[name]
    return frozenset(body)


def _dominators(function: Mapping[str, Block]) -> dict[str, frozenset[str]]:
    """Return, per block that can be reached, the blocks on every way to it, itself included."""
    entry = next(iter(function))
    order = _reverse_postorder(function, entry)
    before = _predecessors(function)
    found: dict[str, frozenset[str]] = {entry: frozenset([entry])}
    changed = True
    while changed:
        changed = False
        for name in order[1:]:
            known = [found[other] for other in before[name] if other in found]
            dominating = frozenset.intersection(*known) | {name}
            if found.get(name) != dominating:
                found[name] = dominating
                changed = True
    return found


def _reverse_postorder(function: Mapping[str, Block], entry: str) -> list[str]:
    done: list[str] = []
    seen = {entry}
    stack = [(entry, iter(function[entry].successors))]
    while stack:
        name, rest = stack[-1]
        following = next((target for target in rest if target not in seen), None)
        if following is None:
            stack.pop()
            done.append(name)
        else:
            seen.add(following)
            stack.append((following, iter(function[following].successors)))
    return done[::-1]
