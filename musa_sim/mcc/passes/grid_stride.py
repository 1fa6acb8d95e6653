"""Find loops that advance by the size of the grid, and suspend each thread after some iterations.

No thread has to wait there. But so the threads of a block walk through memory side by side, as on a GPU. If each ran
its whole loop alone, with strides of the whole grid, every access would miss the caches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ..contract.names import INDICES
from ..ir.blocks import Detour, Edge, blocks, incoming, is_phi, put_on_edges
from ..ir.instructions import Instruction, assignments, binary
from .indices import index_value

_GRID = frozenset(index_value(name) for name in INDICES if "grid_dim" in name)
_COUNT = "%coro.steps"
#: a coroutine's counter of iterations, for its first block
COUNTER = f"  {_COUNT} = alloca i32, align 4\n  store i32 0, ptr {_COUNT}, align 4\n"
#: of a loop between two suspensions, which cost more than most iterations: so many parts of an array stay in the caches
_ITERATIONS = 4
_SCALING = frozenset(("mul", "shl", "zext", "sext", "trunc"))


def back_edges(code: str) -> frozenset[Edge]:
    """Return (latch, header) of every loop that advances by something made from gridDim.

    `code` is that of a kernel whose indices are parameters, with its braces or without.
    """
    made = assignments(code)
    strides = _derived(made, {item.result for item in made if _is_grid_size(item)})
    advanced = {item.result for item in made if item.opcode == "add" and not strides.isdisjoint(item.uses)}
    return frozenset(
        (latch, block.name)
        for block in blocks(code).values()
        for line in block.lines
        if is_phi(line)
        for value, latch in incoming(line)
        if value in advanced
    )


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
    """Return a coroutine's code, braces left out, with a suspension on these edges. It needs the COUNTER.

    `arrivals`: for each, in their order, the code by which a thread says that it is there.
    """
    if not edges:
        return code

    def detours() -> Iterator[tuple[Edge, Detour]]:
        for at, (latch, header) in enumerate(sorted(edges)):
            name = f"coro.step.{at}"
            lines = (
                f"{name}:\n"
                f"  %{name}.before = load i32, ptr {_COUNT}, align 4\n"
                f"  %{name}.count = add i32 %{name}.before, 1\n"
                f"  store i32 %{name}.count, ptr {_COUNT}, align 4\n"
                f"  %{name}.waits = icmp eq i32 %{name}.count, {_ITERATIONS}\n"
                f"  br i1 %{name}.waits, label %{name}.wait, label %{name}.on\n"
                f"{name}.wait:\n{arrivals[at]}"
                f"  %{name}.at = call i8 @llvm.coro.suspend(token none, i1 false)\n"
                f"  switch i8 %{name}.at, label %coro.suspended "
                f"[ i8 0, label %{name}.after i8 1, label %coro.cleanup ]\n"
                f"{name}.after:\n"
                f"  store i32 0, ptr {_COUNT}, align 4\n"
                f"  br label %{name}.on\n"
                f"{name}.on:\n"
                f"  br label %{header}\n"
            )
            yield (latch, header), Detour(name, f"{name}.on", lines)

    return put_on_edges(code, dict(detours())).rstrip("\n")
