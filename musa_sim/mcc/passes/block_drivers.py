"""Write block drivers for kernels that LLVM has split: functions that run a whole block in loops over its threads.

The split (coroutines.py) makes two functions of a kernel: one starts a thread, the other resumes it at the suspension
where it waits, its state. A region is a copy of the second function with one state as a constant: the code from that
suspension to the next. The driver starts all threads, then runs one region after another for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..contract.functions import BARRIER, FRAMES, declaration
from ..contract.names import BLOCK_INDICES, CONTEXT_ADDRESS, LOOP_PREFIX, THREAD_INDICES
from ..ir.functions import Function, declare, functions, make_internal
from ..ir.parameters import Parameter, without_byval
from ..ir.split_coroutine import reads_state, replace_reloads, state
from ..kernel import Kernel
from .entry import unpack_arguments
from .indices import block_indices, index_value, short
from .thread_body import COROUTINE_PREFIX, body, loop

_REST_PREFIX = "__musa_sim_rest_"

#: a copy of the resume function per state: beyond 16, code size outweighs what is gained
_MOST_STATE_BITS = 4
#: characters of IR that all copies together may have; a larger kernel keeps its states in one function
_MOST_COPIED = 300_000


@dataclass(frozen=True)
class _Split:
    """What LLVM made of one coroutine."""

    start: Function
    resume: Function
    states: tuple[str, ...]  # the values its state can have, as IR constants
    kind: str = ""  # IR type of the state; empty when there is a single state and none is kept
    offset: int = 0  # of the state in the frame
    load: str = ""  # the line that loads it
    loaded: str = ""  # the value that this line has


def _read_split(defined: Mapping[str, Function], name: str) -> _Split | None:
    resume, start = defined.get(f"{name}.resume"), defined.get(name)
    if resume is None or start is None:
        return None
    if not reads_state(resume.text):
        return _Split(start, resume, ("",))
    kept = state(start.text, resume.text)
    if kept is None:
        return None
    states = kept.stored
    if any(value.startswith("%") for value in states):
        # LLVM merged two stores: any value that fits may come
        bits = int(kept.type[1:])
        if bits > _MOST_STATE_BITS:
            return None
        states = tuple(map(str, range(2**bits))) if bits > 1 else ("false", "true")
    if len(resume.text) * len(states) > _MOST_COPIED:
        return _Split(start, resume, ("",))  # each thread goes on from its own state
    return _Split(start, resume, states, kept.type, kept.offset, kept.load, kept.result)


def block_drivers(ir: str, kernels: Sequence[Kernel]) -> tuple[str, frozenset[str]]:
    """Give a module whose coroutines LLVM has split a function per kernel that runs a whole block.

    Returns the module and the names of the kernels that have one now.
    """
    defined = functions(ir)
    added: list[str] = []
    done: set[str] = set()
    for kernel in kernels:
        split = _read_split(defined, f"{COROUTINE_PREFIX}{kernel.name}")
        if split is None:
            continue
        function = defined[kernel.name]
        only_steps = BARRIER not in function.calls
        if only_steps:
            added += [body(function), loop(kernel, f"{_REST_PREFIX}{kernel.name}", skip_first=True)]
        added += [_regions(kernel, split), _driver(kernel, split, only_steps)]
        done.add(kernel.name)
    # they had to be visible so that the optimiser kept them before they had a caller
    ir = make_internal(ir, COROUTINE_PREFIX)
    if added:
        ir = declare(ir, declaration(FRAMES)) + "".join(added)
    return ir, frozenset(done)


def _region_name(kernel: Kernel, at: int) -> str:
    return f"__musa_sim_region_{at}_{kernel.name}"


def _regions(kernel: Kernel, split: _Split) -> str:
    """Write the resume function once per state, the state a constant: LLVM keeps only what runs from that barrier on.

    What is the same for all threads (the kernel's parameters, blockIdx and the like) comes as a parameter instead of
    from each thread's frame.
    """
    copies: list[str] = []
    uniform = _uniform_parameters(split.start)
    parameters = ", ".join([*split.resume.parameters, *(f"{kind} {name}" for name, kind in uniform.items())])
    for at, value in enumerate(split.states):
        code = split.resume.code
        for name, kind in uniform.items():
            if f"{name}.reload" in code:
                code = replace_reloads(code, name, kind)
        if split.load:
            code = code.replace(split.load, f"  {split.loaded} = or {split.kind} {value}, {_zero(split.kind)}\n", 1)
        head = f"define internal fastcc void @{_region_name(kernel, at)}({parameters})"
        copies.append(f"{head} alwaysinline nounwind {code}")
    return "".join(copies)


def _uniform_parameters(start: Function) -> dict[str, str]:
    """Return the types of the coroutine's parameters by their names, less threadIdx and what is the driver's."""
    of_the_thread = {index_value(accessor) for accessor in THREAD_INDICES}
    parameters = (Parameter(text) for text in start.parameters[2:])
    return {parameter.value: parameter.type for parameter in parameters if parameter.value not in of_the_thread}


def _zero(kind: str) -> str:
    return "false" if kind == "i1" else "0"


def _driver(kernel: Kernel, split: _Split, only_steps: bool) -> str:
    """Write the loops over threads. A thread's code is its state, or -1 once it has finished."""
    coroutine = f"@{COROUTINE_PREFIX}{kernel.name}"
    load_args, call = unpack_arguments(kernel)
    call = without_byval(call)
    comma = ", " if call else ""
    fixed = "".join(f", i32 %{short(name)}" for name in BLOCK_INDICES)
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
{load_args}  %context = {CONTEXT_ADDRESS}
{block_indices()}  %size.at = alloca i64, align 8
  %asked = call ptr {coroutine}(ptr null, ptr %size.at, {zeros})
  %size = load i64, ptr %size.at, align 8
  %padded = add i64 %size, 15
  %frame.size = and i64 %padded, -16
  %plane = mul i32 %block_dim_x, %block_dim_y
  %threads = mul i32 %plane, %block_dim_z
  %threads.wide = zext i32 %threads to i64
  %bytes = mul i64 %frame.size, %threads.wide
  %frames = call ptr @{FRAMES}(i64 %bytes)
{_first_thread(kernel, zeros) if only_steps else ""}  br label %start
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
  %started = icmp eq ptr %frame, {"%frames" if only_steps else "null"}
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
    """Write code that runs thread (0, 0, 0) to its first suspension; if it has none, the others as a plain loop."""
    return (
        f"  %probe = call ptr @{COROUTINE_PREFIX}{kernel.name}(ptr nonnull %frames, ptr %size.at, {zeros})\n"
        "  %probe.function = load ptr, ptr %frames, align 8\n"
        "  %probe.done = icmp eq ptr %probe.function, null\n"
        "  br i1 %probe.done, label %rest, label %steps\n"
        f"rest:\n  call void @{_REST_PREFIX}{kernel.name}(ptr %args)\n  ret void\nsteps:\n"
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
    """Write a loop over the frames that runs `body`, then compares each thread's code with the one before."""
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
