"""Make coroutines of kernels whose threads wait and of grid-stride kernels, so that they can run as loops over threads.

LLVM can split a coroutine at its suspension points, and keeps what is needed after them in a frame. So a kernel becomes
a coroutine that suspends where a thread waits for others (barriers of the block, shuffles, votes and their kin) and on
the back edges of its grid-stride loops (grid_stride.py). What a thread brings to a suspension it leaves in
an exchange, where it finds what it gets (suspensions.py). After the split, block_drivers.py writes the loops over
threads, which libmusart (runtime/cut_blocks.cpp) calls: it computes what the lanes of a warp get and sees to it that a
barrier opens when every thread that still runs has reached it. Threads in different states are resumed one by one.

benchmarks/simulator.py measures this.

A kernel that does not fit keeps its fibers and loses only speed: one that waits in a function that was not inlined, or
with an alloca of variable size.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..contract.cuts import Operation, Place
from ..contract.names import THREAD_INDICES
from ..ir.blocks import label, replace_incoming
from ..ir.functions import INDIRECT, Function, call_edges, callee, functions, reachable
from ..ir.instructions import instruction, is_return, variable
from ..ir.parameters import Parameter, without_byval
from ..ir.text import GLOBAL, LOCAL, split_list
from . import grid_stride
from .kept_values import declare_keep, keep_values
from .suspension import suspending
from .suspensions import (
    CUT_AT,
    EXCHANGE_PARAMETERS,
    NotKnown,
    arrival,
    suspension,
    the_end,
    warp_sizes,
)
from .thread_body import COROUTINE_PREFIX, with_index_parameters

if TYPE_CHECKING:
    from ..kernel import Kernel

#: characters of IR from which a kernel without barriers is not worth a second form of its code
_LARGE = 30_000
#: what takes LLVM too long to split
_TOO_LARGE = 600_000
_MOST_PLACES = 250
_SHARED = re.compile(rf"^(  {LOCAL}) = [^@\n]*@llvm\.threadlocal\.address\.p0\(ptr [^@\n]*({GLOBAL})\)[^\n]*", re.M)

_DECLARATIONS = (
    "declare token @llvm.coro.id(i32, ptr readnone, ptr readonly, ptr)",
    "declare ptr @llvm.coro.begin(token, ptr writeonly)",
    "declare i64 @llvm.coro.size.i64()",
    "declare i8 @llvm.coro.suspend(token, i1)",
    "declare ptr @llvm.coro.free(token, ptr readonly)",
)


class _Unfit(Exception):
    """Why a kernel keeps its fibers."""


@dataclass(frozen=True)
class Cut:
    """A kernel that became a coroutine, and its places, by their number less one."""

    kernel: Kernel
    places: tuple[Place, ...]
    kept: frozenset[str]  # types of values that are not computed again (kept_values.py)
    shared: Mapping[str, str]  # the variables whose addresses are parameters, by these
    has_rest: bool  # it waits nowhere: a plain loop can run it if no thread makes a second step


def _split(code: str) -> tuple[str, str, list[Place]]:
    """Make every call at which a thread waits a suspension; a function body without braces.

    Return the static allocas, the rest, and the places.
    """
    allocas: list[str] = []
    lines: list[str] = []
    block = ""  # label of the basic block at hand, as the source has it
    tails: dict[str, str] = {}  # block -> label of its last part after splitting
    places: list[Place] = []
    entry = ""
    widths = warp_sizes(code)
    for line in code.split("\n"):
        started = label(line)
        if started:
            block = started
            entry = entry or block
        elif not block and line.strip():
            raise _Unfit("its first block has no name")
        allocated = variable(instruction(line))
        if allocated:
            if block != entry or allocated.count.startswith("%"):
                raise _Unfit("it allocates a variable amount of stack")
            allocas.append(line)
        elif " call " in line and callee(line) in CUT_AT:
            count = len(places) + 1
            try:
                cut = suspension(line, count, widths)
            except NotKnown:
                raise _Unfit("an operation is chosen at run time") from None
            places.append(cut.place)
            lines += [
                f"{cut.before}  %coro.at.{count} = call i8 @llvm.coro.suspend(token none, i1 false)",
                f"  switch i8 %coro.at.{count}, label %coro.suspended "
                f"[ i8 0, label %coro.after.{count} i8 1, label %coro.cleanup ]",
                f"coro.after.{count}:\n{cut.after}".rstrip("\n"),
            ]
            tails[block] = f"coro.after.{count}"
        elif is_return(line):
            lines.append("  br label %coro.finished")
        else:
            lines.append(line)
    text = "\n".join(lines)
    for name, tail in tails.items():
        # control now leaves the block from its last part
        text = replace_incoming(text, name, tail)
    return "\n".join(allocas), f"  br label %{entry}\n{text}", places


def _with_shared_parameters(code: str) -> tuple[str, dict[str, str]]:
    """Make the addresses of __shared__ variables, which are the same for all threads, parameters.

    Return the code, and the variables by their parameters.
    """
    parameters: dict[str, str] = {}

    def parameter(found: re.Match[str]) -> str:
        variable = found.group(2)
        name = parameters.setdefault(variable, f"%musa.shared.{len(parameters)}")
        return f"{found.group(1)} = getelementptr i8, ptr {name}, i64 0"

    code = _SHARED.sub(parameter, code)
    return code, {name: variable for variable, name in parameters.items()}


def _by_address(parameters: str) -> str:
    """Make `byval` parameters plain pointers to the launch's arguments.

    Memory of a byval parameter ends with the call, and a coroutine outlives its first one. The argument itself lives as
    long as the launch, but all threads see it, so a kernel that writes to it does not fit.
    """
    for text in split_list(parameters):
        parameter = Parameter(text)
        if parameter.byval and not parameter.is_read_only:
            raise _Unfit("it changes a parameter that was passed by value")
    return without_byval(parameters)


def _coroutine(kernel: Kernel, function: Function, clang_major: int) -> tuple[str, Cut]:
    """Write the kernel as a coroutine.

    Its parameters: frame memory or null to be told its size, where to put that, values, indices, rank, exchange,
    addresses of shared variables.
    """
    parameters, code = with_index_parameters(function)
    code, shared = _with_shared_parameters(code)
    parameters = ", ".join([_by_address(parameters), *EXCHANGE_PARAMETERS, *(f"ptr {name}" for name in shared)])
    text = code[code.index("{\n") + 2 : code.rindex("}")]
    text, kept = keep_values(text)
    allocas, split, places = _split(text)
    waits = bool(places)
    edges = grid_stride.back_edges(split)
    numbers = range(len(places) + 1, len(places) + 1 + len(edges))
    split = grid_stride.suspend_on(split, edges, [arrival(number, f"coro.{number}") for number in numbers])
    places += [Place(Operation.STEP)] * len(edges)
    if len(places) > _MOST_PLACES:
        raise _Unfit("it has too many suspensions")
    # LLVM 22 made the intrinsic return nothing
    end = "call void" if clang_major >= 22 else "%coro.unused = call i1"
    text = f"""define hidden ptr @{COROUTINE_PREFIX}{kernel.name}(ptr %coro.memory, ptr %coro.size.out, {parameters}) \
