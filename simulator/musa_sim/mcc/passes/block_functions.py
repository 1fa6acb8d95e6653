"""Choose the form of each kernel (plain loop, split, fibers), and write the function that runs a block in this form.

The fast form is a plain loop over threadIdx, for kernels in which no thread waits for another: it costs one addition
per thread, and LLVM can vectorise across threads. A fiber costs some 30 ns per thread. A kernel gets a loop only if it
reaches no suspending function and makes no indirect call, which might reach one. Kernels in which threads wait become
coroutines, if they can be split (coroutines.py). In doubt a kernel keeps its fibers, and loses only speed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..ir.function import INDIRECT
from ..ir.module import reachable
from ..ir.pieces import Piece
from ..runtime_abi.functions import EXIT, SUSPENDS
from ..runtime_abi.names import BLOCK_INDICES, LOOP_PREFIX, THREAD_INDICES
from . import grid_rows
from .context import unpack_arguments
from .thread_body import BODY_PREFIX, CHECK_PREFIX, UNCHECKED_PREFIX, inlined, loop, with_index_parameters
from .thread_independence import (
    MEMCPY,
    IndependentLoops,
    is_independent,
    marked_accesses,
    unchanged_arguments,
    unchanged_classes,
    with_plain_pointers,
)

if TYPE_CHECKING:
    from ..ir.function import Function
    from ..ir.module import Module
    from ..kernel import Kernel

#: the functions that read gridDim, and gridDim.x
_GRID_SIZES = tuple(name for name in BLOCK_INDICES if "grid_dim" in name)
_GRID_SIZE = _GRID_SIZES[0]


def with_block_functions(
    module: Module, kernels: Sequence[Kernel], clang_major: int, split: Callable[[Module], Module | None] | None
) -> Module:
    """Add to an optimised module a function that runs a whole block, for every kernel that needs no fibers.

    Args:
        module: The module, its accessors still opaque.
        kernels: Its kernels.
        clang_major: The release of clang.
        split: Splits a module's coroutines; returns None if LLVM refuses. Without it no kernel becomes a coroutine.
    """
    if EXIT in module.declarations:
        from .exits import returning  # most sources have none

        module, kernels = returning(module, kernels)
    done: frozenset[str] = frozenset()
    by_rows = _kernels_by_rows(module, kernels)
    others = [kernel for kernel in kernels if kernel.name in module.functions and kernel.name not in by_rows]
    if split and any(not _is_plain(module, kernel) for kernel in others):
        module, done = _with_coroutines(module, others, clang_major, split)
    loops = _thread_loops(module, [kernel for kernel in kernels if kernel.name not in done])
    return module.declare(MEMCPY).append(loops)


def _with_coroutines(
    module: Module, kernels: Sequence[Kernel], clang_major: int, split: Callable[[Module], Module | None]
) -> tuple[Module, frozenset[str]]:
    """Split the kernels that can be split; return the module and the names of these kernels."""
    # only sources whose kernels may wait pay for loading them
    from .block_drivers import block_drivers
    from .context import declare_context
    from .coroutines import coroutines
    from .spilled_values import remove_marks

    more, taken = coroutines(module, kernels, clang_major)
    found = split(declare_context(more)) if taken else None
    return block_drivers(remove_marks(found), taken) if found else (module, frozenset())


def _is_plain(module: Module, kernel: Kernel) -> bool:
    """Whether a kernel itself neither waits nor reads gridDim: it would gain nothing as a coroutine."""
    return module.functions[kernel.name].calls.isdisjoint({*module.functions_with(SUSPENDS), *_GRID_SIZES})


def _kernels_by_rows(module: Module, kernels: Sequence[Kernel]) -> frozenset[str]:
    """Return the kernels with grid-stride loops for which a plain loop is better than a coroutine."""
    suspends = module.functions_with(SUSPENDS)
    own = (module.functions[kernel.name] for kernel in kernels if kernel.name in module.functions)
    strided = (function for function in own if _GRID_SIZE in function.calls and function.calls.isdisjoint(suspends))
    return frozenset(function.name for function in strided if _has_rows(function))


def _has_rows(function: Function) -> bool:
    thread = with_index_parameters(function)
    return grid_rows.find(thread.blocks, grid_rows.bounds_check(thread.blocks)) is not None


def _thread_loops(module: Module, kernels: Sequence[Kernel]) -> list[Piece]:
    """Write a plain loop for every kernel in which no thread waits for another."""
    suspends = module.functions_with(SUSPENDS)
    # to take the address of a suspending function counts as to call it
    named = {name: function.mentions & suspends for name, function in module.functions.items()}
    calls = {name: called | named.get(name, frozenset()) for name, called in module.edges.items()}
    added: list[Piece] = []
    marks = IndependentLoops()
    for kernel in kernels:
        function = module.functions.get(kernel.name)
        reached = reachable(kernel.name, calls)
        if function is None or INDIRECT in reached or not suspends.isdisjoint(reached):
            continue
        callees_read_index = any(not calls.get(name, frozenset()).isdisjoint(THREAD_INDICES) for name in reached)
        thread = with_index_parameters(function)
        unchanged = unchanged_classes(function)
        parameters = with_plain_pointers(unchanged, thread.parameters)
        independent = is_independent(function, thread)
        check = None if callees_read_index else grid_rows.bounds_check(thread.blocks)
        rows = grid_rows.find(thread.blocks, check)
        bodies = [(BODY_PREFIX, "void", thread.blocks)]
        if check:
            bodies.append((CHECK_PREFIX, "i1", check.blocks))
            bodies.append((UNCHECKED_PREFIX, "void", rows.once if rows else check.without))
        for prefix, kind, blocks in bodies:
            marked = marked_accesses(blocks) if independent else blocks
            added.append(inlined(prefix, kernel.name, kind, parameters, marked))
        added.append(
            loop(
                kernel,
                f"{LOOP_PREFIX}{kernel.name}",
                callees_read_index=callees_read_index,
                bounds_checked=check is not None,
                block_stride=rows.stride if rows else "",
                arguments=unchanged_arguments(unchanged, module.types, *unpack_arguments(kernel)),
                latch_marks=(marks.latch(), marks.latch()) if independent else ("", ""),
            )
        )
    return [*added, Piece(marks.nodes())]
