"""Have the functions inlined in which a thread may wait: only where its kernel itself waits can the kernel be cut.

The optimiser weighs size against speed, and does not know that a call costs a kernel its loops. A function stays one
that is recursive or large, or that the program wants to stay one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..ir.attributes import add_to_definitions, functions_with
from ..ir.functions import Function, call_edges, functions, reachable
from ..ir.text import global_name
from .suspension import suspending

#: characters of IR, before optimisation, that a function may have with all that is inlined into it
_MOST_INLINED = 400_000


def inline_waiting(ir: str) -> str:
    """Return a module before optimisation whose functions that may wait are to be inlined."""
    suspends = suspending(ir)
    calls = call_edges(ir)
    defined = functions(ir)
    waiting = {name for name in _callers(calls, suspends) if name in defined}
    kept = functions_with(ir, "noinline") | functions_with(ir, "optnone")
    sizes: dict[str, int] = {}
    chosen = {
        name
        for name in waiting
        if name not in kept
        and name not in reachable(name, calls)
        and _inlined_size(name, defined, waiting, sizes) <= _MOST_INLINED
    }
    called = {callee for name in waiting for callee in calls[name]}
    return add_to_definitions(ir, chosen & called, "alwaysinline")


def _callers(calls: Mapping[str, Collection[str]], targets: Collection[str]) -> set[str]:
    """Return all from which one of these functions can be reached."""
    callers: dict[str, set[str]] = {}
    for name, called in calls.items():
        for callee in called:
            callers.setdefault(callee, set()).add(name)
    return set().union(*(reachable(target, callers) for target in targets)) if targets else set()


def _inlined_size(name: str, defined: Mapping[str, Function], waiting: Collection[str], known: dict[str, int]) -> int:
    """Return how long a function becomes if all that may wait is inlined into it."""
    if name not in known:
        function = defined[name]
        known[name] = len(function.text)  # of a recursive function, for now
        known[name] += sum(
            function.text.count(f"{global_name(callee)}(") * _inlined_size(callee, defined, waiting, known)
            for callee in function.calls & frozenset(waiting)
            if callee in defined
        )
    return known[name]
