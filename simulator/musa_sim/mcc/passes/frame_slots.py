"""Give values of a coroutine that are never needed at the same time the same slot, and each slot a column of memory.

LLVM gives each value that it spills a field of its own. In a kernel that adds up the results of ten shuffles, the sum
is a new value after each of them: ten fields, of which one is in use. The frames of a block of 256 threads then fill a
processor's first cache, and the loops over threads are slow. With shared slots there is as much memory as one suspend
point needs. Finding them is register allocation by colouring: a value interferes with those that are live where it is
stored.

A column holds a slot of all threads of a block, one after another. So a loop over threads reads and writes neighbours,
and LLVM vectorises it without gathers and scatters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..runtime_abi.split_kernels import MAX_THREADS

if TYPE_CHECKING:
    from ..ir.blocks import Block
    from ..ir.instructions import Instruction

_CACHE_LINE = 64


class FieldAccess(NamedTuple):
    """A load or a store of a whole field."""

    field: str
    is_load: bool
    size: int  # bytes


class Column(NamedTuple):
    """The memory of a slot of all threads."""

    offset: int  # bytes, from the start of all columns
    size: int  # bytes, of one thread's slot

    @property
    def end(self) -> int:
        """The offset of the next column. The distance of columns is no multiple of 4096: caches would hold few then."""
        length = self.size * MAX_THREADS
        return self.offset + -(-length // _CACHE_LINE) * _CACHE_LINE + _CACHE_LINE


def share_slots(
    start: Sequence[Block],
    resume: Sequence[Block],
    accesses: Mapping[Instruction, FieldAccess],
    resumed_at: Mapping[Instruction, str],
) -> dict[str, Column]:
    """Return a column for each field that a coroutine loads and stores.

    `start`, `resume`: the code that starts it and that resumes it. `resumed_at`: for each instruction at which it
    suspends, the block of `resume` where it continues; empty if the first block does, wherever it suspends.
    """
    sizes = {access.field: access.size for access in accesses.values()}
    fields = sorted(sizes, key=lambda field: (-sizes[field], field))
    numbers = {field: at for at, field in enumerate(fields)}
    interfering = _interference(_graph(start, resume, resumed_at), accesses, numbers)
    columns: dict[str, Column] = {}
    members: dict[Column, int] = {}  # the fields of each column: a set, as bits
    offset = 0
    for field, number in numbers.items():
        fitting = (
            column for column, bits in members.items() if column.size == sizes[field] and not bits & interfering[number]
        )
        column = next(fitting, None) or Column(offset, sizes[field])
        members[column] = members.get(column, 0) | 1 << number
        columns[field] = column
        offset = max(offset, column.end)
    return columns


class _Node(NamedTuple):
    """The instructions of a block, and the numbers of the nodes after it."""

    instructions: Sequence[Instruction]
    successors: Sequence[int]


def _graph(start: Sequence[Block], resume: Sequence[Block], resumed_at: Mapping[Instruction, str]) -> list[_Node]:
    """Return the control flow through both functions: where the coroutine suspends, an edge leads to where it resumes.

    The code of `resume` comes first, so node 0 is its entry.
    """
    nodes: list[_Node] = []
    targets = {block.name: at for at, block in enumerate(resume)}
    for blocks, first in ((resume, 0), (start, len(resume))):
        names = {block.name: first + at for at, block in enumerate(blocks)}
        for block in blocks:
            following = [names[name] for name in block.successors]
            following += [targets[resumed_at[item]] for item in block.instructions if item in resumed_at]
            if not resumed_at and not following:
                following = [0]
            nodes.append(_Node(block.instructions, following))
    return nodes


def _interference(
    nodes: Sequence[_Node], accesses: Mapping[Instruction, FieldAccess], numbers: Mapping[str, int]
) -> list[int]:
    """Return, for each field by its number, the fields that it must not share bytes with: a set, as bits.

    A store changes its field, and may not change one that is live after it.
    """
    uses = [
        [
            (1 << numbers[access.field], access.is_load)
            for item in reversed(node.instructions)
            if (access := accesses.get(item))
        ]
        for node in nodes
    ]
    before: list[list[int]] = [[] for _ in nodes]
    for at, node in enumerate(nodes):
        for successor in node.successors:
            before[successor].append(at)
    live = [0] * len(nodes)  # at the start of each node
    todo = list(range(len(nodes)))
    while todo:
        at = todo.pop()
        now = _live_after(nodes[at], live)
        for bit, is_load in uses[at]:
            now = now | bit if is_load else now & ~bit
        if now != live[at]:
            live[at] = now
            todo += before[at]
    found = [0] * len(numbers)
    for node, used in zip(nodes, uses):
        now = _live_after(node, live)
        for bit, is_load in used:
            if is_load:
                now |= bit
                continue
            now &= ~bit
            found[bit.bit_length() - 1] |= now
    for one, mask in enumerate(list(found)):
        for other in range(mask.bit_length()):
            found[other] |= (mask >> other & 1) << one
    return found


def _live_after(node: _Node, live: Sequence[int]) -> int:
    found = 0
    for successor in node.successors:
        found |= live[successor]
    return found
