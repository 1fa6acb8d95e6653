"""Prepare a device module fresh from clang, so that libmusart can run its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..contract.functions import ABORT
from ..ir.annotations import remove_annotations
from ..ir.functions import rename_function
from ..ir.variables import initialized_elsewhere, make_constants_writable
from . import managed
from .context import bind_dynamic_shared, declare_context
from .find_kernels import find_kernels
from .launch_bounds import launch_bounds
from .suspension import mark_suspending
from .undefined import as_on_cards

if TYPE_CHECKING:
    from ..kernel import Kernel, KernelStub


class DeviceModule(NamedTuple):
    """A device module that is fit for the back end, and what is known of it from the start."""

    ir: str
    kernels: tuple[Kernel, ...]
    variables: tuple[str, ...]  # those that the host can address
    defined_by_host: frozenset[str]  # symbols
    launch_bounds: Mapping[str, int]  # the most threads of a block, per kernel that says so


def prepare(device_ir: str, stubs: Sequence[KernelStub]) -> DeviceModule:
    """Take a freshly compiled device module in."""
    ir = prepared(device_ir)
    return DeviceModule(
        ir,
        find_kernels(device_ir, stubs),
        initialized_elsewhere(ir),
        managed.declared(device_ir),
        launch_bounds(device_ir),
    )


def prepared(device_ir: str) -> str:
    """Make a freshly compiled device module fit for the back end."""
    # clang >= 20 puts __constant__ variables into .rodata, where musaMemcpyToSymbol could not write.
    ir = make_constants_writable(device_ir)
    # no later pass has a use for them
    ir = remove_annotations(ir)
    # the C library's would end the process
    ir = rename_function(ir, "abort", ABORT)
    ir = mark_suspending(ir)
    ir = as_on_cards(ir)
    ir = bind_dynamic_shared(ir)
    return declare_context(ir)
