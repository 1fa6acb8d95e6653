"""Find loops that advance by the size of the grid, and suspend each thread after some iterations.

No thread has to wait there. But so the threads of a block walk through memory side by side, as on a GPU. If each ran
its whole loop alone, with strides of the whole grid, every access would miss the caches.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..contract.names import INDICES
from ..ir.blocks import Detour, Edge, blocks, incoming, is_phi, label, put_on_edges
from ..ir.instructions import Instruction, assignments, binary
from ..ir.loops import loops
from .indices import index_value

_GRID = frozenset(index_value(name) for name in INDICES if "grid_dim" in name)
#: of a loop between two suspensions, which cost more than most iterations: so many parts of an array stay in the caches
_ITERATIONS = 4
_SCALING = frozenset(("mul", "shl", "zext", "sext", "trunc"))


def back_edges(code: str) -> frozenset[Edge]:
    """Return (latch, header) of every loop that advances by something made from gridDim.

    `code` is that of a kernel whose indices are parameters, with its braces or without.
    """
    made = assignments(code)
    parts = blocks(code)
    strides = _derived(made, {item.result for item in made if _is_grid_size(item)})
    advanced = {item.result for item in made if item.opcode == "add" and not strides.isdisjoint(item.uses)}
    edges = {
        (latch, block.name)
        for block in parts.values()
        for line in block.lines
        if is_phi(line)
        for value, latch in incoming(line)
        if value in advanced
    }
    if not edges:
        return frozenset()
    # a coroutine's code also leads to blocks that are written around it
    known = {
        name: part._replace(successors=tuple(filter(parts.__contains__, part.successors)))
        for name, part in parts.items()
    }
    return frozenset(edges & {(latch, loop.header) for loop in loops(known) for latch in loop.latches})


def _is_grid_size(item: Instruction) -> bool:
    added = binary(item) if item.opcode == "add" else None
    return added is not None and (added.type, added.right) == ("i32", "0") and added.left in _GRID


def _derived(made: Collection[Instruction], strides: set[str]) -> set[str]:
    """Add to `strides` what is made from one of them by scaling it."""
    while True:
        found = {item.result for item in made if item.opcode in _SCALING and not strides.isdisjoint(item.uses)}
        if found <= strides:
            return strides
        strides |= found


def suspend_on(code: str, edges: Collection[Edge], arrivals: Sequence[str]) -> str:
    """Return a coroutine's code, braces left out, with a suspension on these edges.

    `arrivals`: for each, in their order, the code by which a thread says that it is there.
    """
    if not edges:
        return code
    names = {edge: f"coro.step.{at}" for at, edge in enumerate(sorted(edges))}
    steps = {header: f"%coro.steps.{at}" for at, header in enumerate(sorted({header for _, header in edges}))}
    detours = {
        (latch, header): Detour(
            name,
            f"{name}.on",
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
            f"  br label %{header}\n",
        )
        for ((latch, header), name), arrival in zip(names.items(), arrivals)
    }
    return put_on_edges(_counting(code, names, steps), detours).rstrip("\n")


def _counting(code: str, names: Mapping[Edge, str], steps: Mapping[str, str]) -> str:
    """Return the code with the iterations since the last suspension counted, in the blocks that these edges lead to."""
    parts = blocks(code)
    lines: list[str] = []
    for line in code.split("\n"):
        lines.append(line)
        header = label(line)
        if header in steps:
            counts = [
                f"[ {f'%{names[name, header]}.steps' if (name, header) in names else '0'}, %{name} ]"
                for name, block in parts.items()
                for _ in range(block.successors.count(header))
            ]
            lines.append(f"  {steps[header]} = phi i32 {', '.join(counts)}")
    return "\n".join(lines)
