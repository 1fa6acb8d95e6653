"""Write what runs a whole block of a kernel that LLVM has split: functions that run rows of its threads, and a table.

The split (coroutines.py) makes two functions of a kernel: one starts a thread, the other resumes it at the suspension
where it waits, its state. A region is a copy of the second function with one state as a constant: the code from that
suspension to the next. libmusart (runtime/cut_blocks.cpp) starts all threads, then calls one region after another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..contract.cuts import KERNEL_TYPE, PLACE_TYPE
from ..contract.functions import RUN_BLOCK, declaration
from ..contract.names import BLOCK_INDICES, CONTEXT_ADDRESS, LOOP_PREFIX, THREAD_INDICES
from ..ir.functions import Function, declare, functions, make_internal
from ..ir.parameters import Parameter, without_byval
from ..ir.split_coroutine import State, frame_size, reads_state, replace_reloads, state
from ..kernel import Kernel
from .coroutines import Cut
from .entry import unpack_arguments
from .indices import block_indices, index_value, short
from .thread_body import COROUTINE_PREFIX, body, loop

_REST_PREFIX = "__musa_sim_rest_"

#: a copy of the resume function per state: beyond that, code size outweighs what is gained
_MOST_STATES = 64
#: states from which on it is not worth guessing which of them occur
_MOST_STATE_BITS = 4
#: characters of IR that all copies together may have; a larger kernel keeps its states in one function
_MOST_COPIED = 300_000
_FRAME_ALIGNMENT = 16


@dataclass(frozen=True)
class _Split:
    """What LLVM made of one coroutine."""

    start: Function
    resume: Function
    frame_size: int
    state: State | None  # None: there is a single one, or each thread goes on from its own
    states: tuple[str, ...] = ("",)  # the values it can have, as IR constants


def _read_split(defined: Mapping[str, Function], name: str) -> _Split | None:
    resume, start = defined.get(f"{name}.resume"), defined.get(name)
    if resume is None or start is None:
        return None
    size = frame_size(start.text, Parameter(start.parameters[1]).value)
    if size is None:
        return None
    padded = -(-size // _FRAME_ALIGNMENT) * _FRAME_ALIGNMENT
    together = _Split(start, resume, padded, None)
    if not reads_state(resume.text):
        return together
    kept = state(start.text, resume.text)
    if kept is None or kept.bits > 8:
        return together
    states = kept.stored
    if any(value.startswith("%") for value in states):
        # LLVM merged two stores: any value that fits may come
        if kept.distinguished:
            states = kept.distinguished
        elif kept.bits > _MOST_STATE_BITS:
            return together
        else:
            states = tuple(map(str, range(2**kept.bits))) if kept.bits > 1 else ("false", "true")
    if len(states) > _MOST_STATES or len(resume.text) * len(states) > _MOST_COPIED:
        return together
    return _Split(start, resume, padded, kept, states)


def block_drivers(ir: str, cuts: Sequence[Cut]) -> tuple[str, frozenset[str]]:
    """Give a module whose coroutines LLVM has split a function per kernel that runs a whole block.

    Returns the module and the names of the kernels that have one now.
    """
    defined = functions(ir)
    added: list[str] = []
    done: set[str] = set()
    for cut in cuts:
        kernel = cut.kernel
        split = _read_split(defined, f"{COROUTINE_PREFIX}{kernel.name}")
        if split is None:
            continue
        if cut.has_rest:
            added += [body(defined[kernel.name]), loop(kernel, f"{_REST_PREFIX}{kernel.name}", skip_first=True)]
        added += [_start(kernel, split), _regions(kernel, split), _resume(kernel), _driver(cut, split)]
        done.add(kernel.name)
    # they had to be visible so that the optimiser kept them before they had a caller
    ir = make_internal(ir, COROUTINE_PREFIX)
    if added:
        ir = declare(ir, declaration(RUN_BLOCK)) + "".join(added)
    return ir, frozenset(done)


def _name(what: str, kernel: Kernel) -> str:
    return f"@__musa_sim_{what}_{kernel.name}"


def _uniform_parameters(start: Function) -> dict[str, str]:
    """Return the types of the coroutine's parameters by their names, less threadIdx and the first two."""
    of_the_thread = {index_value(accessor) for accessor in THREAD_INDICES}
    parameters = (Parameter(text) for text in start.parameters[2:])
    return {parameter.value: parameter.type for parameter in parameters if parameter.value not in of_the_thread}


