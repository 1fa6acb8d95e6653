"""Values that threads keep over a suspend point: the ones that LLVM spills, and the slots that hold them.

**Before the split.** When LLVM splits a coroutine, it keeps few values in the frame: it computes a value again from its
operands, if it can. That is good for an index. It is bad for a sum to which each shuffle adds a term, in all lanes or
in some: after each shuffle the whole sum would be computed again, and the frame would hold all terms. So such a value
passes through a call of a function that LLVM does not know, the mark. The marks are removed after the split.

**After the split.** LLVM gives each value that it spills a field of its own. In a kernel that adds up the results of
ten shuffles, the sum is a new value after each of them: ten fields, of which one is in use. The frames of a block of
256 threads then fill a processor's first cache, and the loops over threads are slow. So values that are never needed at
the same time share a slot. Finding them is register allocation by colouring: a value interferes with those that are
live where it is stored. A slot is a column of memory, for all threads of a block one after another: a loop over threads
reads and writes neighbours, and LLVM vectorises it without gathers and scatters.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..ir.blocks import Block, results_of
from ..ir.instructions import Instruction
from ..ir.text import bare, leading_type, local_name, split_list
from ..ir.types import integer_bits
from ..runtime_abi.split_kernels import MAX_THREADS

if TYPE_CHECKING:
    from ..ir.module import Module

_MARK = "__musa_sim_spill_"
#: instructions that LLVM rematerialises
_REPEATED = {"select", "icmp", "fcmp", "zext", "sext", "trunc", "bitcast", "sitofp", "uitofp", "fptosi", "fptoui"} | {
    *("fpext", "fptrunc", "fneg", "freeze"),
}
_SOURCES = {"load", "phi", "call", "extractvalue"}
_FLOATS = ("float", "double", "half", "bfloat")
_CACHE_LINE = 64


def mark_spilled(blocks: Sequence[Block], split_at: Collection[str]) -> tuple[list[Block], frozenset[str]]:
    """Return a function's blocks with the values marked that must be spilled, and the types of these values.

    `split_at`: the functions whose calls become suspend points.
    """
    made = results_of(blocks)
    where: dict[str, int] = {}
    used: dict[str, set[int]] = {}
    segment = 0
    for block in blocks:
        segment += 1
        for item in block.instructions:
            segment += item.callee in split_at
            for name in item.uses:
                # a phi reads a value in the block that control comes from; most of its integers are indices
                if not item.is_phi or item.operands.startswith(_FLOATS):
                    used.setdefault(name, set()).add(segment)
            if item.result:
                where[item.result] = segment
    chosen: dict[str, str] = {}
    depends: dict[str, bool] = {}
    for name, item in made.items():
        kind = _computed_type(item)
        if not _is_number(kind):
            continue
        if used.get(name, set()) <= {where[name]}:
            continue
        if kind in _FLOATS or _depends(name, made, depends):
            chosen[name] = kind
    marked = [
        block.with_instructions([each for item in block.instructions for each in _marked(item, chosen)])
        for block in blocks
    ]
    return marked, frozenset(chosen.values())


def _computed_type(item: Instruction) -> str:
    """Return the type of the result of an arithmetic instruction or a select; empty for any other instruction."""
    if item.opcode == "select":
        return leading_type(split_list(item.operands)[1])
    return item.binary.type if item.binary else ""


def _is_number(kind: str) -> bool:
    """Return whether a type is an integer, or floating point of at most 64 bits."""
    return bool(integer_bits(kind)) or kind in _FLOATS


def _depends(name: str, made: Mapping[str, Instruction], known: dict[str, bool]) -> bool:
    """Whether a value is computed from one that a load, a phi or a call brought."""
    if name not in known:
        known[name] = False
        item = made.get(name)
        if item is not None:
            repeated = item.binary is not None or item.opcode in _REPEATED
            known[name] = any(_depends(use, made, known) for use in item.uses) if repeated else _is_source(item)
    return known[name]


def _is_source(item: Instruction) -> bool:
    return item.opcode in _SOURCES and not item.callee.startswith("__musa_sim_thread_idx")


def _marked(item: Instruction, chosen: Mapping[str, str]) -> list[Instruction]:
    kind = chosen.get(item.result)
    if kind is None:
        return [item]
    once = local_name(f"coro.once.{bare(item.result)}")
    return [
        Instruction(item.text.replace(f"  {item.result} = ", f"  {once} = ", 1)),
        Instruction(f"  {item.result} = call {kind} @{_MARK}{kind}({kind} {once})"),
    ]


def declare_marks(kinds: frozenset[str]) -> list[str]:
    """Declare the marks for values of these types."""
    return [
        f"declare {kind} @{_MARK}{kind}({kind}) nounwind willreturn nosync nofree memory(none)"
        for kind in sorted(kinds)
    ]


def remove_marks(module: Module) -> Module:
    """Return a module without the marks: a cast to its own type instead of each call."""

    def cast(item: Instruction) -> str:
        if not item.callee.startswith(_MARK):
            return item.text
        kind, value = item.arguments[0].split(" ")[0], item.arguments[0].split(" ")[-1]
        return f"  {item.result} = bitcast {kind} {value} to {kind}"

    changed = {
        name: function.rewrite({"call": cast})
        for name, function in module.functions.items()
        if any(called.startswith(_MARK) for called in function.calls)
    }
    kept = {name for name in module.declarations if name.startswith(_MARK)}
    return module.change_functions(changed).without_declarations(kept)


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
