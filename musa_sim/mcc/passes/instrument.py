"""Instrument the device code of checked builds: a call to libmusart before every memory access.

One instrumentation serves all checks; which of them run is decided when the program runs. It is applied to optimised
IR: what is in registers needs no check, and the accesses that are left are those of the program. Functions and layouts
are those of runtime/base/device_abi.h, section "Checked builds".

For an access to the function's own variables (allocas), the call passes the variable's bounds, and there is a call only
if the address was computed. Accesses to the context that libmusart keeps for each thread have no call. All others have
one, also accesses to stack memory through a pointer parameter: libmusart knows the stacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..contract.functions import CHECK_ACCESS, CHECK_COPY, CHECK_FREE, CHECK_LOCAL, CHECK_MALLOC, declaration
from ..ir.functions import declare, redirect_calls, remove_declarations
from .check_tables import global_variables, shared_visitors, with_red_zones
from .instrument_function import FunctionInstrumenter
from .source_places import ReportTexts, SourcePlaces
from .suspension import suspending

_CALLED = (CHECK_ACCESS, CHECK_LOCAL, CHECK_COPY, CHECK_MALLOC, CHECK_FREE)


def instrument(ir: str, shared: Mapping[str, Mapping[str, str]], library_directories: Sequence[str]) -> str:
    """Make a checked module of an optimised one, whose accessors are still opaque.

    `shared`: per kernel its static shared variables and their IR types. `library_directories`: headers in which no
    place is of interest to the user.
    """
    places = ReportTexts(SourcePlaces(ir, library_directories))
    suspends = suspending(ir)
    tables = global_variables(ir) + shared_visitors(shared)
    lines: list[str] = []
    function: FunctionInstrumenter | None = None
    number = 0
    for line in with_red_zones(ir).split("\n"):
        if line.startswith("define "):
            function = FunctionInstrumenter(places, suspends, number)
        elif line == "}":
            number = function.number if function else number
            function = None
        elif function is not None:
            lines += function.line(line)
            continue
        lines.append(line)
    text = remove_declarations("\n".join(lines), {"malloc", "free"})
    text = redirect_calls(redirect_calls(text, "malloc", CHECK_MALLOC), "free", CHECK_FREE)
    text = declare(text, *map(declaration, _CALLED))
    return text + places.definitions() + tables
