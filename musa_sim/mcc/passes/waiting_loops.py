"""Loops in which a thread waits for what another thread writes: they let the other threads of the block run.

On a GPU all threads of a block make progress. Here a thread that spins would keep the others from running. So the back
edge of such a loop calls the function behind __nanosleep, and the kernel becomes one whose threads may be suspended.

A loop waits if it reads the same address again and again in a way that the optimiser must not merge (volatile, atomic,
or beside a fence), and if the value decides whether the loop goes on. An atomic operation that changes what it reads,
such as atomicAdd(&next, 1), makes progress and does not wait. The same holds for a compare-and-swap that expects what
the last iteration read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from ..contract.functions import WARP_OPERATIONS, YIELD, declaration
from ..ir.blocks import Block, Detour, Edge, blocks, incoming, put_on_edges
from ..ir.functions import Function, callee, declare, functions, replace_functions
from ..ir.instructions import Instruction, instruction, is_constant, is_fence
from ..ir.loops import Loop, loops
from ..ir.memory import access, may_synchronise
from ..ir.text import bare, global_names, local_names
from .suspension import suspending

#: what the same operand leaves as it is the second time
_IDEMPOTENT = {"xchg", "and", "or", "max", "min", "umax", "umin"}
_ADDRESS = {"getelementptr", "addrspacecast", "sext", "zext", "add", "mul", "shl"}


def may_wait(ir: str) -> bool:
    """Return whether anything in the module is volatile, atomic or a fence."""
    return may_synchronise(ir)


def yields(ir: str, *, optimised: bool) -> str:
    """Return the module with a call of the scheduler on the back edge of every loop that waits.

    Before optimisation addresses are read from variables in every iteration; every loop that reads volatile or atomic
    memory then counts as one that waits.
    """
    if not may_synchronise(ir):
        return ir
    changed: dict[str, str] = {}
    suspends = suspending(ir)
    for function in functions(ir).values():
        edges = _waiting_edges(function, suspends, optimised) if may_synchronise(function.text) else set()
        if edges:
            changed[function.name] = _yield_on(function, edges)
    return declare(replace_functions(ir, changed), declaration(YIELD)) if changed else ir


def _waiting_edges(function: Function, suspends: frozenset[str], optimised: bool) -> set[Edge]:
    """Return the back edges of a function's loops that wait."""
    parts = blocks(function.code)
    may = [loop for loop in loops(parts) if _may_synchronise(parts, loop)]
    allocas = (instruction(line) for part in parts.values() for line in part.lines if " = alloca " in line)
    own = {item.result for item in allocas if item is not None} if may else set()
    waiting = [loop for loop in may if _Iteration.of(parts, loop, own, suspends).waits(parts, loop, optimised)]
    return {
        (latch, loop.header)
        for loop in waiting
        for latch in loop.latches
        if parts[latch].successors.count(loop.header) == 1  # phis name an edge by its block
    }


def _may_synchronise(function: Mapping[str, Block], loop: Loop) -> bool:
    """Whether anything in a loop is volatile, atomic or a fence: if nothing is, it does not wait."""
    return any(may_synchronise("\n".join(function[name].lines)) for name in loop.blocks)


def _yield_on(function: Function, edges: Collection[Edge]) -> str:
    """Return the function with a call of the scheduler on these edges."""
    detours = {
        (latch, header): Detour(
            name := f"musa.wait.{at}", name, f"{name}:\n  call void @{YIELD}()\n  br label %{header}\n"
        )
        for at, (latch, header) in enumerate(sorted(edges))
    }
    return put_on_edges(function.text[: function.text.rindex("}")], detours) + "}\n"


class _Iteration(NamedTuple):
    """What one iteration of a loop computes."""

    lines: tuple[str, ...]
    made: Mapping[str, Instruction]  # by their results
    own: Collection[str]  # addresses of the function's own variables
    suspends: frozenset[str]  # functions at which the thread may be suspended

    @classmethod
    def of(
        cls, function: Mapping[str, Block], loop: Loop, own: Collection[str], suspends: frozenset[str]
    ) -> _Iteration:
        """Collect the instructions of a loop."""
        lines = tuple(line for name in loop.blocks for line in function[name].lines)
        items = (instruction(line) for line in lines)
        return cls(lines, {item.result: item for item in items if item is not None and item.result}, own, suspends)

    def waits(self, function: Mapping[str, Block], loop: Loop, optimised: bool) -> bool:
        """Return whether the loop goes on until another thread writes what it reads."""
        everybody = self.suspends - WARP_OPERATIONS
        if any(bare(name) in everybody for line in self.lines for name in global_names(line)):
            return False  # the other threads run anyway
        fenced = any(map(is_fence, self.lines))
        read = {name for name, item in self.made.items() if self._reads_again(item, fenced, optimised)}
        return bool(read) and (not optimised or self._leaves_by(function, loop, read))

    def _reads_again(self, item: Instruction, fenced: bool, optimised: bool) -> bool:
        """Whether an instruction reads, in every iteration, a place that other threads write."""
        found = access(item)
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
        read = access(item)
        is_plain_load = read is not None and read.opcode == "load" and not (read.is_atomic or read.is_volatile)
        is_address = item.opcode in _ADDRESS or callee(item.text) == "llvm.threadlocal.address.p0"
        return (is_plain_load or is_address) and all(map(self._is_same, item.uses))

    def _leaves_by(self, function: Mapping[str, Block], loop: Loop, read: set[str]) -> bool:
        """Whether what was read decides a branch out of the loop."""
        derived = self._derived(read)
        inner = [block for name in loop.blocks if (block := function[name]).decides & derived]
        if any(set(block.successors) - loop.blocks for block in inner):
            return True
        if not inner:
            return False
        # `done = true` on one of two ways, and the loop ends by `done`
        flags = self._derived({name for name, item in self.made.items() if _chooses_constant(item, loop)})
        return any(
            function[name].decides & flags and set(function[name].successors) - loop.blocks for name in loop.blocks
        )

    def _derived(self, names: Collection[str]) -> set[str]:
        found = set(names)
        while True:
            more = {name for name, item in self.made.items() if not found.isdisjoint(item.uses)}
            if more <= found:
                return found
            found |= more


def _chooses_constant(item: Instruction, loop: Loop) -> bool:
    """Whether a phi has a constant for a way that comes from within the loop."""
    return item.opcode == "phi" and any(
        is_constant(value) and block in loop.blocks for value, block in incoming(item.operands)
    )
