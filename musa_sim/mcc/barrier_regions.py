"""Loops over a block's threads for kernels with barriers, and for grid-stride ones.

LLVM already knows how to cut a function at suspension points and to keep what lives across them: coroutines. A kernel
is made a coroutine that suspends at every __syncthreads (`coroutines`); LLVM splits it; its resume function then holds
one state per suspension. For every state a copy with that state as a constant is made, which leaves just the code from
here to the next suspension, and a driver runs it for all threads in a plain loop (`block_drivers`). Threads that are
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
from dataclasses import dataclass

from . import call_graph
from .device_ir import ACCESSORS, CONTEXT, LOOP_PREFIX, SUSPENDING_PREFIX, Kernel, unpack_arguments
from .host_stubs import leading_type, parameter_list, split_top_level
from .thread_loop import AXES, LOCAL_AXES, body, loop, short, with_index_parameters

_BARRIER = "__musa_sim_sync_threads"
_COROUTINE_PREFIX = "__musa_sim_coroutine_"
_REST_PREFIX = "__musa_sim_rest_"
_FRAMES = "__musa_sim_frames"  # runtime/device_abi.h: memory of the worker for the frames of one block

_BARRIER_CALL = re.compile(rf"^  (?:tail |notail )?call void @{_BARRIER}\(\)[^\n]*$")
_LABEL = re.compile(r'^([\w.$-]+|"[^"]+"):')
#: a copy of the resume function per state: beyond 16, code size outweighs what is gained
_MOST_STATE_BITS = 4

_BYVAL = re.compile(r" byval\([^()]*\)(?: align \d+)?")
_INCOMING = re.compile(r"\[ (%[\w.$-]+), %([\w.$-]+) \]")
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
        if _BYVAL.search(parameter):
            if not re.search(r"\breadonly\b|\breadnone\b", parameter):
                raise _Unfit("it changes a parameter that was passed by value")
            parameter = _BYVAL.sub("", parameter)
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
    return f"""define hidden ptr @{_COROUTINE_PREFIX}{kernel.name}(ptr %coro.memory, ptr %coro.size.out, {parameters}) \
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
        if _BARRIER not in calls[kernel.name] and not _turn_edges(with_index_parameters(kernel, definition)[1]):
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


def _can_be_cut(kernel: str, calls: Mapping[str, frozenset[str]]) -> bool:
    """Whether everything that may suspend a thread stands in the kernel itself, and is a barrier of the block."""
    own = calls[kernel]
    if call_graph.INDIRECT in own:
        return False
    if any(name.startswith(SUSPENDING_PREFIX) and name != _BARRIER for name in own):
        return False
    for callee in own - {_BARRIER}:
        reached = {callee, *call_graph.reachable(callee, calls)}
        if call_graph.INDIRECT in reached or any(name.startswith(SUSPENDING_PREFIX) for name in reached):
            return False
        # it would read threadIdx from the context, which the driver does not keep up to date
        if any(calls.get(name, frozenset()) & set(LOCAL_AXES) for name in reached):
            return False
    return True


# --- after LLVM has split the coroutines


@dataclass(frozen=True)
class _Split:
    """What LLVM made of one coroutine."""

    ramp: str  # definition of the function that starts a thread
    resume: str  # definition of the one that goes on with it
    states: tuple[str, ...]  # the values its state can have, as IR constants
    kind: str  # IR type of the state; empty when there is a single state and none is kept
    offset: int  # of the state in the frame
    load: str  # the line that loads it


