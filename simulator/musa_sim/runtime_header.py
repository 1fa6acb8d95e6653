"""Write include/musa_sim/runtime_functions.h from the table in mcc/runtime_abi/functions.py.

`python -m musa_sim.runtime_header` writes it into this package.
"""

from __future__ import annotations

from pathlib import Path

from .mcc.runtime_abi.functions import FUNCTIONS, RuntimeFunction

HEADER = Path(__file__).resolve().parent / "include" / "musa_sim" / "runtime_functions.h"

_TEXT = """\
/* The functions of libmusart that these headers call.
 *
 * mcc only. Written by `python -m musa_sim.runtime_header` from musa_sim/mcc/runtime_abi/functions.py:
 * change the table, not this file. Those marked MUSA_SIM_SUSPENDING may suspend the thread; mcc
 * knows them by the table. They are ordinary external calls, so that the compiler keeps no value of
 * shared memory in a register across them.
 */
#ifndef MUSA_SIM_RUNTIME_FUNCTIONS_H
#define MUSA_SIM_RUNTIME_FUNCTIONS_H

#include <host_defines.h>

#define MUSA_SIM_RUNTIME extern "C" __device__
#define MUSA_SIM_SUSPENDING MUSA_SIM_RUNTIME __attribute__((convergent))

{declarations}
#undef MUSA_SIM_SUSPENDING
#undef MUSA_SIM_RUNTIME

#endif
"""


def text() -> str:
    """Return the text that the header must have."""
    return _TEXT.replace("{declarations}", "".join(map(_declaration, (f for f in FUNCTIONS if f.for_headers))))


def _declaration(function: RuntimeFunction) -> str:
    head = "MUSA_SIM_SUSPENDING" if function.suspends else "MUSA_SIM_RUNTIME"
    if function.on_host:
        head += " __host__"
    if function.depends_on_call_site:
        head += " __attribute__((nomerge))"
    if function.is_constant:
        head += " __attribute__((const))"
    if not function.returns:
        head += " __attribute__((noreturn))"
    head += f" {function.result} {function.name}("
    parameters = f"{', '.join(function.parameters)});\n"
    comment = f"/* {function.about} */\n" if function.about else ""
    line = head + parameters if len(head + parameters) <= 100 else f"{head}\n    {parameters}"
    return comment + line


if __name__ == "__main__":
    HEADER.write_text(text())
