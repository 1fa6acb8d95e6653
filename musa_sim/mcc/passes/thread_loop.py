"""The fast form: one function that runs all threads of a block, for kernels in which no thread waits for another.

A fiber costs some 30 ns per thread. A plain loop over threadIdx costs one addition, and LLVM can vectorise across
threads. A kernel gets a loop only if it reaches no suspending function and makes no indirect call, which might reach
one. In doubt it gets none, and loses only speed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..contract.names import BLOCK_INDICES, LOOP_PREFIX, THREAD_INDICES
from ..ir.functions import INDIRECT, Function, call_edges, functions, reachable
from ..kernel import Kernel
from . import bounds_check, grid_rows
from .entry import unpack_arguments
from .suspension import suspending
from .thread_body import BODY_PREFIX, CHECK_PREFIX, UNCHECKED_PREFIX, inlined, loop, with_index_parameters
from .thread_independence import (
    IndependentLoops,
    is_independent,
    marked_accesses,
    unchanged_arguments,
    unchanged_classes,
    with_plain_pointers,
)

#: the function that reads gridDim.x
_GRID_SIZE = next(name for name in BLOCK_INDICES if name.endswith("grid_dim_x"))


def kernels_by_rows(ir: str, kernels: Sequence[Kernel]) -> frozenset[str]:
    """Return the kernels with grid-stride loops for which a plain loop is better than a coroutine."""
    defined = functions(ir)
    suspends = suspending(ir)
    own = (defined[kernel.name] for kernel in kernels if kernel.name in defined)
    strided = (function for function in own if _GRID_SIZE in function.calls and function.calls.isdisjoint(suspends))
    return frozenset(function.name for function in strided if _has_rows(function))


def _has_rows(function: Function) -> bool:
    _, code = with_index_parameters(function)
    return grid_rows.find(code, bounds_check.find(code)) is not None


def thread_loops(ir: str, kernels: Sequence[Kernel]) -> str:
    """Write what an optimised device module, its accessors still opaque, gets more; nothing if no kernel qualifies."""
    defined = functions(ir)
    suspends = suspending(ir)
    # whose address is taken may be called from anywhere
    named = {name: function.mentions & suspends for name, function in defined.items()}
    calls = {name: called | named.get(name, frozenset()) for name, called in call_edges(ir).items()}
    added: list[str] = []
    marks = IndependentLoops()
    for kernel in kernels:
        function = defined.get(kernel.name)
        reached = reachable(kernel.name, calls)
        if function is None or INDIRECT in reached or not suspends.isdisjoint(reached):
            continue
        callees_read_index = any(not calls.get(name, frozenset()).isdisjoint(THREAD_INDICES) for name in reached)
        parameters, code = with_index_parameters(function)
        unchanged = unchanged_classes(function)
        parameters = with_plain_pointers(unchanged, parameters)
        independent = is_independent(function, code)
        check = None if callees_read_index else bounds_check.find(code)
        rows = grid_rows.find(code, check)
        pieces = [(BODY_PREFIX, "void", code)]
        if check:
            pieces.append((CHECK_PREFIX, "i1", check.code))
            pieces.append((UNCHECKED_PREFIX, "void", rows.once if rows else check.without))
        for prefix, kind, text in pieces:
            text = marked_accesses(text) if independent else text
            added.append(inlined(prefix, kernel.name, kind, parameters, text))
        added.append(
            loop(
                kernel,
                f"{LOOP_PREFIX}{kernel.name}",
                callees_read_index=callees_read_index,
                bounds_checked=check is not None,
                grid_row=rows.row if rows else "",
                arguments=unchanged_arguments(unchanged, ir, *unpack_arguments(kernel)),
                latch_marks=(marks.latch(), marks.latch()) if independent else ("", ""),
            )
        )
    return "".join([*added, marks.nodes()])
