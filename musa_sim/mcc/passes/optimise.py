"""Run the optimiser, and make loops that wait yield."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..ir.attributes import add_to_groups
from ..kernel import Kernel
from . import left_alone, waiting_loops
from .inlining import inline_waiting
from .shared_atomics import plain_shared_atomics

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
        """Split a module's coroutines, and do no more; None if LLVM refuses."""


class Form(NamedTuple):
    """Which form the device code takes."""

    #: functions that run a whole block: not without optimisation, not with debug info, not in checked builds
    has_block_functions: bool
    #: such functions of kernels in which threads wait, too: not in a huge module, where they are most of the work
    has_coroutines: bool
    is_instrumented: bool


def optimise(ir: str, form: Form, llvm: Llvm) -> str:
    """Optimise a prepared module, and let loops that wait yield."""
    if form.is_instrumented:
        optimised = llvm.optimise(_keep_early_reads_out(ir), "optimised")
        return waiting_loops.yields(optimised, optimised=True)
    if form.has_block_functions:
        return plain_shared_atomics(
            waiting_loops.yields(llvm.optimise(inline_waiting(ir), "optimised"), optimised=True)
        )
    if waiting_loops.may_wait(ir):
        # what the SDK's headers have inlined must be seen
        return waiting_loops.yields(llvm.inline(ir), optimised=False)
    return ir


def finish(ir: str, kernels: Sequence[Kernel], form: Form, llvm: Llvm) -> tuple[str, ...]:
    """Return a complete module as the code generator is to have it, and the flags for it.

    The kernels were optimised before their other forms were made of them; what was made was not.
    """
    if len(ir) < _LARGE or not form.has_block_functions:
        return (ir,)
    todo = left_alone.leave_alone(ir, {kernel.name for kernel in kernels})
    return left_alone.no_longer(llvm.optimise(todo, "finished")), "-disable-llvm-passes"


def _keep_early_reads_out(ir: str) -> str:
    """Keep the optimiser from reading memory that the source would not read: a module before optimisation.

    LLVM may load early what it knows to exist, and would then be seen to race, or to read what nobody wrote. It
    refrains where ThreadSanitizer is asked for; the sanitizer itself is not run.
    """
    return add_to_groups(ir, "sanitize_thread")
