"""Run the optimiser, make loops that wait yield, and write functions that run a whole block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..ir.attributes import add_to_groups
from ..ir.functions import declare
from ..kernel import Kernel
from . import block_drivers, coroutines, left_alone, waiting_loops
from .context import declare_context
from .inlining import inline_waiting
from .kept_values import forget_keep
from .shared_atomics import plain_shared_atomics
from .thread_independence import MEMCPY
from .thread_loop import kernels_by_rows, thread_loops

#: characters of a complete module from which it costs less to start LLVM once more than to optimise the kernels again
_LARGE = 2_000_000


class Llvm(Protocol):
    """What the passes need of LLVM."""

    def optimise(self, ir: str, name: str) -> str:
        """Optimise a module; `name` tells the runs apart."""

    def inline(self, ir: str) -> str:
        """Inline what must be inlined, and no more."""

    def fold(self, ir: str) -> str:
        """Give constant expressions their values."""

    def split(self, ir: str) -> str | None:
        """Optimise a module with coroutines; None if LLVM refuses."""


@dataclass(frozen=True)
class Form:
    """Which form the device code takes."""

    has_block_functions: bool  # functions that run a whole block: not without optimisation, not with debug info
    is_instrumented: bool
    clang_major: int


def optimise(ir: str, kernels: Sequence[Kernel], form: Form, llvm: Llvm) -> str:
    """Optimise a prepared module; let loops that wait yield; add functions that run a whole block."""
    if form.is_instrumented:
        optimised = llvm.optimise(_keep_early_reads_out(ir), "optimised")
        return waiting_loops.yields(optimised, optimised=True)
    if form.has_block_functions:
        # the loops are made of optimised code: what a kernel calls is then known, not guessed
        optimised = waiting_loops.yields(llvm.optimise(inline_waiting(ir), "optimised"), optimised=True)
        return _with_block_functions(plain_shared_atomics(optimised), kernels, form, llvm)
    if waiting_loops.may_wait(ir):
        # what the SDK's headers have inlined must be seen
        return waiting_loops.yields(llvm.inline(ir), optimised=False)
    return ir


def finish(ir: str, kernels: Sequence[Kernel], form: Form, llvm: Llvm) -> tuple[str, ...]:
    """Return a complete module as the code generator is to have it, and the flags for it.

    The kernels were optimised before their other forms were made of them; what was made was not.
    """
    if len(ir) < _LARGE or form.is_instrumented or not form.has_block_functions:
        return (ir,)
    todo = left_alone.leave_alone(ir, {kernel.name for kernel in kernels})
    return left_alone.no_longer(llvm.optimise(todo, "finished")), "-disable-llvm-passes"


def _with_block_functions(ir: str, kernels: Sequence[Kernel], form: Form, llvm: Llvm) -> str:
    """Give the optimised module a function that runs a whole block for every kernel that needs no fibers."""
    by_rows = kernels_by_rows(ir, kernels)
    others = [kernel for kernel in kernels if kernel.name not in by_rows]
    added, taken = coroutines.coroutines(ir, others, form.clang_major)
    cut: frozenset[str] = frozenset()
    if taken:
        done = {kernel.name for kernel in kernels}
        split = llvm.split(declare_context(left_alone.leave_alone(ir, done) + added))
        if split is not None:
            ir, cut = block_drivers.block_drivers(forget_keep(left_alone.no_longer(split)), taken)
    loops = thread_loops(ir, [kernel for kernel in kernels if kernel.name not in cut])
    return declare(ir, MEMCPY) + loops


def _keep_early_reads_out(ir: str) -> str:
    """Keep the optimiser from reading memory that the source would not read: a module before optimisation.

    LLVM may load early what it knows to exist, and would then be seen to race, or to read what nobody wrote. It
    refrains where ThreadSanitizer is asked for; the sanitizer itself is not run.
    """
    return add_to_groups(ir, "sanitize_thread")