def _read_split(ir: str, name: str) -> _Split | None:
    functions = call_graph.functions(ir)
    resume, ramp = functions.get(f"{name}.resume"), functions.get(name)
    if resume is None or ramp is None:
        return None
    if not re.search(r" = load [^\n]*%index\.addr", resume):
        return _Split(ramp, resume, ("",), "", 0, "")  # the state is never asked: there is but one
    load = re.search(r"^  %index\d* = load (i\d+), ptr %index\.addr\d*[^\n]*\n", resume, re.M)
    if load is None:
        return None
    address = re.search(r"^  %index\.addr\d* = getelementptr inbounds [^\n]*, i64 (\d+)$", resume, re.M)
    if address is None:
        return None
    stored = re.compile(rf"^  store {load.group(1)} ([^,\n]+), ptr %index\.addr", re.M)
    states = tuple(dict.fromkeys(stored.findall(ramp) + stored.findall(resume)))
    if any(state.startswith("%") for state in states):
        # LLVM merged two stores: any value that fits may come
        bits = int(load.group(1)[1:])
        if bits > _MOST_STATE_BITS:
            return None
        states = tuple(map(str, range(2**bits))) if bits > 1 else ("false", "true")
    return _Split(ramp, resume, states, load.group(1), int(address.group(1)), load.group(0))


def block_drivers(ir: str, kernels: Sequence[Kernel]) -> tuple[str, frozenset[str]]:
    """(a module whose coroutines LLVM has split, with a function per kernel that runs a whole block; their kernels)."""
    functions = call_graph.functions(ir)
    added: list[str] = []
    done: set[str] = set()
    for kernel in kernels:
        split = _read_split(ir, f"{_COROUTINE_PREFIX}{kernel.name}")
        if split is None:
            continue
        definition = functions[kernel.name]
        only_turns = _BARRIER not in call_graph.calls(definition)
        if only_turns:
            added += [body(kernel, definition), loop(kernel, f"{_REST_PREFIX}{kernel.name}", skip_first=True)]
        added += [_regions(kernel, split), _driver(kernel, split, only_turns)]
        done.add(kernel.name)
    # they had to be visible so that the optimiser kept them before they had a caller
    ir = re.sub(rf"^define hidden ([^\n]*@{_COROUTINE_PREFIX})", r"define internal \1", ir, flags=re.M)
    return ir + (f"declare ptr @{_FRAMES}(i64)\n" + "".join(added) if added else ""), frozenset(done)


def _region_name(kernel: Kernel, at: int) -> str:
    return f"__musa_sim_region_{at}_{kernel.name}"


def _regions(kernel: Kernel, split: _Split) -> str:
    """The resume function once per state, the state a constant: LLVM keeps only what runs from that barrier on.

    What is the same for all threads (the kernel's parameters, blockIdx and the like) comes as a parameter instead of
    from each thread's frame.
    """
    name = f"{_COROUTINE_PREFIX}{kernel.name}.resume"
    copies: list[str] = []
    uniform = _uniform_parameters(split.ramp)
    for at, state in enumerate(split.states):
        copy = split.resume
        for value in uniform:
            copy = _without_reloads(copy, value)
        opening = copy.index(f"@{name}(") + len(name) + 1
        frame, closing = parameter_list(copy, opening)
        head = f"define internal fastcc void @{_region_name(kernel, at)}"
        copy = f"{head}({', '.join([frame, *uniform.values()])}){copy[closing + 1 :]}"
        if split.load:
            value = split.load.split("=")[0].strip()
            copy = copy.replace(split.load, f"  {value} = or {split.kind} {state}, {_zero(split.kind)}\n", 1)
        copy = re.sub(r"\)[^\n){]*\{\n", ") alwaysinline nounwind {\n", copy, count=1)
        copies.append(copy)
    return "".join(copies)


def _uniform_parameters(ramp: str) -> dict[str, str]:
    """{name: `type %name`} of the coroutine's parameters, threadIdx and what belongs to the driver left out."""
    parameters, _ = parameter_list(ramp, ramp.index("("))
    named: dict[str, str] = {}
    for parameter in split_top_level(parameters)[2:]:
        name = parameter.split()[-1]
        if not name.startswith("%musa.thread_idx_"):
            named[name] = f"{leading_type(parameter)} {name}"
    return named


def _without_reloads(code: str, name: str) -> str:
    """The code with `name`, a parameter, in place of every load of it from the frame."""
    reload = re.compile(rf"^  (%[\w.$-]+) = load [^,\n]*, ptr {re.escape(name)}\.reload\.addr\d*,[^\n]*\n", re.M)
    for value in reload.findall(code):
        code = re.sub(rf"^  {re.escape(value)} = load [^\n]*\n", "", code, count=1, flags=re.M)
        code = re.sub(rf"{re.escape(value)}(?![\w.$-])", name, code)
    return code


