"""Kernels with barriers, and grid-stride ones, as coroutines: half of the way to running them as loops over threads.

LLVM already knows how to cut a function at suspension points and to keep what lives across them: coroutines. A kernel
is made a coroutine that suspends at every __syncthreads here; LLVM splits it; its resume function then holds
one state per suspension. For every state a copy with that state as a constant is made, which leaves just the code from
here to the next suspension, and a driver runs it for all threads in a plain loop (block_drivers.py). Threads that are
not all in the same state (some have returned, or wait at another barrier) are resumed one by one until they are again:
as on a GPU, a barrier lets go when every thread that still runs has come to one.

A loop that advances by the size of the grid gets a suspension on its back edge, although nobody has to wait there: the
threads of a block then walk through memory side by side, as on a GPU. One after the other, each with a stride of the
whole grid, they would miss every cache. If the first thread needs no second turn, the others run as a plain loop.

benchmarks/simulator.py measures it: about 0.5 ns per thread and barrier, where switching fibers takes 7.5 ns.

Whatever does not fit (a barrier in a function that was not inlined, an alloca of variable size) keeps its fibers, and
nothing but speed is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from . import call_graph
from .device_ir import SUSPENDING_PREFIX, Kernel
from .host_stubs import split_top_level
from .thread_loop import LOCAL_AXES, with_index_parameters

BARRIER = "__musa_sim_sync_threads"
COROUTINE_PREFIX = "__musa_sim_coroutine_"

_BARRIER_CALL = re.compile(rf"^  (?:tail |notail )?call void @{BARRIER}\(\)[^\n]*$")
_LABEL = re.compile(r'^([\w.$-]+|"[^"]+"):')

BYVAL = re.compile(r" byval\([^()]*\)(?: align \d+)?")
_INCOMING = re.compile(r"\[ (%[\w.$-]+), %([\w.$-]+) \]")
#: characters of IR from which a kernel without barriers is not worth a second form of its code
_LARGE = 30_000
_ALLOCA = re.compile(r"^  %[\w.$-]+ = alloca ([^\n]*)$")

_DECLARATIONS = {
    "llvm.coro.id": "declare token @llvm.coro.id(i32, ptr readnone, ptr readonly, ptr)",
    "llvm.coro.begin": "declare ptr @llvm.coro.begin(token, ptr writeonly)",
    "llvm.coro.size.i64": "declare i64 @llvm.coro.size.i64()",
    "llvm.coro.suspend": "declare i8 @llvm.coro.suspend(token, i1)",
    "llvm.coro.free": "declare ptr @llvm.coro.free(token, ptr readonly)",
}


class _Unfit(Exception):
    """Why a kernel keeps its fibers."""


def _turn_edges(code: str) -> set[tuple[str, str]]:
    """(latch, header) of every loop that advances by something made from gridDim."""
    steps = set(re.findall(r"^  (%[\w.$-]+) = add i32 %musa\.grid_dim_[xyz], 0$", code, re.M))
    derived = re.compile(r"^  (%[\w.$-]+) = (?:mul|shl|zext|sext|trunc) ([^\n]*)$", re.M)
    while True:
        found = {name for name, operands in derived.findall(code) if steps & set(re.findall(r"%[\w.$-]+", operands))}
        if found <= steps:
            break
        steps |= found
    advance = re.compile(r"^  (%[\w.$-]+) = add ([^\n]*)$", re.M)
    advanced = {name for name, operands in advance.findall(code) if steps & set(re.findall(r"%[\w.$-]+", operands))}
    edges: set[tuple[str, str]] = set()
    block = ""
    for line in code.split("\n"):
        label = _LABEL.match(line)
        if label:
            block = label.group(1)
        elif re.match(r"^  %[\w.$-]+ = phi ", line):
            edges |= {(latch, block) for value, latch in _INCOMING.findall(line) if value in advanced}
    return edges


def _yield_on(code: str, edges: set[tuple[str, str]]) -> str:
    """Suspend on these control-flow edges."""
    lines: list[str] = []
    added: list[str] = []
    yields = {edge: f"coro.turn.{at}" for at, edge in enumerate(sorted(edges))}
    block = ""
    for line in code.split("\n"):
        label = _LABEL.match(line)
        if label:
            block = label.group(1)
        for (latch, header), name in yields.items():
            if block == latch and re.match(r"^  (?:br|switch) ", line):
                line = re.sub(rf"label %{re.escape(header)}(?![\w.$-])", f"label %{name}", line)
            elif block == header and re.match(r"^  %[\w.$-]+ = phi ", line):
                line = re.sub(rf", %{re.escape(latch)} \]", f", %{name}.after ]", line)
        lines.append(line)
    for (_, header), name in yields.items():
        added += [
            f"{name}:",
            f"  %{name}.at = call i8 @llvm.coro.suspend(token none, i1 false)",
            f"  switch i8 %{name}.at, label %coro.suspended [ i8 0, label %{name}.after i8 1, label %coro.cleanup ]",
            f"{name}.after:",
            f"  br label %{header}",
        ]
    return "\n".join([*lines, *added])


def _split_at_barriers(code: str) -> tuple[str, str]:
    """(static allocas, the rest with every barrier a suspension point) of a function body, braces left out."""
    allocas: list[str] = []
    lines: list[str] = []
    block = ""  # label of the basic block at hand, as the source has it
    tails: dict[str, str] = {}  # block -> label of its last part after splitting
    count = 0
    entry = ""
    for line in code.split("\n"):
        label = _LABEL.match(line)
        if label:
            block = label.group(1)
            entry = entry or block
        elif not block and line.strip():
            raise _Unfit("its first block has no name")
        alloca = _ALLOCA.match(line)
        if alloca:
            if block != entry or re.search(r", i\d+ %", alloca.group(1)):
                raise _Unfit("it allocates a variable amount of stack")
            allocas.append(line)
        elif _BARRIER_CALL.match(line):
            lines += [
                f"  %coro.at.{count} = call i8 @llvm.coro.suspend(token none, i1 false)",
                f"  switch i8 %coro.at.{count}, label %coro.suspended "
                f"[ i8 0, label %coro.after.{count} i8 1, label %coro.cleanup ]",
                f"coro.after.{count}:",
            ]
            tails[block] = f"coro.after.{count}"
            count += 1
        elif re.match(r"^  ret void\b", line):
            lines.append("  br label %coro.finished")
        else:
            lines.append(line)
    text = "\n".join(lines)
    for name, tail in tails.items():
        # control now leaves the block from its last part
        phi = re.compile(rf"^(  %[\w.$-]+ = phi [^\n]*)\[ ([^\]\n]*), %{re.escape(name)} \]", re.M)
        previous = ""
        while previous != text:
            previous, text = text, phi.sub(rf"\1[ \2, %{tail} ]", text)
    return "\n".join(allocas), f"  br label %{entry}\n{text}"


def _by_address(parameters: str) -> str:
    """`byval` parameters as plain pointers to the launch's arguments.

    Memory of a byval parameter ends with the call, and a coroutine outlives its first one. The argument itself lives as
    long as the launch, but all threads see it, so a kernel that writes to it does not fit.
    """
    kept: list[str] = []
    for parameter in split_top_level(parameters):
        if BYVAL.search(parameter):
            if not re.search(r"\breadonly\b|\breadnone\b", parameter):
                raise _Unfit("it changes a parameter that was passed by value")
            parameter = BYVAL.sub("", parameter)
        kept.append(parameter)
    return ", ".join(kept)


def _coroutine(kernel: Kernel, definition: str, clang_major: int) -> str:
    """The kernel as a coroutine: (frame memory or null to be told its size, where to put the size, values, indices)."""
    parameters, code = with_index_parameters(kernel, definition)
    parameters = _by_address(parameters)
    text = code[code.index("{\n") + 2 : code.rindex("}")]
    allocas, split = _split_at_barriers(text)
    split = _yield_on(split, _turn_edges(split))
    # LLVM 22 made the intrinsic return nothing
    end = "call void" if clang_major >= 22 else "%coro.unused = call i1"
    return f"""define hidden ptr @{COROUTINE_PREFIX}{kernel.name}(ptr %coro.memory, ptr %coro.size.out, {parameters}) \
