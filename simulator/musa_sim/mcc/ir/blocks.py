"""Basic blocks of a function, the edges between them, and natural loops."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .instructions import Instruction
from .text import LABEL, NAME_ENDS, lazy, local_names

_LABEL = re.compile(rf"({LABEL}):")
_TARGET = re.compile(rf"\blabel %({LABEL})")
_TERMINATORS = frozenset(("br", "switch", "indirectbr", "invoke"))
#: The name of a function's first block where clang leaves its label out.
ENTRY = ""

#: From the end of one block to the start of another, by their names.
Edge = tuple[str, str]


class Block:
    """A basic block; its head is the text before its instructions: a blank line, the label, a comment."""

    def __init__(self, name: str, instructions: Iterable[Instruction], head: str | None = None) -> None:
        self.name = name  # as `label %name` spells it
        self.instructions = tuple(instructions)
        self.head = f"{name}:\n" if head is None else head

    @property
    def text(self) -> str:
        """The block as it is printed."""
        return self.head + "".join([f"{item.text}\n" for item in self.instructions])

    @lazy
    def _end(self) -> str:
        last = self.instructions[-1] if self.instructions else None
        return last.text if last and last.opcode in _TERMINATORS else ""

    @lazy
    def successors(self) -> tuple[str, ...]:
        """The blocks that control goes to from here, one per edge."""
        return tuple(_TARGET.findall(self._end))

    @lazy
    def decides(self) -> frozenset[str]:
        """The values that decide which successor is next."""
        return frozenset(local_names(_TARGET.sub("", self._end)))

    @property
    def phis(self) -> list[Instruction]:
        """Its phis."""
        return [item for item in self.instructions if item.is_phi]

    def with_instructions(self, instructions: Iterable[Instruction]) -> Block:
        """Return the block with other instructions."""
        return Block(self.name, instructions, self.head)

    def change(self, change: Callable[[Instruction], Instruction]) -> Block:
        """Return the block with `change(instruction)` for each instruction."""
        return self.with_instructions(map(change, self.instructions))

    def going_to(self, target: str, new: str) -> Block:
        """Return the block with one successor replaced."""
        label = re.compile(rf"label %{re.escape(target)}{NAME_ENDS}")
        *others, last = self.instructions
        return self.with_instructions([*others, Instruction(label.sub(f"label %{new}", last.text))])

    def coming_from(self, block: str, new: str) -> Block:
        """Return the block with one predecessor replaced."""
        old, changed = f", %{block} ]", f", %{new} ]"
        if not any(old in item.text for item in self.instructions):
            return self
        return self.change(lambda item: Instruction(item.text.replace(old, changed)) if item.is_phi else item)


class Detour(NamedTuple):
    """Blocks that are put on an edge."""

    name: str  # the first of them
    last: str  # the one that leads to the edge's target
    blocks: tuple[Block, ...]


def parse_blocks(code: str) -> tuple[Block, ...]:
    """Return the blocks of code without braces; the first one is the entry."""
    found: list[Block] = []
    head, name, lines = "", ENTRY, list[str]()
    for line in code.removesuffix("\n").split("\n"):
        if line.startswith("  "):
            # the further lines of an instruction are indented more; so are debug records
            if lines and (line.startswith("  ]") or (line.startswith("   ") and not line.startswith("    #"))):
                lines[-1] = f"{lines[-1]}\n{line}"
            else:
                lines.append(line)
            continue
        if lines:
            found.append(Block(name, map(Instruction, lines), head))
            head, lines = "", []
        label = _LABEL.match(line)
        name = label[1] if label else name
        head += f"{line}\n"
    if lines or head.strip():
        found.append(Block(name, map(Instruction, lines), head))
    return tuple(found)


def code_of(blocks: Iterable[Block]) -> str:
    """Return the code of a function, with its braces."""
    return "{\n" + "".join([block.text for block in blocks]) + "}\n"


def parse_code(code: str) -> tuple[Block, ...]:
    """Return the blocks of a function's code, with its braces."""
    return parse_blocks(code[code.index("{\n") + 2 : code.rindex("}")])


