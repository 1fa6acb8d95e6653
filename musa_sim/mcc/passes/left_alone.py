"""Keep the optimiser away from functions that it has done already.

A kernel is optimised with its module, before other forms are made of it. These must be optimised, too, and in a large
module that would cost as much again for the kernels themselves and change next to nothing in them.
"""

from __future__ import annotations

from collections.abc import Collection

from ..ir.attributes import add_to_definitions, functions_with, remove_from_groups

#: LLVM passes a function by that has the first; it may have it only with the second.
_UNTOUCHED = ("optnone", "noinline")
#: tells the functions of these passes from those that the user wants left alone
_MARK = '"musa-left-alone"'
#: LLVM refuses functions that have the first three as well: `__forceinline__` kernels, and all of a module at -Os. One
#: that has the last is its author's to leave alone.
_CONTRARY = ("alwaysinline", "optsize", "minsize", "optnone")


def leave_alone(ir: str, names: Collection[str]) -> str:
    """Return the module with these functions such that the next run of the optimiser passes them by."""
    refused = {name for attribute in _CONTRARY for name in functions_with(ir, attribute)}
    return add_to_definitions(ir, set(names) - refused, " ".join([*_UNTOUCHED, _MARK]))


def no_longer(ir: str) -> str:
    """Return a module that has been optimised without the marks of leave_alone()."""
    return remove_from_groups(ir, _MARK, _UNTOUCHED)
