"""Keep the optimiser away from functions that it has done already.

A kernel is optimised with its module, before other forms are made of it. What makes these optimises the module once or
twice more, which would cost as much again for the kernel itself and change next to nothing in it.
"""

from __future__ import annotations

from collections.abc import Collection

from ..ir.attributes import add_to_definitions, remove_from_groups

#: LLVM passes a function by that has the first; it may have it only with the second.
_UNTOUCHED = ("optnone", "noinline")
#: tells the functions of these passes from those that the user wants left alone
_MARK = '"musa-left-alone"'
#: LLVM takes `optnone` of no function that is to be small
_SMALL = "optsize"


def leave_alone(ir: str, names: Collection[str]) -> str:
    """Return the module with these functions such that the next run of the optimiser passes them by."""
    return ir if _SMALL in ir else add_to_definitions(ir, names, " ".join([*_UNTOUCHED, _MARK]))


def no_longer(ir: str) -> str:
    """Return a module that has been optimised without the marks of leave_alone()."""
    return remove_from_groups(ir, _MARK, _UNTOUCHED)
