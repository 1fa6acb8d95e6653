"""Prepare a device module fresh from clang, so that libmusart can run its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import InternalError
from ..ir.function import Function
from ..ir.pieces import Variable
from ..ir.text import bare, symbol
from ..runtime_abi.functions import ABORT, SUSPENDS, runtime_functions
from ..runtime_abi.names import LAUNCH_BOUNDS_ANNOTATION, MANAGED_SECTION
from .context import bind_dynamic_shared, declare_context
from .launches import find_kernels
from .undefined import as_on_cards

if TYPE_CHECKING:
    from ..ir.module import Module
    from ..kernel import Kernel, KernelStub

_RESERVED = "__musa_sim_"


class DeviceModule(NamedTuple):
    """A device module that is ready for the back end, and facts read from it as clang wrote it."""

    ir: Module
    kernels: tuple[Kernel, ...]
    variables: tuple[str, ...]  # the variables that the host can address
    defined_by_host: frozenset[str]  # symbols
    launch_bounds: Mapping[str, int]  # the most threads of a block, by kernel with `__launch_bounds__`


def prepare(module: Module, stubs: Sequence[KernelStub]) -> DeviceModule:
    """Prepare a device module and collect its kernels and variables."""
    return DeviceModule(
        prepared(module),
        find_kernels(module, stubs),
        tuple(name for name, variable in module.variables.items() if variable.is_initialized_elsewhere),
        managed_by_host(module),
        launch_bounds(module),
    )


def prepared(module: Module) -> Module:
    """Make a device module fresh from clang ready for the back end."""
    module = make_constants_writable(module)
    # no later pass reads them
    module = module.without_annotations()
    # the C library's abort would end the process
    module = module.rename("abort", ABORT)
    module = mark_suspending(module)
    module = as_on_cards(module)
    module = module.change(Function, Function.as_own)
    module = bind_dynamic_shared(module)
    return declare_context(module)


def make_constants_writable(module: Module) -> Module:
    """Make variables of the constants that musaMemcpyToSymbol may write: clang 20 and newer put them into .rodata."""

    def writable(variable: Variable) -> Variable:
        is_given = variable.kind == "constant" and variable.is_initialized_elsewhere
        return variable.replace(kind="global", attributes=variable.attributes) if is_given else variable

    return module.change(Variable, writable)


def managed_by_host(module: Module) -> frozenset[str]:
    """Return the linker symbols of the `__managed__` variables that the host module has (managed.py)."""
    variables = module.variables.items()
    return frozenset(
        symbol(bare(name)) for name, each in variables if each.section == MANAGED_SECTION and not each.is_defined
    )


def mark_suspending(module: Module) -> Module:
    """Mark the functions of libmusart that may suspend a thread by an attribute, which all passes keep.

    Raises InternalError for a function of libmusart that is not in the table: only the table says whether it suspends.
    """
    known = runtime_functions()
    unknown = [name for name in module.declarations if name.startswith(_RESERVED) and name not in known]
    if unknown:
        raise InternalError(f"{unknown[0]} is not in the table of the runtime's functions (runtime_abi/functions.py)")
    return module.add_to_declarations({name for name, function in known.items() if function.suspends}, SUSPENDS)


def launch_bounds(module: Module) -> dict[str, int]:
    """Return the most threads that a block may have, per kernel with `__launch_bounds__`.

    clang drops this attribute for the host's target. So the header repeats it as an annotation, which clang prints.
    """
    return {
        note.function: note.number
        for note in module.annotations
        if note.text == LAUNCH_BOUNDS_ANNOTATION and note.number is not None
    }
