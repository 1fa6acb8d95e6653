"""Functions at which a thread may be suspended."""

from __future__ import annotations

from ..ir.functions import functions

_SUSPENDING_PREFIX = "__musa_sim_sync"


def suspending(ir: str) -> frozenset[str]:
    """Return the functions of a module at which a thread may be suspended."""
    names = {name for function in functions(ir).values() for name in function.mentions}
    return frozenset(name for name in names if name.startswith(_SUSPENDING_PREFIX))