def by_name(blocks: Iterable[Block]) -> dict[str, Block]:
    """Return the blocks by their names, in order."""
    return {block.name: block for block in blocks}


def instructions_of(blocks: Iterable[Block]) -> Iterator[Instruction]:
    """Yield the instructions of blocks in order."""
    for block in blocks:
        yield from block.instructions


def results_of(blocks: Iterable[Block]) -> dict[str, Instruction]:
    """Return the instructions by their results."""
    return {item.result: item for item in instructions_of(blocks) if item.result}


def derived(items: Collection[Instruction], values: Iterable[str]) -> set[str]:
    """Return these values and all that are computed from them, however indirectly."""
    found = set(values)
    while True:
        more = {item.result for item in items if item.result and not found.isdisjoint(item.uses)}
        if more <= found:
            return found
        found |= more


def put_on_edges(blocks: Sequence[Block], detours: Mapping[Edge, Detour]) -> tuple[Block, ...]:
    """Return the blocks with others on each of these edges."""
    made: list[Block] = []
    for block in blocks:
        for (source, target), detour in detours.items():
            if block.name == source:
                block = block.going_to(target, detour.name)
            if block.name == target:
                block = block.coming_from(source, detour.last)
        made.append(block)
    return (*made, *(block for detour in detours.values() for block in detour.blocks))


def without_unreachable(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the blocks that can be reached, with one value in each phi per edge that is left."""
    parts = by_name(blocks)
    edges: dict[str, Counter[str]] = {blocks[0].name: Counter()}  # target -> sources
    todo = [blocks[0].name]
    while todo:
        name = todo.pop()
        for successor in parts[name].successors:
            if successor not in edges:
                edges[successor] = Counter()
                todo.append(successor)
            edges[successor][name] += 1

    def pruned(item: Instruction, sources: Counter[str]) -> Instruction:
        if not item.is_phi:
            return item
        left = Counter(sources)
        kept: list[tuple[str, str]] = []
        for value, source in item.incoming:
            if left[source]:
                left[source] -= 1
                kept.append((value, source))
        return item.with_incoming(kept)

    kept = [block for block in blocks if block.name in edges]
    return tuple(
        Block(
            block.name,
            [pruned(item, edges[block.name]) for item in block.instructions],
            ("\n" if at else "") + (f"{block.name}:\n" if block.name else ""),
        )
        for at, block in enumerate(kept)
    )


class Loop(NamedTuple):
    """A natural loop: its blocks can only be entered through the header."""

    header: str
    latches: frozenset[str]
    blocks: frozenset[str]


def loops(function: Mapping[str, Block]) -> list[Loop]:
    """Return the natural loops, one per header. Edges to blocks that are not given are ignored."""
    before = _predecessors(function)
    dominators = _dominators(function, before)
    latches: dict[str, set[str]] = {}
    for name in dominators:
        for target in function[name].successors:
            if target in dominators[name]:
                latches.setdefault(target, set()).add(name)
    return [Loop(header, frozenset(ends), _loop_body(header, ends, before)) for header, ends in latches.items()]


def _predecessors(function: Mapping[str, Block]) -> dict[str, list[str]]:
    """Return the blocks that lead to each block, one per edge."""
    before: dict[str, list[str]] = {name: [] for name in function}
    for block in function.values():
        for target in block.successors:
            if target in before:
                before[target].append(block.name)
    return before


def _loop_body(header: str, latches: Iterable[str], before: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the header, and the blocks from which one of the latches is reached without passing the header."""
    body = {header}
    todo = list(latches)
    while todo:
        name = todo.pop()
        if name not in body:
            body.add(name)
            todo += before[name]
    return frozenset(body)


def _dominators(function: Mapping[str, Block], before: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    """Return the dominators of each block that can be reached: the blocks on every path to it, itself included."""
    entry = next(iter(function))
    order = _reverse_postorder(function, entry)
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
        following = next((target for target in rest if target not in seen and target in function), None)
        if following is None:
            stack.pop()
            done.append(name)
        else:
            seen.add(following)
            stack.append((following, iter(function[following].successors)))
    return done[::-1]
