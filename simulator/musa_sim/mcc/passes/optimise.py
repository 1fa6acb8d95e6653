"""Run LLVM's optimiser, and make loops that wait call the scheduler."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..ir.function import ATOMIC, FENCES, VOLATILE
from ..ir.text import global_name
from ..runtime_abi.functions import SUSPENDS
from ..runtime_abi.names import LOOP_PREFIX

if TYPE_CHECKING:
    from ..ir.module import Module
    from ..kernel import Kernel

#: Characters of a complete module. From this size on, another run of LLVM costs less than optimising the kernels again.
_LARGE = 2_000_000
#: The most characters of IR, before optimisation, of a function with its callees inlined.
_MOST_INLINED = 400_000
#: The attributes that make LLVM skip a function. It allows optnone only with noinline.
_SKIP = ("optnone", "noinline")
#: Marks the functions that mcc made optnone, in contrast to the user's own optnone functions.
_MARK = '"musa-left-alone"'
#: A function with one of these attributes gets no optnone. LLVM refuses optnone beside the first three, which are at
#: `__forceinline__` kernels and, with -Os, at all functions. The fourth is the user's own optnone.
_EXCLUDES_OPTNONE = ("alwaysinline", "optsize", "minsize", "optnone")


class Llvm(Protocol):
    """The runs of LLVM that the passes need."""

    def optimise(self, module: Module, name: str) -> Module:
        """Optimise a module; `name` tells the runs apart."""

    def clean(self, module: Module, name: str) -> Module:
        """Optimise the code that passes added to optimised code; `name` tells the runs apart."""

    def inline(self, module: Module) -> Module:
        """Inline the functions that are marked alwaysinline, and no others."""

    def fold(self, module: Module) -> Module:
        """Replace constant expressions by their values."""

    def split(self, module: Module) -> Module | None:
        """Split a module's coroutines, and do no more; None if LLVM refuses."""


class Options(NamedTuple):
    """The forms of kernels that mcc makes of the device code."""

    #: Whether kernels get functions that run a whole block. False without optimisation, with debug info, in checked
    #: builds.
    has_block_functions: bool
    #: Whether kernels are split. False for huge modules, where splitting would take most of the time.
    has_coroutines: bool
    is_instrumented: bool


def optimise(module: Module, options: Options, llvm: Llvm) -> Module:
    """Optimise a prepared module, and make loops that wait call the scheduler."""
    if options.is_instrumented:
        return _yields(llvm.optimise(_without_early_loads(module), "optimised"), optimised=True)
    if options.has_block_functions:
        module = _yields(llvm.optimise(inline_waiting(module), "optimised"), optimised=True)
        if module.has((*VOLATILE, *FENCES)):
            from .lockstep import in_lockstep

            module = in_lockstep(module)
        if module.has(ATOMIC):
            from .atomic_accesses import plain_shared_atomics  # most modules have none

            module = plain_shared_atomics(module)
        return module
    # inline the headers' functions first, so that their loops are visible
    return _yields(llvm.inline(module), optimised=False) if module.may_synchronise else module


def _yields(module: Module, *, optimised: bool) -> Module:
    if not module.may_synchronise:
        return module
    from .waiting_loops import yields  # in most modules no thread waits

    return yields(module, optimised=optimised)


def _without_early_loads(module: Module) -> Module:
    """Return a module, not yet optimised, to which the optimiser adds no loads that the source does not make.

    LLVM may move a load in front of a branch if the memory is valid anyway. The checks would then report a race, or a
    read of unwritten memory. LLVM adds no such loads to functions for ThreadSanitizer; the sanitizer itself does not
    run.
    """
    return module.add_to_groups("sanitize_thread")


def inline_waiting(module: Module) -> Module:
    """Mark the functions in which a thread may wait as alwaysinline: a kernel can only be split at calls of its own.

    The optimiser weighs size against speed, and does not know that a kernel with such a call needs fibers. A function
    is not marked if it is recursive or large, or if the program forbids to inline it.
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


def _inlined_size(name: str, module: Module, waiting: Set[str], known: dict[str, int]) -> int:
    """Return the length of a function once its callees in which a thread may wait are inlined."""
    if name not in known:
        function = module.functions[name]
        known[name] = len(function)  # enough for a function that calls itself: it is not inlined
        known[name] += sum(
            function.text.count(f"{global_name(callee)}(") * _inlined_size(callee, module, waiting, known)
            for callee in function.calls & waiting
        )
    return known[name]


def finish(module: Module, kernels: Sequence[Kernel], options: Options, llvm: Llvm) -> tuple[Module, tuple[str, ...]]:
    """Return the complete module for the code generator, and the flags for that.

    The code generator's own passes optimise everything once more. The kernels do not need it: they were optimised
    before mcc wrote their other forms. So a large module gets another run of LLVM that skips them, and the code
    generator then only generates code.
    """
    if module.size < _LARGE or not options.has_block_functions:
        return module, ()
    names = {kernel.name for kernel in kernels}
    # If a kernel has another form, only MUSA_SIM_FIBERS=1 runs the kernel itself. It stays optnone, to be compiled
    # fast.
    only_fibers = {name for name in names if f"{LOOP_PREFIX}{name}" in module.functions}
    todo = mark_optimised(_add_attributes(module, only_fibers, _SKIP), names - only_fibers)
    return unmark_optimised(llvm.clean(todo, "finished")), ("-disable-llvm-passes",)


def mark_optimised(module: Module, names: Collection[str]) -> Module:
    """Return the module with marks at these functions: the next run of the optimiser skips them."""
    return _add_attributes(module, names, (*_SKIP, _MARK))


def _add_attributes(module: Module, names: Collection[str], attributes: Sequence[str]) -> Module:
    refused = {name for attribute in _EXCLUDES_OPTNONE for name in module.functions_with(attribute)}
    return module.add_to_functions(set(names) - refused, " ".join(attributes))


def unmark_optimised(module: Module) -> Module:
    """Return a module without the marks of mark_optimised()."""
    return module.remove_from_groups(_MARK, _SKIP)
