"""Mark the functions that may suspend a thread, by an attribute that they keep through all passes."""

from __future__ import annotations

from ..contract.functions import SUSPENDS, runtime_functions
from ..errors import InternalError
from ..ir.attributes import functions_with
from ..ir.functions import add_to_declarations, declarations

_RESERVED = "__musa_sim_"


def mark_suspending(ir: str) -> str:
    """Give the functions of libmusart that may suspend a thread the attribute that says so.

    Raises InternalError for a function of libmusart that is not in the table: nobody knows whether it suspends.
    """
    known = runtime_functions()
    unknown = [name for name in declarations(ir) if name.startswith(_RESERVED) and name not in known]
    if unknown:
        raise InternalError(f"{unknown[0]} is not in the table of the runtime's functions (contract/functions.py)")
    return add_to_declarations(ir, {name for name, function in known.items() if function.suspends}, SUSPENDS)


def suspending(ir: str) -> frozenset[str]:
    """Return the functions of a module at which a thread may be suspended, by their bare names."""
    return functions_with(ir, SUSPENDS)
