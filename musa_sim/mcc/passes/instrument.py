"""Checked builds: device code that tells libmusart of every access to memory before it happens.

One instrumentation serves all checks; which of them run is decided when the program runs. It is applied to optimised
IR: what the optimiser put into registers needs no check, and what is left are the accesses of the program. Functions
and layouts are those of runtime/device_abi.h, section "Checked builds".

Accesses to the function's own variables (allocas) are told with the variable's bounds, and only where an address was
computed from it. Accesses to the context that libmusart keeps for the thread are left out. Everything else is told,
also stack memory that came in through a pointer: libmusart knows the stacks.
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