def _zero(kind: str) -> str:
    return "false" if kind == "i1" else "0"


def _driver(kernel: Kernel, split: _Split, only_turns: bool) -> str:
    """The loops over threads. A thread's code is its state, or -1 once it has finished."""
    coroutine = f"@{_COROUTINE_PREFIX}{kernel.name}"
    load_args, call = unpack_arguments(kernel)
    call = _BYVAL.sub("", call)
    comma = ", " if call else ""
    loads = "".join(
        f"  %at.{short(name)} = getelementptr i8, ptr %context, i64 {ACCESSORS[name]}\n"
        f"  %{short(name)} = load i32, ptr %at.{short(name)}, align 4\n"
        for name in AXES[3:]
    )
    fixed = "".join(f", i32 %{short(name)}" for name in AXES[3:])
    zeros = f"{call}{comma}i32 0, i32 0, i32 0{fixed}"
    cases = " ".join(f"i32 {at}, label %region.{at}" for at in range(len(split.states)))
    regions = "".join(
        _thread_loop(
            f"region.{at}",
            f"  call fastcc void @{_region_name(kernel, at)}(ptr %region.{at}.frame{comma}{call}{fixed})\n",
            split,
        )
        for at in range(len(split.states))
    )
    return f"""define void @{LOOP_PREFIX}{kernel.name}(ptr %args) nounwind {{
entry:
{load_args}  %context = call ptr @llvm.threadlocal.address.p0(ptr @{CONTEXT})
{loads}  %size.at = alloca i64, align 8
  %asked = call ptr {coroutine}(ptr null, ptr %size.at, {zeros})
  %size = load i64, ptr %size.at, align 8
  %padded = add i64 %size, 15
  %frame.size = and i64 %padded, -16
  %plane = mul i32 %block_dim_x, %block_dim_y
  %threads = mul i32 %plane, %block_dim_z
  %threads.wide = zext i32 %threads to i64
  %bytes = mul i64 %frame.size, %threads.wide
  %frames = call ptr @{_FRAMES}(i64 %bytes)
{_first_thread(kernel, zeros) if only_turns else ""}  br label %start
start:
  br label %start.z
start.z:
  %z = phi i32 [ 0, %start ], [ %z.next, %start.z.end ]
  %z.frame = phi ptr [ %frames, %start ], [ %frame.next, %start.z.end ]
  br label %start.y
start.y:
  %y = phi i32 [ 0, %start.z ], [ %y.next, %start.y.end ]
  %y.frame = phi ptr [ %z.frame, %start.z ], [ %frame.next, %start.y.end ]
  br label %start.x
start.x:
  %x = phi i32 [ 0, %start.y ], [ %x.next, %start.next ]
  %frame = phi ptr [ %y.frame, %start.y ], [ %frame.next, %start.next ]
  %started = icmp eq ptr %frame, {"%frames" if only_turns else "null"}
  br i1 %started, label %start.next, label %start.one
start.one:
  %made = call ptr {coroutine}(ptr nonnull %frame, ptr %size.at, {call}{comma}i32 %x, i32 %y, i32 %z{fixed})
  br label %start.next
start.next:
  %frame.next = getelementptr i8, ptr %frame, i64 %frame.size
  %x.next = add nuw nsw i32 %x, 1
  %x.more = icmp ult i32 %x.next, %block_dim_x
  br i1 %x.more, label %start.x, label %start.y.end
start.y.end:
  %y.next = add nuw nsw i32 %y, 1
  %y.more = icmp ult i32 %y.next, %block_dim_y
  br i1 %y.more, label %start.y, label %start.z.end
start.z.end:
  %z.next = add nuw nsw i32 %z, 1
  %z.more = icmp ult i32 %z.next, %block_dim_z
  br i1 %z.more, label %start.z, label %compare
{_thread_loop("compare", "", split)}decide:
  %code = phi i32 [ %compare.code, %compare.next ]{_incoming("code", split)}
  %differ = phi i32 [ %compare.differ.next, %compare.next ]{_incoming("differ.next", split)}
  %same = icmp eq i32 %differ, 0
  br i1 %same, label %together, label %slow
together:
  switch i32 %code, label %done [ {cases} ]
{regions}{_thread_loop("slow", _resume_one(kernel), split)}done:
  ret void
}}
"""