presplitcoroutine nounwind {{
coro.entry:
{allocas}
{grid_stride.COUNTER if edges else ""}  %coro.id = call token @llvm.coro.id(i32 16, ptr null, ptr null, ptr null)
  %coro.size = call i64 @llvm.coro.size.i64()
  store i64 %coro.size, ptr %coro.size.out, align 8
  %coro.asked = icmp eq ptr %coro.memory, null
  br i1 %coro.asked, label %coro.answer, label %coro.start
coro.answer:
  ret ptr null
coro.start:
  %coro.frame = call ptr @llvm.coro.begin(token %coro.id, ptr %coro.memory)
{split}
coro.finished:
{the_end()}  %coro.final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %coro.final, label %coro.suspended [ i8 0, label %coro.never i8 1, label %coro.cleanup ]
coro.never:
  unreachable
coro.cleanup:
  %coro.freed = call ptr @llvm.coro.free(token %coro.id, ptr %coro.frame)
  br label %coro.suspended
coro.suspended:
  {end} @llvm.coro.end(ptr %coro.frame, i1 false, token none)
  ret ptr %coro.frame
}}
"""
    return text, Cut(kernel, tuple(places), kept, shared, has_rest=not waits)


def coroutines(ir: str, kernels: Sequence[Kernel], clang_major: int) -> tuple[str, tuple[Cut, ...]]:
    """Return what an optimised module gets more, and the kernels that this makes coroutines of."""
    defined = functions(ir)
    suspends = suspending(ir)
    calls = call_edges(ir)
    added: list[str] = []
    taken: list[Cut] = []
    for kernel in kernels:
        function = defined.get(kernel.name)
        if function is None or not _can_be_cut(kernel.name, calls, suspends):
            continue
        if CUT_AT.isdisjoint(function.calls) and not _gains_from_steps(function):
            continue
        if len(function.text) > _TOO_LARGE:
            continue
        try:
            text, cut = _coroutine(kernel, function, clang_major)
        except _Unfit:
            continue
        added.append(text)
        taken.append(cut)
    if not taken:
        return "", ()
    end = "void" if clang_major >= 22 else "i1"
    declarations = [*_DECLARATIONS, f"declare {end} @llvm.coro.end(ptr, i1, token)"]
    kept = frozenset[str]().union(*(cut.kept for cut in taken))
    return "".join([*(f"{line}\n" for line in declarations), declare_keep(kept), *added]), tuple(taken)


def _gains_from_steps(function: Function) -> bool:
    """Whether it has a grid-stride loop, and does so little in it that the order of memory accesses matters."""
    return len(function.text) < _LARGE and bool(grid_stride.back_edges(with_index_parameters(function)[1]))


def _can_be_cut(kernel: str, calls: Mapping[str, frozenset[str]], suspends: frozenset[str]) -> bool:
    """Whether everything that may suspend a thread stands in the kernel itself, and is one of CUT_AT."""
    own = calls[kernel]
    if INDIRECT in own or not own.isdisjoint(suspends - CUT_AT):
        return False
    for called in own - CUT_AT:
        reached = {called, *reachable(called, calls)}
        if INDIRECT in reached or not reached.isdisjoint(suspends):
            return False
        # it would read threadIdx from the context, which the driver does not keep up to date
        if any(not calls.get(name, frozenset()).isdisjoint(THREAD_INDICES) for name in reached):
            return False
    return True
