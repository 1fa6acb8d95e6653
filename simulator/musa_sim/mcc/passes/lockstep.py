"""Let the lanes of a warp meet where programs count on a warp that runs in lockstep.

Before CUDA had __syncwarp, programs counted on a warp that runs in lockstep: the last steps of a reduction read through
a volatile pointer what other lanes wrote, with no barrier between. CUDA has not promised it since Volta, but its cards
still run such programs right, and Moore Threads' own muThrust has them (docs/unverified.md, `warp-lockstep`). Here the
lanes run one after another, and one would read what another has not written yet.

The second case is a release: the lanes store their results, and then `if (lane == 0)` one lane calls __threadfence()
and sets a flag for another block, with no __syncwarp between. On cards the lanes leave the branch before it together.

Before such an access, and before the branch to such a release, the lanes in the same branch wait for each other, as at
__activemask(). A read that follows a read in the same basic block needs no second meeting: no lane writes in between. A
loop that waits for another thread has no meetings, as its lanes would come to one again and again. Checked builds have
none, so that --check=race reports these programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..ir.blocks import by_name, loops, results_of
from ..ir.function import FENCES, VOLATILE
from ..ir.instructions import Instruction
from ..runtime_abi.functions import CONVERGE, EXIT, FUNCTIONS, YIELD, declaration
from .atomic_accesses import shared_addresses

if TYPE_CHECKING:
    from ..ir.blocks import Block
    from ..ir.function import Function
    from ..ir.module import Module

_SUSPENDING = frozenset(function.name for function in FUNCTIONS if function.suspends)
_MEETINGS = _SUSPENDING - {YIELD, EXIT}


def in_lockstep(module: Module) -> Module:
    """Return an optimised module in which lanes meet before volatile accesses to shared memory, and before releases."""
    variables = frozenset(module.shared_variables)
    ordered = (each for each in module.functions.values() if each.has((*VOLATILE, *FENCES)))
    found = {function.name: _with_meetings(function, variables) for function in ordered}
    changed = {name: function for name, function in found.items() if function is not None}
    return module.change_functions(changed).declare(declaration(CONVERGE)) if changed else module


def _with_meetings(function: Function, variables: frozenset[str]) -> Function | None:
    """Return the function with meetings; None if it needs none."""
    shared = shared_addresses(results_of(function.blocks), variables) if function.has(VOLATILE) else frozenset()
    releasing = _before_releases(function.blocks) if function.has(FENCES) else frozenset()
    blocks, count = [], 0
    waiting = _in_waiting_loops(function) if shared or releasing else frozenset[str]()
    for block in function.blocks if shared or releasing else ():
        if block.name in waiting:
            blocks.append(block)
            continue
        items: list[Instruction] = []
        has_met = False
        for item in block.instructions:
            found = item.access
            if found is not None and found.is_volatile and found.pointer in shared:
                if found.writes or not has_met:
                    items.append(_meeting(count))
                    count += 1
                has_met = not found.writes
            elif item.opcode == "call" or (found is not None and found.writes):
                has_met = False
            items.append(item)
        if block.name in releasing:
            items.insert(-1, _meeting(count))
            count += 1
        blocks.append(block.with_instructions(items))
    return function.with_blocks(blocks) if count else None


def _meeting(number: int) -> Instruction:
    return Instruction(f"  %musa.lockstep.{number} = call i32 @{CONVERGE}()")


def _before_releases(blocks: Sequence[Block]) -> frozenset[str]:
    """Return the names of the blocks that branch to a release, and in which lanes have not met after their stores.

    LLVM may have merged the releases of several branches into one, with blocks between that only choose an address.
    """
    releases = {block.name for block in blocks if _is_release(block)}
    ways = [block for block in blocks if len(block.successors) == 1 and not any(map(_may_write, block.instructions))]
    while more := [way for way in ways if way.name not in releases and way.successors[0] in releases]:
        releases.update(way.name for way in more)
    return frozenset(
        block.name
        for block in blocks
        if len(set(block.successors)) > 1 and not releases.isdisjoint(block.successors) and not _has_met(block)
    )


def _is_release(block: Block) -> bool:
    has_fence = False
    for item in block.instructions:
        found = item.access
        if has_fence and found is not None and found.writes:
            return True
        has_fence = item.opcode == "fence" or (has_fence and item.callee not in _SUSPENDING)
    return False


def _has_met(block: Block) -> bool:
    for item in reversed(block.instructions):
        if item.callee in _MEETINGS:
            return True
        if _may_write(item):
            return False
    return False


def _may_write(item: Instruction) -> bool:
    """Return whether it stores, or calls a function that may: of LLVM's own, those that copy and fill memory do."""
    found, callee = item.access, item.callee
    if found is None:
        return item.opcode in ("call", "invoke") and (not callee.startswith("llvm.") or callee.startswith("llvm.mem"))
    return found.writes


def _in_waiting_loops(function: Function) -> frozenset[str]:
    """Return the names of the blocks in loops on whose back edge the thread yields (waiting_loops.py)."""
    if YIELD not in function.calls:
        return frozenset()
    parts = by_name(function.blocks)
    yielding = {name for name, block in parts.items() if any(item.callee == YIELD for item in block.instructions)}
    return frozenset[str]().union(*(loop.blocks for loop in loops(parts) if not yielding.isdisjoint(loop.latches)))