def _first_thread(kernel: Kernel, zeros: str) -> str:
    """Run thread (0, 0, 0) to its first suspension; if it has none, run the others as a plain loop."""
    return (
        f"  %probe = call ptr @{_COROUTINE_PREFIX}{kernel.name}(ptr nonnull %frames, ptr %size.at, {zeros})\n"
        "  %probe.function = load ptr, ptr %frames, align 8\n"
        "  %probe.done = icmp eq ptr %probe.function, null\n"
        "  br i1 %probe.done, label %rest, label %turns\n"
        f"rest:\n  call void @{_REST_PREFIX}{kernel.name}(ptr %args)\n  ret void\nturns:\n"
    )


def _loop_names(split: _Split) -> list[str]:
    return [*(f"region.{at}" for at in range(len(split.states))), "slow"]


def _incoming(what: str, split: _Split) -> str:
    return "".join(f", [ %{name}.{what}, %{name}.next ]" for name in _loop_names(split))


def _resume_one(kernel: Kernel) -> str:
    return (
        "  %slow.function = load ptr, ptr %slow.frame, align 8\n"
        "  %slow.finished = icmp eq ptr %slow.function, null\n"
        "  br i1 %slow.finished, label %slow.after, label %slow.resume\n"
        "slow.resume:\n"
        f"  call fastcc void @{_COROUTINE_PREFIX}{kernel.name}.resume(ptr %slow.frame)\n"
        "  br label %slow.after\n"
        "slow.after:\n"
    )


def _thread_loop(name: str, body: str, split: _Split) -> str:
    """A loop over the frames that runs `body`, then compares each thread's code with the one before."""
    if split.kind:
        order = "".join(
            f"  %{name}.is.{at} = icmp eq {split.kind} %{name}.state, {state}\n"
            f"  %{name}.code.{at} = select i1 %{name}.is.{at}, i32 {at}, i32 %{name}.code.{at - 1}\n"
            for at, state in list(enumerate(split.states))[1:]
        )
        state = (
            f"  %{name}.state.at = getelementptr i8, ptr %{name}.frame, i64 {split.offset}\n"
            f"  %{name}.state = load {split.kind}, ptr %{name}.state.at, align 1\n"
            f"  %{name}.code.0 = add i32 0, 0\n{order}"
        )
    else:
        state = f"  %{name}.code.0 = add i32 0, 0\n"
    last = len(split.states) - 1
    return f"""{name}:
  br label %{name}.loop
{name}.loop:
  %{name}.thread = phi i32 [ 0, %{name} ], [ %{name}.thread.next, %{name}.next ]
  %{name}.frame = phi ptr [ %frames, %{name} ], [ %{name}.frame.next, %{name}.next ]
  %{name}.before = phi i32 [ 0, %{name} ], [ %{name}.code, %{name}.next ]
  %{name}.differ = phi i32 [ 0, %{name} ], [ %{name}.differ.next, %{name}.next ]
{body}  br label %{name}.next
{name}.next:
  %{name}.resume.function = load ptr, ptr %{name}.frame, align 8
  %{name}.is.done = icmp eq ptr %{name}.resume.function, null
{state}  %{name}.code = select i1 %{name}.is.done, i32 -1, i32 %{name}.code.{last}
  %{name}.first = icmp eq i32 %{name}.thread, 0
  %{name}.change = xor i32 %{name}.code, %{name}.before
  %{name}.counted = select i1 %{name}.first, i32 0, i32 %{name}.change
  %{name}.differ.next = or i32 %{name}.differ, %{name}.counted
  %{name}.frame.next = getelementptr i8, ptr %{name}.frame, i64 %frame.size
  %{name}.thread.next = add nuw nsw i32 %{name}.thread, 1
  %{name}.more = icmp ult i32 %{name}.thread.next, %threads
  br i1 %{name}.more, label %{name}.loop, label %decide
"""
