"""Give what C++ leaves undefined, and kernels do all the same, the result that it has on a card.

docs/simulator-undefined.md has the list. Flags of clang's front end do a part of it (clang/arguments.py).
"""

from __future__ import annotations

from ..ir.promises import remove_ends_of_lifetimes, remove_fast_math, remove_promises_of_values
from . import arithmetic, conversions


def as_on_cards(ir: str) -> str:
    """Drop the promises of a module fresh from clang, and define its conversions and integer operations."""
    ir = remove_fast_math(remove_ends_of_lifetimes(remove_promises_of_values(ir)))
    return arithmetic.as_gpus(conversions.as_hardware(ir))
