"""Make coroutines of kernels whose threads wait and of grid-stride kernels, so that they can run as loops over threads.

LLVM can split a coroutine at its suspend points. It spills the values that are needed after them to a frame. So a
kernel becomes a coroutine that suspends where a thread waits for others (barriers of the block, shuffles, votes and the
like) and on the back edges of its grid-stride loops (grid_stride.py). At a suspend point a thread stores its operands
in the warp mailbox and later loads its result (suspend_points.py). After the split, block_drivers.py writes the loops
over threads, which libmusart (runtime/blocks/split_kernels.cpp) calls. libmusart computes the results of the lanes of a
warp, and opens a barrier when all threads that still run have reached it. It resumes threads that wait at different
suspend points one by one.

benchmarks/simulator.py measures this.

A kernel that does not fit keeps its fibers and loses only speed: one that waits in a function that was not inlined, or
with an alloca of variable size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..ir.blocks import ENTRY, Block
from ..ir.function import Function
from ..ir.instructions import Instruction
from ..ir.text import global_name
from ..runtime_abi.functions import SUSPENDS
from ..runtime_abi.split_kernels import MAX_SUSPEND_POINTS, SuspendOperation, SuspendPoint
from . import grid_stride
from .spilled_values import declare_marks, mark_spilled
from .suspend_points import MAILBOX_PARAMETERS, SPLIT_AT, SplitKernel, arrival, can_be_split, split, the_end
from .thread_body import COROUTINE_PREFIX, Unfit, by_address, with_index_parameters, with_shared_parameters

if TYPE_CHECKING:
    from ..ir.module import Module
    from ..kernel import Kernel

#: characters of IR; a kernel without barriers that has as many is not worth a second form of its code
_LARGE = 30_000
#: the same, for all such kernels of a source: many are instances of one template, of which a program uses a few
_MANY_STEPS = 300_000
#: characters of IR; a kernel that has more takes LLVM too long to split
_TOO_LARGE = 600_000

_DECLARATIONS = (
    "declare token @llvm.coro.id(i32, ptr readnone, ptr readonly, ptr)",
    "declare ptr @llvm.coro.begin(token, ptr writeonly)",
    "declare i64 @llvm.coro.size.i64()",
    "declare i64 @llvm.coro.align.i64()",
    "declare i8 @llvm.coro.suspend(token, i1)",
    "declare ptr @llvm.coro.free(token, ptr readonly)",
)


def coroutines(module: Module, kernels: Sequence[Kernel], clang_major: int) -> tuple[Module, tuple[SplitKernel, ...]]:
    """Add to an optimised module a coroutine for each kernel that can be split; return it and these kernels."""
    added: list[Function] = []
    taken: list[SplitKernel] = []
    for kernel, thread in _worth_splitting(module, kernels):
        try:
            coroutine, split_kernel = _coroutine(kernel, thread, clang_major)
        except Unfit:
            continue
        added.append(coroutine)
        taken.append(split_kernel)
    end = "void" if clang_major >= 22 else "i1"
    spilled = frozenset[str]().union(*(made.spilled for made in taken))
    declarations = [*_DECLARATIONS, f"declare {end} @llvm.coro.end(ptr, i1, token)", *declare_marks(spilled)]
    return module.add(*(f"{line}\n" for line in declarations)).append(added), tuple(taken)


def _worth_splitting(module: Module, kernels: Sequence[Kernel]) -> list[tuple[Kernel, Function]]:
    """Return the kernels that gain from being coroutines, with their indices as parameters."""
    suspends = module.functions_with(SUSPENDS)
    waiting: list[tuple[Kernel, Function]] = []
    stepping: list[tuple[Kernel, Function]] = []
    for kernel in kernels:
        function = module.functions[kernel.name]
        if not can_be_split(kernel.name, module, suspends) or len(function) > _TOO_LARGE:
            continue
        thread = with_index_parameters(function)
        if not SPLIT_AT.isdisjoint(function.calls):
            waiting.append((kernel, thread))
        elif _gains_from_steps(function, thread):
            stepping.append((kernel, thread))
    size = sum(len(module.functions[kernel.name]) for kernel, _ in stepping)
    return waiting + stepping if size < _MANY_STEPS else waiting


def _gains_from_steps(function: Function, thread: Function) -> bool:
    """Whether it has a grid-stride loop, and does so little in it that the order of memory accesses matters."""
    return len(function) < _LARGE and bool(grid_stride.back_edges(thread.blocks))


def _coroutine(kernel: Kernel, thread: Function, clang_major: int) -> tuple[Function, SplitKernel]:
    """Write the kernel as a coroutine.

    Its parameters: the memory for the frame, the address to store the frame's size and alignment at, the kernel's own
    parameters, indices, rank, mailbox, addresses of shared variables. With null as the memory it only stores the two.
    """
    blocks, shared = with_shared_parameters(thread.blocks)
    parameters = [*map(by_address, thread.parameters), *MAILBOX_PARAMETERS, *(f"ptr {name}" for name in shared)]
    blocks, spilled = mark_spilled(blocks, SPLIT_AT)
    allocas, parts, suspend_points = split(blocks)
    waits = bool(suspend_points)
    parts.insert(0, Block(ENTRY, [Instruction(f"  br label %{parts[0].name}")], ""))
    edges = grid_stride.back_edges(parts)
    numbers = range(len(suspend_points) + 1, len(suspend_points) + 1 + len(edges))
    whole = grid_stride.suspend_on(parts, edges, [arrival(number, f"coro.{number}") for number in numbers])
    suspend_points += [SuspendPoint(SuspendOperation.STEP)] * len(edges)
    if len(suspend_points) > MAX_SUSPEND_POINTS:
        raise Unfit("it has too many suspend points")
    # LLVM 22 made the intrinsic return nothing
    end = "call void" if clang_major >= 22 else "%coro.unused = call i1"
    name = global_name(COROUTINE_PREFIX + kernel.name)
    head = f"define hidden ptr {name}(ptr %coro.memory, ptr %coro.size.out, {', '.join(parameters)}) "
    stack = "".join(f"{item.text}\n" for item in allocas)
    code = "".join(block.text for block in whole)
    text = f"""{{
coro.entry:
{stack}  %coro.id = call token @llvm.coro.id(i32 16, ptr null, ptr null, ptr null)
  %coro.size = call i64 @llvm.coro.size.i64()
  store i64 %coro.size, ptr %coro.size.out, align 8
  %coro.align = call i64 @llvm.coro.align.i64()
  %coro.align.out = getelementptr i8, ptr %coro.size.out, i64 8
  store i64 %coro.align, ptr %coro.align.out, align 8
  %coro.is.query = icmp eq ptr %coro.memory, null
  br i1 %coro.is.query, label %coro.query, label %coro.start
coro.query:
  ret ptr null
coro.start:
  %coro.frame = call ptr @llvm.coro.begin(token %coro.id, ptr %coro.memory)
{code}coro.finished:
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
    return Function(f"{head}presplitcoroutine nounwind ", text), SplitKernel(
        kernel, tuple(suspend_points), spilled, shared, not waits
    )
