"""The static shared memory of a kernel: the total size of the `__shared__` variables that it can reach.

A real mcc knows this when its back end has laid out shared memory. Here a shared variable is a thread_local global of
any type, whose size only LLVM knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..contract.names import STATIC_SHARED_PREFIX
from ..errors import CompileFailed
from ..ir.functions import INDIRECT, call_edges, functions, reachable
from ..ir.text import bare, global_name, symbol
from ..ir.variables import variables
from ..kernel import Kernel
from .type_sizes import type_sizes


def shared_variables(ir: str) -> dict[str, str]:
    """Return the IR types of the static shared variables, by their bare names."""
    return {
        bare(variable.name): variable.type
        for variable in variables(ir)
        if variable.is_thread_local and variable.is_defined and variable.kind == "global"
    }


def static_shared(ir: str, kernels: Sequence[Kernel], fold: Callable[[str], str]) -> dict[str, int]:
    """Return the bytes per kernel. `fold` evaluates constant expressions in a module; it is called if one is needed."""
    shared = shared_variables(ir)
    if not shared:
        return {kernel.name: 0 for kernel in kernels}
    sizes = type_sizes(ir, list(shared.values()), fold)
    return {kernel: sum(sizes[kind] for kind in mine.values()) for kernel, mine in variables_of(ir, kernels).items()}


def variables_of(ir: str, kernels: Sequence[Kernel], *, through_pointers: bool = False) -> dict[str, dict[str, str]]:
    """Return, per kernel, its static shared variables and their types, those of the functions that it reaches included.

    `through_pointers`: a kernel that calls through a pointer may reach every variable of the module.
    """
    shared = shared_variables(ir)
    defined = functions(ir)
    calls = call_edges(ir)
    found: dict[str, dict[str, str]] = {}
    for kernel in kernels:
        reached = {kernel.name, *reachable(kernel.name, calls)}
        names = {name for other in reached if other in defined for name in defined[other].mentions & shared.keys()}
        if through_pointers and INDIRECT in reached:
            names = set(shared)
        found[kernel.name] = {name: shared[name] for name in sorted(names)}
    return found


def definitions(bytes_of: Mapping[str, int]) -> str:
    """Write the constants that libmusart reads."""
    return "".join(
        f"{global_name(STATIC_SHARED_PREFIX + name)} = constant i64 {size}\n" for name, size in bytes_of.items()
    )


def refuse_overflow(bytes_of: Mapping[str, int], limit: int, arch: str) -> None:
    """Raise CompileFailed, in mcc's words, for kernels beyond the limit of an architecture."""
    errors = [
        f"error: shared memory ({size}) exceeds limit ({limit}) in function '{symbol(name)}'\n"
        for name, size in bytes_of.items()
        if size > limit
    ]
    if errors:
        count = f"{len(errors)} error{'s' if len(errors) > 1 else ''}"
        raise CompileFailed("".join(errors) + f"{count} generated when compiling for {arch}.\n")
