"""The fast form: one function that runs all threads of a block, for kernels in which no thread waits for another.

A fiber costs some 30 ns per thread. A plain loop over threadIdx costs one addition, and LLVM can vectorise across
threads. A kernel gets a loop only if it reaches no suspending function and makes no indirect call, which might reach
one. In doubt it gets none, and loses only speed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..contract.names import LOOP_PREFIX, THREAD_INDICES
from ..ir.functions import INDIRECT, call_edges, functions, reachable
from ..kernel import Kernel
from . import bounds_check, grid_rows
from .suspension import suspending
from .thread_body import CHECK_PREFIX, UNCHECKED_PREFIX, body, loop, with_index_parameters


def thread_loops(ir: str, kernels: Sequence[Kernel]) -> str:
    """Write what an optimised device module, its accessors still opaque, gets more; nothing if no kernel qualifies."""
    defined = functions(ir)
    suspends = suspending(ir)
    # whose address is taken may be called from anywhere
    named = {name: function.mentions & suspends for name, function in defined.items()}
    calls = {name: called | named.get(name, frozenset()) for name, called in call_edges(ir).items()}
    added: list[str] = []
    for kernel in kernels:
        function = defined.get(kernel.name)
        reached = reachable(kernel.name, calls)
        if function is None or INDIRECT in reached or not suspends.isdisjoint(reached):
            continue
        callees_read_index = any(not calls.get(name, frozenset()).isdisjoint(THREAD_INDICES) for name in reached)
        parameters, code = with_index_parameters(function)
        check = None if callees_read_index else bounds_check.find(code)
        rows = grid_rows.find(code, check)
        if check:
            for prefix, kind, text in (
                (CHECK_PREFIX, "i1", check.code),
                (UNCHECKED_PREFIX, "void", rows.once if rows else check.without),
            ):
                head = f"define internal {kind} @{prefix}{kernel.name}({parameters}) alwaysinline nounwind "
                added.append(head + text)
        added += [
            body(function),
            loop(
                kernel,
                f"{LOOP_PREFIX}{kernel.name}",
                callees_read_index=callees_read_index,
                bounds_checked=check is not None,
                grid_row=rows.row if rows else "",
            ),
        ]
    return "".join(added)
