"""Complete a device module: add what libmusart needs besides the kernels, and the calls of checked builds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import CompileFailed
from ..ir.function import INDIRECT
from ..ir.instructions import Instruction
from ..ir.text import global_name, symbol
from ..runtime_abi.functions import SUSPENDS
from ..runtime_abi.names import LAUNCH_BOUNDS_PREFIX, STATIC_SHARED_PREFIX
from .context import argument_sizes, define_accessors, entry
from .launches import type_sizes

if TYPE_CHECKING:
    from ..ir.function import Function
    from ..ir.module import Module
    from ..kernel import Kernel
    from .prepare import DeviceModule

_ANCHOR = Instruction('  call void asm sideeffect "", ""() convergent nounwind')


def complete(
    ir: Module,
    module: DeviceModule,
    *,
    shared_bytes: Mapping[str, int],
    sizes: Mapping[str, int],
    library_directories: Sequence[str] | None,
) -> Module:
    """Complete an optimised module.

    `shared_bytes`: static shared memory per kernel. `sizes`: the bytes of the types of parameters.
    `library_directories`: in a checked build, the headers in which no line is of interest to the user; otherwise None.
    """
    if library_directories is not None:
        shared = variables_of(ir, module.kernels, through_pointers=True)
        from .instrument import instrument  # only checked builds pay for loading it

        ir = instrument(ir, shared, library_directories)
    return define_accessors(with_own_sites(ir)).add(
        *map(entry, module.kernels),
        *(argument_sizes(kernel, sizes) for kernel in module.kernels),
        *(_constant(STATIC_SHARED_PREFIX + name, "i64", size) for name, size in shared_bytes.items()),
        *(_constant(LAUNCH_BOUNDS_PREFIX + name, "i32", threads) for name, threads in module.launch_bounds.items()),
    )


def with_own_sites(module: Module) -> Module:
    """Return a module in whose machine code no call at which a thread waits has a copy.

    libmusart tells such calls apart by the addresses that they return to: lanes that come to __activemask() together
    are those of one call, and the check `sync` reports threads of a block that wait at different barriers. LLVM's
    optimiser moves no copy of a convergent call into a branch. Its back end for x86 does: it copies a short block to
    the end of the blocks before it. It does not know which calls are convergent, but which inline assembly is. So an
    empty one comes before each of these calls.
    """
    suspends = module.functions_with(SUSPENDS)
    waiting = (function for function in module.functions.values() if not suspends.isdisjoint(function.calls))
    return module.change_functions({function.name: _anchored(function, suspends) for function in waiting})


def _anchored(function: Function, suspends: frozenset[str]) -> Function:
    return function.replacing(lambda item: (_ANCHOR, item) if item.callee in suspends else (item,))


def _constant(name: str, kind: str, value: int) -> str:
    return f"{global_name(name)} = constant {kind} {value}\n"


def static_shared(module: Module, kernels: Sequence[Kernel], fold: Callable[[Module], Module]) -> dict[str, int]:
    """Return the static shared memory of each kernel: the bytes of the `__shared__` variables that it can reach.

    A real mcc knows this when its back end has laid out shared memory. Here a shared variable is a thread_local global
    of any type, whose size only LLVM knows. `fold` evaluates constant expressions in a module; it is called if one is
    needed.
    """
    shared = module.shared_variables
    if not shared:
        return {kernel.name: 0 for kernel in kernels}
    sizes = type_sizes(module, list(shared.values()), fold)
    return {name: sum(sizes[kind] for kind in mine.values()) for name, mine in variables_of(module, kernels).items()}


def variables_of(
    module: Module, kernels: Sequence[Kernel], *, through_pointers: bool = False
) -> dict[str, dict[str, str]]:
    """Return the static shared variables of each kernel and of the functions that it reaches, with their types.

    `through_pointers`: a kernel that calls through a pointer may reach every variable of the module.
    """
    shared = module.shared_variables
    found: dict[str, dict[str, str]] = {}
    for kernel in kernels if shared else ():
        reached = {kernel.name, *module.reached(kernel.name)}
        functions = (module.functions[name] for name in reached if name in module.functions)
        names = {name for function in functions for name in function.mentions & shared.keys()}
        if through_pointers and INDIRECT in reached:
            names = set(shared)
        found[kernel.name] = {name: shared[name] for name in sorted(names)}
    return found or {kernel.name: {} for kernel in kernels}


def refuse_overflow(bytes_of: Mapping[str, int], limit: int, arch: str) -> None:
    """Raise CompileFailed, with mcc's own message, for kernels beyond the limit of an architecture."""
    errors = [
        f"error: shared memory ({size}) exceeds limit ({limit}) in function '{symbol(name)}'\n"
        for name, size in bytes_of.items()
        if size > limit
    ]
    if errors:
        count = f"{len(errors)} error{'s' if len(errors) > 1 else ''}"
        raise CompileFailed("".join(errors) + f"{count} generated when compiling for {arch}.\n")
