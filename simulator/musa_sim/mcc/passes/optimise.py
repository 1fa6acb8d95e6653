"""Run the optimiser, and make loops that wait yield."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..contract.functions import SUSPENDS
from ..contract.names import LOOP_PREFIX
from ..ir.text import global_name

if TYPE_CHECKING:
    from ..ir.module import Module
    from ..kernel import Kernel

#: characters of a complete module from which it costs less to start LLVM once more than to optimise the kernels again
_LARGE = 2_000_000
#: characters of IR, before optimisation, that a function may have with all that is inlined into it
_MOST_INLINED = 400_000
#: LLVM skips optnone functions, and allows optnone only with noinline.
_UNTOUCHED = ("optnone", "noinline")
#: marks the functions of these passes, in contrast to the user's own optnone functions
_MARK = '"musa-left-alone"'
#: optnone may not be combined with the first three (`__forceinline__` kernels, all of a module at -Os); the user set
#: the last.
_CONTRARY = ("alwaysinline", "optsize", "minsize", "optnone")


class Llvm(Protocol):
    """The runs of LLVM that the passes need."""

    def optimise(self, module: Module, name: str) -> Module:
        """Optimise a module; `name` tells the runs apart."""

    def clean(self, module: Module, name: str) -> Module:
        """Optimise what was made of optimised code; `name` tells the runs apart."""

    def inline(self, module: Module) -> Module:
        """Inline what must be inlined, and no more."""

    def fold(self, module: Module) -> Module:
        """Give constant expressions their values."""

    def split(self, module: Module) -> Module | None:
        """Split a module's coroutines, and do no more; None if LLVM refuses."""


class Options(NamedTuple):
    """The forms of kernels that mcc makes of the device code."""

    #: functions that run a whole block: not without optimisation, not with debug info, not in checked builds
    has_block_functions: bool
    #: split kernels too; not in huge modules, where splitting takes most of the time
    has_coroutines: bool
    is_instrumented: bool


def optimise(module: Module, options: Options, llvm: Llvm) -> Module:
    """Optimise a prepared module, and let loops that wait yield."""
    if options.is_instrumented:
        return _yields(llvm.optimise(_keep_early_reads_out(module), "optimised"), optimised=True)
    if options.has_block_functions:
        module = _yields(llvm.optimise(inline_waiting(module), "optimised"), optimised=True)
        if module.has_atomics:
            from .atomic_accesses import plain_shared_atomics  # most modules have none

            module = plain_shared_atomics(module)
        return module
    # inline the headers' functions first, so that their loops are visible
    return _yields(llvm.inline(module), optimised=False) if module.may_synchronise else module


def _yields(module: Module, *, optimised: bool) -> Module:
    if not module.may_synchronise:
        return module
    from .waiting_loops import yields  # as above

    return yields(module, optimised=optimised)


def _keep_early_reads_out(module: Module) -> Module:
    """Keep the optimiser from reading memory that the source would not read: a module before optimisation.

    LLVM may load early from memory known to be valid; the checks would report a race, or a read of unwritten memory. It
    refrains where ThreadSanitizer is requested; the sanitizer itself is not run.
    """
    return module.add_to_groups("sanitize_thread")


def inline_waiting(module: Module) -> Module:
    """Have the functions inlined in which a thread may wait: a kernel can be split only where itself waits.

    The optimiser weighs size against speed, and does not know that a call costs a kernel its loops. A function stays
    one that is recursive or large, or that the program wants to stay one.
    """
    reaching = set[str]().union(*map(module.reaching, module.functions_with(SUSPENDS)))
    waiting = reaching & module.functions.keys()
    called = {callee for name in waiting for callee in module.edges[name]}
    kept = module.functions_with("noinline") | module.functions_with("optnone") if waiting else frozenset()
    sizes: dict[str, int] = {}
    chosen = {
        name
        for name in (waiting & called) - kept
        if name not in module.reached(name) and _inlined_size(name, module, waiting, sizes) <= _MOST_INLINED
    }
    return module.add_to_functions(chosen, "alwaysinline")


def _inlined_size(name: str, module: Module, waiting: Collection[str], known: dict[str, int]) -> int:
    """Return the length of a function with all waiting callees inlined into it."""
    if name not in known:
        function = module.functions[name]
        known[name] = len(function)  # of a recursive function, for now
        known[name] += sum(
            function.text.count(f"{global_name(callee)}(") * _inlined_size(callee, module, waiting, known)
            for callee in function.calls & frozenset(waiting)
            if callee in module.functions
        )
    return known[name]


def finish(module: Module, kernels: Sequence[Kernel], options: Options, llvm: Llvm) -> tuple[Module, tuple[str, ...]]:
    """Return a complete module as the code generator is to have it, and the flags for it.

    The kernels were optimised before their other forms were made of them; what was made was not. In a large module, to
    optimise the kernels again would cost as much as before and change next to nothing in them.
    """
    if module.size < _LARGE or not options.has_block_functions:
        return module, ()
    names = {kernel.name for kernel in kernels}
    # code that only MUSA_SIM_FIBERS=1 runs may be slow, as it is quick to make
    spare = {name for name in names if f"{LOOP_PREFIX}{name}" in module.functions}
    todo = mark_optimised(_left_alone(module, spare, _UNTOUCHED), names - spare)
    return unmark_optimised(llvm.clean(todo, "finished")), ("-disable-llvm-passes",)


def mark_optimised(module: Module, names: Collection[str]) -> Module:
    """Return the module with these functions such that the next run of the optimiser leaves them as they are."""
    return _left_alone(module, names, (*_UNTOUCHED, _MARK))


def _left_alone(module: Module, names: Collection[str], attributes: Sequence[str]) -> Module:
    refused = {name for attribute in _CONTRARY for name in module.functions_with(attribute)}
    return module.add_to_functions(set(names) - refused, " ".join(attributes))


def unmark_optimised(module: Module) -> Module:
    """Return a module without the marks of mark_optimised()."""
    return module.remove_from_groups(_MARK, _UNTOUCHED)