def _regions(kernel: Kernel, split: _Split) -> str:
    """Write the resume function once per state, the state a constant: LLVM keeps only what runs from there on.

    What is the same for all threads (the kernel's parameters, blockIdx and the like), and the thread's rank, come as
    parameters instead of from each thread's frame.
    """
    copies: list[str] = []
    passed = _uniform_parameters(split.start)
    parameters = ", ".join([*split.resume.parameters, *(f"{kind} {name}" for name, kind in passed.items())])
    fixed = "".join(f", i32 %{short(name)}" for name in BLOCK_INDICES)
    for at, value in enumerate(split.states):
        code = split.resume.code
        for name, kind in passed.items():
            if f"{name}.reload" in code:
                code = replace_reloads(code, name, kind)
        kept = split.state
        if kept:
            zero = "false" if kept.type == "i1" else "0"
            code = code.replace(kept.load, f"  {kept.result} = or {kept.type} {value}, {zero}\n", 1)
        one = _name(f"thread_{at}", kernel)
        copies.append(f"define internal fastcc void {one}({parameters}) alwaysinline nounwind {code}")
        _, call = unpack_arguments(kernel)
        call = without_byval(call)
        comma = ", " if call else ""
        copies.append(
            _row(
                kernel,
                f"region_{at}",
                "",
                f"  call fastcc void {one}(ptr %frame{comma}{call}{fixed}, i32 %rank, ptr %exchange)\n",
                split,
            )
        )
    return "".join(copies)


def _start(kernel: Kernel, split: _Split) -> str:
    """Write the function that starts the threads of a row, or of a part of it."""
    _, call = unpack_arguments(kernel)
    call = without_byval(call)
    comma = ", " if call else ""
    fixed = "".join(f", i32 %{short(name)}" for name in BLOCK_INDICES)
    body = (
        "  %x = add nuw nsw i32 %x.first, %at\n"
        f"  %made = call ptr @{COROUTINE_PREFIX}{kernel.name}(ptr nonnull %frame, ptr %size.at{comma}{call}, "
        f"i32 %x, i32 %y, i32 %z{fixed}, i32 %rank, ptr %exchange)\n"
    )
    return _row(kernel, "start", ", i32 %x.first, i32 %y, i32 %z", body, split)


def _row(kernel: Kernel, what: str, parameters: str, body: str, split: _Split) -> str:
    """Write a function that runs `body` for `%count` threads from the one of rank `%first` on."""
    load_args, _ = unpack_arguments(kernel)
    return f"""define internal void {_name(what, kernel)}(ptr %args, ptr %frames, ptr %exchange, i32 %first, \
i32 %count{parameters}) nounwind {{
entry:
{load_args}  %context = {CONTEXT_ADDRESS}
{block_indices()}  %size.at = alloca i64, align 8
  br label %loop
loop:
  %at = phi i32 [ 0, %entry ], [ %next, %loop ]
  %rank = add nuw nsw i32 %first, %at
{_frame_address(split)}{body}  %next = add nuw nsw i32 %at, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def _frame_address(split: _Split) -> str:
    """Write the address of the frame of the thread of rank `%rank`."""
    return (
        "  %rank.wide = zext nneg i32 %rank to i64\n"
        f"  %offset = mul nuw nsw i64 %rank.wide, {split.frame_size}\n"
        "  %frame = getelementptr i8, ptr %frames, i64 %offset\n"
    )


def _resume(kernel: Kernel) -> str:
    """Write the function that lets one thread go on from its state."""
    return (
        f"define internal void {_name('resume', kernel)}(ptr %frame) nounwind {{\n"
        f"  call fastcc void @{COROUTINE_PREFIX}{kernel.name}.resume(ptr %frame)\n  ret void\n}}\n"
    )


def _driver(cut: Cut, split: _Split) -> str:
    """Write the tables of the kernel, and the function that runs a block by them."""
    kernel = cut.kernel
    places = ", ".join(place.constant for place in cut.places)
    by_state = {split.state.number(value) if split.state else 0: at for at, value in enumerate(split.states)}
    regions = ", ".join(
        f"ptr {_name(f'region_{by_state[number]}', kernel)}" if number in by_state else "ptr null"
        for number in range(max(by_state) + 1)
    )
    operations = {place.operation for place in cut.places}
    fields = ", ".join(
        (
            f"i64 {split.frame_size}",
            f"i32 {split.state.offset if split.state else 0}",
            f"i32 {max(by_state) + 1}",
            f"i8 {int(any(operation.is_of_warp for operation in operations))}",
            f"i8 {int(any(operation.reduces for operation in operations))}",
            "[6 x i8] zeroinitializer",
            f"ptr {_name('places', kernel)}",
            f"ptr {_name('start', kernel)}",
            f"ptr {_name('resume', kernel)}",
            f"ptr {_name('regions', kernel)}",
            f"ptr @{_REST_PREFIX}{kernel.name}" if cut.has_rest else "ptr null",
        )
    )
    return f"""{_name("places", kernel)} = internal constant [{len(cut.places)} x {PLACE_TYPE}] [{places}]
{_name("regions", kernel)} = internal constant [{max(by_state) + 1} x ptr] [{regions}]
{_name("cut", kernel)} = internal constant {KERNEL_TYPE} {{ {fields} }}
define void @{LOOP_PREFIX}{kernel.name}(ptr %args) nounwind {{
  call void @{RUN_BLOCK}(ptr {_name("cut", kernel)}, ptr %args)
  ret void
}}
"""