presplitcoroutine nounwind {{
coro.entry:
{allocas}
  %coro.id = call token @llvm.coro.id(i32 16, ptr null, ptr null, ptr null)
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
  %coro.final = call i8 @llvm.coro.suspend(token none, i1 true)
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


def coroutines(ir: str, kernels: Sequence[Kernel], clang_major: int) -> tuple[str, tuple[Kernel, ...]]:
    """(IR to append to an optimised module, the kernels it makes coroutines of)."""
    functions = call_graph.functions(ir)
    calls = {name: call_graph.calls(text) for name, text in functions.items()}
    added: list[str] = []
    taken: list[Kernel] = []
    for kernel in kernels:
        definition = functions.get(kernel.name)
        if definition is None or not _can_be_cut(kernel.name, calls):
            continue
        if BARRIER not in calls[kernel.name] and not _gains_from_turns(kernel, definition):
            continue
        try:
            added.append(_coroutine(kernel, definition, clang_major))
        except _Unfit:
            continue
        taken.append(kernel)
    if not taken:
        return "", ()
    end = "void" if clang_major >= 22 else "i1"
    declarations = [*_DECLARATIONS.values(), f"declare {end} @llvm.coro.end(ptr, i1, token)"]
    return "".join(f"{line}\n" for line in declarations) + "".join(added), tuple(taken)


def _gains_from_turns(kernel: Kernel, definition: str) -> bool:
    """Whether it has a grid-stride loop, and does so little in it that the order of memory accesses matters."""
    return len(definition) < _LARGE and bool(_turn_edges(with_index_parameters(kernel, definition)[1]))


def _can_be_cut(kernel: str, calls: Mapping[str, frozenset[str]]) -> bool:
    """Whether everything that may suspend a thread stands in the kernel itself, and is a barrier of the block."""
    own = calls[kernel]
    if call_graph.INDIRECT in own:
        return False
    if any(name.startswith(SUSPENDING_PREFIX) and name != BARRIER for name in own):
        return False
    for callee in own - {BARRIER}:
        reached = {callee, *call_graph.reachable(callee, calls)}
        if call_graph.INDIRECT in reached or any(name.startswith(SUSPENDING_PREFIX) for name in reached):
            return False
        # it would read threadIdx from the context, which the driver does not keep up to date
        if any(calls.get(name, frozenset()) & set(LOCAL_AXES) for name in reached):
            return False
    return True
