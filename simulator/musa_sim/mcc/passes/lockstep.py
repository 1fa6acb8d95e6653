"""Let the lanes of a warp meet before each volatile access to shared memory.

Before CUDA had __syncwarp, programs counted on a warp that runs in lockstep: the last steps of a reduction read through
a volatile pointer what other lanes wrote, with no barrier between. CUDA has not promised it since Volta, but its cards
still run such programs right, and Moore Threads' own muThrust has them (docs/unverified.md, `warp-lockstep`). Here the
lanes run one after another, and one would read what another has not written yet.

Before such an access the lanes in the same branch wait for each other, as at __activemask(). A read that follows a read
in the same basic block needs no second meeting: no lane writes in between. A loop that waits for another thread has no
meetings, as its lanes would come to one again and again. Checked builds have none, so that --check=race reports these
programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..contract.functions import CONVERGE, YIELD, declaration
from ..ir.blocks import by_name, loops, results_of
from ..ir.instructions import Instruction
from .atomic_accesses import shared_addresses, shared_variables

if TYPE_CHECKING:
    from ..ir.function import Function
    from ..ir.module import Module


def in_lockstep(module: Module) -> Module:
    """Return an optimised module in which lanes meet before volatile accesses to shared memory."""
    variables = shared_variables(module)
    ordered = (function for function in module.functions.values() if function.has_volatile_accesses)
    found = {function.name: _with_meetings(function, variables) for function in ordered}
    changed = {name: function for name, function in found.items() if function is not None}
    return module.change_functions(changed).declare(declaration(CONVERGE)) if changed else module


def _with_meetings(function: Function, variables: frozenset[str]) -> Function | None:
    """Return the function with meetings; None if it needs none."""
    shared = shared_addresses(results_of(function.blocks), variables)
    blocks, count = [], 0
    waiting = _in_waiting_loops(function) if shared else frozenset[str]()
    for block in function.blocks if shared else ():
        if block.name in waiting:
            blocks.append(block)
            continue
        items: list[Instruction] = []
        has_met = False
        for item in block.instructions:
            found = item.access
            if found is not None and found.is_volatile and found.pointer in shared:
                if found.writes or not has_met:
                    items.append(Instruction(f"  %musa.lockstep.{count} = call i32 @{CONVERGE}()"))
                    count += 1
                has_met = not found.writes
            elif item.opcode == "call" or (found is not None and found.writes):
                has_met = False
            items.append(item)
        blocks.append(block.with_instructions(items))
    return function.with_blocks(blocks) if count else None


def _in_waiting_loops(function: Function) -> frozenset[str]:
    """Return the names of the blocks in loops on whose back edge the thread yields (waiting_loops.py)."""
    if YIELD not in function.calls:
        return frozenset()
    parts = by_name(function.blocks)
    yielding = {name for name, block in parts.items() if any(item.callee == YIELD for item in block.instructions)}
    return frozenset[str]().union(*(loop.blocks for loop in loops(parts) if not yielding.isdisjoint(loop.latches)))
