"""Find loops that advance by the size of the grid, and suspend each thread after some iterations.

No thread has to wait there. But this way the threads of a block walk through memory side by side, as on a GPU. If each
ran its whole loop alone, with strides of the whole grid, every access would miss the caches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ..ir.blocks import Block, Detour, Edge, by_name, derived, loops, parse_blocks, put_on_edges, results_of
from ..ir.instructions import Instruction
from ..runtime_abi.names import INDICES
from .context import index_value

_GRID = frozenset(index_value(name) for name in INDICES if "grid_dim" in name)
#: Iterations between two suspend points, which cost more than most iterations. The caches hold the data of so many.
_ITERATIONS = 4
_SCALING = frozenset(("mul", "shl", "zext", "sext", "trunc"))


def back_edges(blocks: Sequence[Block]) -> frozenset[Edge]:
    """Return (latch, header) of every loop that advances by something made from gridDim.

    The blocks are those of a kernel with its indices as parameters, or of a coroutine, which has further blocks.
    """
    made = results_of(blocks).values()
    scaled = [item for item in made if item.opcode in _SCALING]
    strides = derived(scaled, (item.result for item in made if _is_grid_size(item)))
    advanced = {item.result for item in made if item.opcode == "add" and not strides.isdisjoint(item.uses)}
    edges = {
        (latch, block.name)
        for block in blocks
        for phi in block.phis
        for value, latch in phi.incoming
        if value in advanced
    }
    if not edges:
        return frozenset()
    return frozenset(edges & {(latch, loop.header) for loop in loops(by_name(blocks)) for latch in loop.latches})


def _is_grid_size(item: Instruction) -> bool:
    added = item.binary if item.opcode == "add" else None
    return added is not None and (added.type, added.right) == ("i32", "0") and added.left in _GRID


def suspend_on(blocks: Sequence[Block], edges: Collection[Edge], arrivals: Iterable[str]) -> Sequence[Block]:
    """Return a coroutine's blocks with a suspend point on these edges.

    `arrivals`: for each edge, in sorted order, the code that stores the number of its suspend point.
    """
    names = {edge: f"coro.step.{at}" for at, edge in enumerate(sorted(edges))}
    steps = {header: f"%coro.steps.{at}" for at, header in enumerate(sorted({header for _, header in edges}))}
    detours = {
        (latch, header): Detour(
            name,
            f"{name}.on",
            parse_blocks(
                f"{name}:\n"
                f"  %{name}.count = add i32 {steps[header]}, 1\n"
                f"  %{name}.waits = icmp eq i32 %{name}.count, {_ITERATIONS}\n"
                f"  br i1 %{name}.waits, label %{name}.wait, label %{name}.on\n"
                f"{name}.wait:\n{arrival}"
                f"  %{name}.at = call i8 @llvm.coro.suspend(token none, i1 false)\n"
                f"  switch i8 %{name}.at, label %coro.suspended "
                f"[ i8 0, label %{name}.after i8 1, label %coro.cleanup ]\n"
                f"{name}.after:\n"
                f"  br label %{name}.on\n"
                f"{name}.on:\n"
                f"  %{name}.steps = phi i32 [ %{name}.count, %{name} ], [ 0, %{name}.after ]\n"
                f"  br label %{header}\n"
            ),
        )
        for ((latch, header), name), arrival in zip(names.items(), arrivals)
    }
    return put_on_edges(_counting(blocks, names, steps), detours)


def _counting(blocks: Sequence[Block], names: Mapping[Edge, str], steps: Mapping[str, str]) -> list[Block]:
    """Return the blocks with a phi in each header that counts the iterations since the last suspend point."""

    def counting(header: Block) -> Block:
        if header.name not in steps:
            return header
        counts = [
            f"[ {f'%{names[edge]}.steps' if edge in names else '0'}, %{block.name} ]"
            for block in blocks
            for edge in [(block.name, header.name)] * block.successors.count(header.name)
        ]
        count = Instruction(f"  {steps[header.name]} = phi i32 {', '.join(counts)}")
        return header.with_instructions([count, *header.instructions])

    return list(map(counting, blocks))
