"""Complete a device module: add what libmusart needs besides the kernels, and the calls of checked builds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from . import entry, launch_bounds, static_shared
from .context import define_accessors

if TYPE_CHECKING:
    from .prepare import DeviceModule


def complete(
    ir: str,
    module: DeviceModule,
    *,
    shared_bytes: Mapping[str, int],
    sizes: Mapping[str, int],
    library_directories: Sequence[str] | None,
) -> str:
    """Complete an optimised module.

    `shared_bytes`: static shared memory per kernel. `sizes`: the bytes of the types of parameters.
    `library_directories`: in a checked build, the headers in which no place is of interest to the user; otherwise None.
    """
    if library_directories is not None:
        shared = static_shared.variables_of(ir, module.kernels, through_pointers=True)
        from .instrument import instrument  # only checked builds pay for loading it

        ir = instrument(ir, shared, library_directories)
    return define_accessors(ir) + "".join(
        [
            *map(entry.entry, module.kernels),
            *(entry.argument_sizes(kernel, sizes) for kernel in module.kernels),
            static_shared.definitions(shared_bytes),
            launch_bounds.definitions(module.launch_bounds),
        ]
    )
