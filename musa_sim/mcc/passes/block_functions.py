"""Choose the form of each kernel, and write the functions that run a whole block in that form."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.functions import declare
from ..kernel import Kernel
from . import block_drivers, coroutines
from .context import declare_context
from .kept_values import forget_keep
from .thread_independence import MEMCPY
from .thread_loop import kernels_by_rows, thread_loops


def with_block_functions(
    ir: str, kernels: Sequence[Kernel], clang_major: int, split: Callable[[str], str | None] | None
) -> str:
    """Give an optimised module a function that runs a whole block for every kernel that needs no fibers.

    Args:
        ir: The module.
        kernels: Its kernels.
        clang_major: The release of clang.
        split: Splits a module's coroutines; returns None if LLVM refuses. None: no kernel becomes one.
    """
    by_rows = kernels_by_rows(ir, kernels)
    others = [kernel for kernel in kernels if kernel.name not in by_rows]
    added, taken = coroutines.coroutines(ir, others, clang_major) if split else ("", ())
    cut: frozenset[str] = frozenset()
    if split and taken:
        found = split(declare_context(ir + added))
        if found is not None:
            ir, cut = block_drivers.block_drivers(forget_keep(found), taken)
    loops = thread_loops(ir, [kernel for kernel in kernels if kernel.name not in cut])
    return declare(ir, MEMCPY) + loops
