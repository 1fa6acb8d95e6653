"""How much static shared memory a kernel needs: the sizes of the `__shared__` variables that it can reach.

A real mcc knows this after its back end has laid shared memory out. Here a shared variable is a thread_local global of
any type, whose size LLVM tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from . import call_graph
from .device_ir import Kernel
from .host_stubs import leading_type
from .type_sizes import type_sizes

STATIC_SHARED_PREFIX = "__musa_sim_static_shared_"

_VARIABLE = re.compile(
    r'^@([\w.$]+|"[^"]+") = (?!external)[^\n]*?\bthread_local(?:\(\w+\))? [^\n]*?\bglobal (.*)$', re.M
)


def shared_variables(ir: str) -> dict[str, str]:
    """{name of a static shared variable: its IR type}."""
    return {name: leading_type(rest) for name, rest in _VARIABLE.findall(ir)}


def static_shared(ir: str, kernels: Sequence[Kernel], fold: Callable[[str], str]) -> dict[str, int]:
    """{kernel: bytes}. `fold` optimises a module's text; it is called only when there is something to ask."""
    variables = shared_variables(ir)
    if not variables:
        return {kernel.name: 0 for kernel in kernels}
    sizes = type_sizes(ir, list(variables.values()), fold)
    reached = variables_of(ir, kernels)
    return {kernel: sum(sizes[kind] for kind in mine.values()) for kernel, mine in reached.items()}


def variables_of(ir: str, kernels: Sequence[Kernel], *, through_pointers: bool = False) -> dict[str, dict[str, str]]:
    """{kernel: its static shared variables and their IR types}, those of the functions that it reaches included.

    `through_pointers`: a kernel that calls through a pointer may reach every variable of the module.
    """
    variables = shared_variables(ir)
    definitions = call_graph.functions(ir)
    edges = {name: call_graph.calls(text) for name, text in definitions.items()}
    used = {
        name: frozenset(word for word in re.findall(r'@([\w.$]+|"[^"]+")', text) if word in variables)
        for name, text in definitions.items()
    }
    found: dict[str, dict[str, str]] = {}
    for kernel in kernels:
        functions = {kernel.name, *call_graph.reachable(kernel.name, edges)}
        names = {variable for function in functions for variable in used.get(function, ())}
        if through_pointers and call_graph.INDIRECT in functions:
            names = set(variables)
        found[kernel.name] = {name: variables[name] for name in sorted(names)}
    return found


def definitions(bytes_of: Mapping[str, int]) -> str:
    """The constants that libmusart reads (runtime/device_abi.h)."""
    return "".join(f"@{STATIC_SHARED_PREFIX}{name} = constant i64 {size}\n" for name, size in bytes_of.items())


def overflows(bytes_of: Mapping[str, int], limit: int) -> str:
    """Diagnostics in mcc's words for kernels beyond the limit; empty when there are none."""
    return "".join(
        f"error: shared memory ({size}) exceeds limit ({limit}) in function '{name}'\n"
        for name, size in bytes_of.items()
        if size > limit
    )
