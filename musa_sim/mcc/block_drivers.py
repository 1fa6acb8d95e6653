"""What LLVM made of the coroutines (coroutines.py), as loops over a block's threads.

After splitting, a coroutine has a function that starts a thread and one that resumes it, with one state per suspension.
For every state a copy of the latter with that state as a constant is made, a region: the code from one suspension to
the next. The driver starts all threads, then runs region after region for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import call_graph
from .coroutines import BARRIER, BYVAL, COROUTINE_PREFIX
from .device_ir import ACCESSORS, CONTEXT, LOOP_PREFIX, Kernel, unpack_arguments
from .host_stubs import leading_type, parameter_list, split_top_level
from .thread_loop import AXES, body, loop, short

_REST_PREFIX = "__musa_sim_rest_"
_FRAMES = "__musa_sim_frames"  # runtime/device_abi.h: memory of the worker for the frames of one block

#: a copy of the resume function per state: beyond 16, code size outweighs what is gained
_MOST_STATE_BITS = 4
#: characters of IR that all copies together may have; a larger kernel keeps its states in one function
_MOST_COPIED = 300_000


@dataclass(frozen=True)
class _Split:
    """What LLVM made of one coroutine."""

    ramp: str  # definition of the function that starts a thread
    resume: str  # definition of the one that goes on with it
    states: tuple[str, ...]  # the values its state can have, as IR constants
    kind: str  # IR type of the state; empty when there is a single state and none is kept
    offset: int  # of the state in the frame
    load: str  # the line that loads it


def _read_split(functions: Mapping[str, str], name: str) -> _Split | None:
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
    if len(resume) * len(states) > _MOST_COPIED:
        return _Split(ramp, resume, ("",), "", 0, "")  # each thread goes on from its own state
    return _Split(ramp, resume, states, load.group(1), int(address.group(1)), load.group(0))


def block_drivers(ir: str, kernels: Sequence[Kernel]) -> tuple[str, frozenset[str]]:
    """(a module whose coroutines LLVM has split, with a function per kernel that runs a whole block; their kernels)."""
    functions = call_graph.functions(ir)
    added: list[str] = []
    done: set[str] = set()
    for kernel in kernels:
        split = _read_split(functions, f"{COROUTINE_PREFIX}{kernel.name}")
        if split is None:
            continue
        definition = functions[kernel.name]
        only_turns = BARRIER not in call_graph.calls(definition)
        if only_turns:
            added += [body(kernel, definition), loop(kernel, f"{_REST_PREFIX}{kernel.name}", skip_first=True)]
        added += [_regions(kernel, split), _driver(kernel, split, only_turns)]
        done.add(kernel.name)
    # they had to be visible so that the optimiser kept them before they had a caller
    ir = re.sub(rf"^define hidden ([^\n]*@{COROUTINE_PREFIX})", r"define internal \1", ir, flags=re.M)
    return ir + (f"declare ptr @{_FRAMES}(i64)\n" + "".join(added) if added else ""), frozenset(done)


def _region_name(kernel: Kernel, at: int) -> str:
    return f"__musa_sim_region_{at}_{kernel.name}"


def _regions(kernel: Kernel, split: _Split) -> str:
    """The resume function once per state, the state a constant: LLVM keeps only what runs from that barrier on.

    What is the same for all threads (the kernel's parameters, blockIdx and the like) comes as a parameter instead of
    from each thread's frame.
    """
    name = f"{COROUTINE_PREFIX}{kernel.name}.resume"
    copies: list[str] = []
    uniform = _uniform_parameters(split.ramp)
    for at, state in enumerate(split.states):
        copy = split.resume
        for value, parameter in uniform.items():
            if f"{value}.reload" in copy:
                copy = _without_reloads(copy, value, parameter[: -len(value) - 1])
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


def _without_reloads(code: str, name: str, kind: str) -> str:
    """The code with `name`, a parameter of type `kind`, in place of every load of it from the frame.

    A load of another type stays: LLVM also loads two neighbours in the frame as one vector.
    """
    address = rf"ptr {re.escape(name)}\.reload\.addr\d*"
    reload = re.compile(rf"^  (%[\w.$-]+) = load {re.escape(kind)}, {address},[^\n]*\n", re.M)
    for value in reload.findall(code):
        code = re.sub(rf"^  {re.escape(value)} = load [^\n]*\n", "", code, count=1, flags=re.M)
        code = re.sub(rf"{re.escape(value)}(?![\w.$-])", name, code)
    return code


def _zero(kind: str) -> str:
    return "false" if kind == "i1" else "0"


def _driver(kernel: Kernel, split: _Split, only_turns: bool) -> str:
    """The loops over threads. A thread's code is its state, or -1 once it has finished."""
    coroutine = f"@{COROUTINE_PREFIX}{kernel.name}"
    load_args, call = unpack_arguments(kernel)
    call = BYVAL.sub("", call)
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
        f"  %probe = call ptr @{COROUTINE_PREFIX}{kernel.name}(ptr nonnull %frames, ptr %size.at, {zeros})\n"
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
        f"  call fastcc void @{COROUTINE_PREFIX}{kernel.name}.resume(ptr %slow.frame)\n"
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
