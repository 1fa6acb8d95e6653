"""Find loops in which a thread waits for another thread's write, and let the other threads of the block run there.

On a GPU all threads of a block make progress. Here a thread that spins would keep the others from running. So the back
edge of such a loop calls the function behind __nanosleep. That makes it a kernel whose threads may be suspended.

A loop waits if it reads the same address again and again in a way that the optimiser must not merge (volatile, atomic,
or beside a fence), and if the value decides whether the loop continues. An atomic operation that changes what it reads,
such as atomicAdd(&next, 1), makes progress and does not wait. The same holds for a compare-and-swap that expects what
the last iteration read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..ir.blocks import Block, Detour, Edge, by_name, derived, loops, parse_blocks, put_on_edges
from ..ir.instructions import is_constant
from ..ir.text import bare, global_names, local_names
from ..runtime_abi.functions import SUSPENDS, WARP_OPERATIONS, YIELD, declaration

if TYPE_CHECKING:
    from ..ir.blocks import Loop
    from ..ir.function import Function
    from ..ir.instructions import Instruction
    from ..ir.module import Module

#: operations that change nothing when they are repeated with the same operand
_IDEMPOTENT = {"xchg", "and", "or", "max", "min", "umax", "umin"}
_ADDRESS = {"getelementptr", "addrspacecast", "sext", "zext", "add", "mul", "shl"}


def yields(module: Module, *, optimised: bool) -> Module:
    """Return the module with a call of the scheduler on the back edge of every loop that waits.

    Before optimisation addresses are read from variables in every iteration; every loop that reads volatile or atomic
    memory then counts as one that waits.
    """
    changed: dict[str, Function | None] = {}
    suspends = module.functions_with(SUSPENDS)
    for function in module.functions.values():
        edges = _waiting_edges(function, suspends, optimised) if function.may_synchronise else set()
        if edges:
            changed[function.name] = _yield_on(function, edges)
    return module.change_functions(changed).declare(declaration(YIELD)) if changed else module


def _waiting_edges(function: Function, suspends: frozenset[str], optimised: bool) -> set[Edge]:
    """Return the back edges of a function's loops that wait."""
    parts = by_name(function.blocks)
    may = [loop for loop in loops(parts) if _may_synchronise(parts, loop)]
    own = {item.result for part in parts.values() for item in part.instructions if item.opcode == "alloca"}
    waiting = [loop for loop in may if _Iteration.of(parts, loop, own, suspends).waits(parts, loop, optimised)]
    return {
        (latch, loop.header)
        for loop in waiting
        for latch in loop.latches
        if parts[latch].successors.count(loop.header) == 1  # phis name an edge by its block
    }


def _may_synchronise(function: Mapping[str, Block], loop: Loop) -> bool:
    """Whether anything in a loop is volatile, atomic or a fence: if nothing is, it does not wait."""
    return any(item.may_synchronise for name in loop.blocks for item in function[name].instructions)


def _yield_on(function: Function, edges: Collection[Edge]) -> Function:
    """Return the function with a call of the scheduler on these edges."""
    detours: dict[Edge, Detour] = {}
    for at, (latch, header) in enumerate(sorted(edges)):
        name = f"musa.wait.{at}"
        block = parse_blocks(f"{name}:\n  call void @{YIELD}()\n  br label %{header}\n")
        detours[latch, header] = Detour(name, name, block)
    return function.with_blocks(put_on_edges(function.blocks, detours))


class _Iteration(NamedTuple):
    """The values that one iteration of a loop computes."""

    items: tuple[Instruction, ...]
    made: Mapping[str, Instruction]  # by their results
    own: Collection[str]  # addresses of the function's own variables
    suspends: frozenset[str]  # functions at which the thread may be suspended

    @classmethod
    def of(
        cls, function: Mapping[str, Block], loop: Loop, own: Collection[str], suspends: frozenset[str]
    ) -> _Iteration:
        """Collect the instructions of a loop."""
        items = tuple(item for name in loop.blocks for item in function[name].instructions)
        return cls(items, {item.result: item for item in items if item.result}, own, suspends)

    def waits(self, function: Mapping[str, Block], loop: Loop, optimised: bool) -> bool:
        """Return whether the loop continues until another thread writes what it reads."""
        for_all_threads = self.suspends - WARP_OPERATIONS
        if any(bare(name) in for_all_threads for item in self.items for name in global_names(item.text)):
            return False  # all other threads of the block run there anyway
        fenced = any(item.is_fence for item in self.items)
        read = {name for name, item in self.made.items() if self._reads_again(item, fenced, optimised)}
        return bool(read) and (not optimised or self._leaves_by(function, loop, read))

    def _reads_again(self, item: Instruction, fenced: bool, optimised: bool) -> bool:
        """Return whether an instruction reads, in every iteration, an address that other threads write."""
        found = item.access
        if found is None or (found.opcode == "load" and not (found.is_atomic or found.is_volatile or fenced)):
            return False
        same = found.operation in _IDEMPOTENT or found.is_given_zero
        if found.opcode == "atomicrmw" and optimised and not same:
            return False
        if any(name in self.own for name in local_names(found.operands[0])):
            return False
        return not optimised or all(self._is_same(name) for part in found.operands for name in local_names(part))

    def _is_same(self, name: str) -> bool:
        """Whether a value is the same in every iteration."""
        item = self.made.get(name)
        if item is None:
            return True
        read = item.access
        is_plain_load = read is not None and read.opcode == "load" and not (read.is_atomic or read.is_volatile)
        is_address = item.opcode in _ADDRESS or bool(item.thread_local)
        return (is_plain_load or is_address) and all(map(self._is_same, item.uses))

    def _leaves_by(self, function: Mapping[str, Block], loop: Loop, read: set[str]) -> bool:
        """Whether a value that was read decides a branch out of the loop."""
        found = derived(self.items, read)
        inner = [block for name in loop.blocks if (block := function[name]).decides & found]
        if any(set(block.successors) - loop.blocks for block in inner):
            return True
        if not inner:
            return False
        # `done = true` on one of two paths, and `done` ends the loop
        flags = derived(self.items, (item.result for item in self.items if _chooses_constant(item, loop)))
        return any(
            function[name].decides & flags and set(function[name].successors) - loop.blocks for name in loop.blocks
        )


def _chooses_constant(item: Instruction, loop: Loop) -> bool:
    """Whether a phi has a constant for a block of the loop."""
    return item.is_phi and any(is_constant(value) and block in loop.blocks for value, block in item.incoming)
