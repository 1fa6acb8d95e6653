"""Instrument the device code of checked builds: a call to libmusart before every memory access.

One instrumentation serves all checks; which of them run is decided when the program runs. It works on optimised IR:
values in registers need no check, and all other accesses are the program's own. The functions and layouts are in
runtime/base/device_abi.h, section "Checked builds".

For an access to the function's own variables (allocas), the call passes the variable's bounds, and there is a call only
if the address was computed. Accesses to the context that libmusart keeps for each thread have no call. All others have
one, also accesses to stack memory through a pointer parameter: libmusart knows the stacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..runtime_abi.functions import (
    CHECK_ACCESS,
    CHECK_COPY,
    CHECK_FREE,
    CHECK_LOCAL,
    CHECK_MALLOC,
    SUSPENDS,
    declaration,
)
from .check_tables import global_variables, shared_visitors, with_red_zones
from .instrument_function import FunctionInstrumenter
from .source_locations import SourceLocations

if TYPE_CHECKING:
    from ..ir.function import Function
    from ..ir.module import Module

#: clang's attribute for functions that no sanitizer instruments
NOT_INSTRUMENTED = "disable_sanitizer_instrumentation"

_CALLED = (CHECK_ACCESS, CHECK_LOCAL, CHECK_COPY, CHECK_MALLOC, CHECK_FREE)


def instrument(module: Module, shared: Mapping[str, Mapping[str, str]], library_directories: Sequence[str]) -> Module:
    """Make a checked module of an optimised one, whose accessors are still opaque.

    `shared`: per kernel its static shared variables and their IR types. `library_directories`: headers in which no
    line is of interest to the user.
    """
    locations = SourceLocations(module.debug_nodes, library_directories)
    suspends = module.functions_with(SUSPENDS)
    tables = global_variables(module) + shared_visitors(shared)
    changed: dict[str, Function | None] = {}
    number = 0
    left_out = module.functions_with(NOT_INSTRUMENTED)
    for name, function in module.functions.items():
        if name in left_out:
            continue
        instrumenter = FunctionInstrumenter(locations, suspends, _exchanged(function), number)
        changed[name] = function.replacing(instrumenter.checked)
        number = instrumenter.number
    module = with_red_zones(module).change_functions(changed).without_declarations({"malloc", "free"})
    return module.declare(*map(declaration, _CALLED)).add(locations.definitions(), tables)


def _exchanged(function: Function) -> frozenset[str]:
    """Return the addresses that a function compares and exchanges."""
    if " = cmpxchg " not in function.code:
        return frozenset()
    accesses = (item.access for block in function.blocks for item in block.instructions)
    return frozenset(access.pointer for access in accesses if access and access.opcode == "cmpxchg")
