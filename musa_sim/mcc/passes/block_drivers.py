"""Write what runs a whole block of a kernel that LLVM has split: functions that run rows of its threads, and a table.

The split (coroutines.py) makes two functions of a kernel: one starts a thread, the other resumes it at the suspension
where it waits, its state. A region is a copy of the second function with one state as a constant: the code from that
suspension to the next. libmusart (runtime/cut_blocks.cpp) starts all threads, then calls one region after another, for
all threads or for a single one. Nobody needs the second function itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..contract.cuts import ENDED, KERNEL_TYPE, PLACE_TYPE, Operation, Varies
from ..contract.functions import RUN_BLOCK, declaration
from ..contract.names import BLOCK_INDICES, CONTEXT_ADDRESS, LOOP_PREFIX
from ..ir.functions import Function, declare, functions, make_internal, replace_functions
from ..ir.parameters import Parameter, without_byval
from ..ir.split_coroutine import (
    at_state,
    frame_layout,
    reads_state,
    replace_reloads,
    state,
    states_by_place,
    without_own_functions,
    without_own_state,
    without_spills,
)
from .cut import Cut
from .entry import unpack_arguments
from .indices import THREAD_INDEX_PARAMETERS, block_indices, short
from .thread_body import COROUTINE_PREFIX, body, loop

if TYPE_CHECKING:
    from ..kernel import Kernel

_REST_PREFIX = "__musa_sim_rest_"

#: states from which on it is not worth guessing which of them occur
_MOST_STATE_BITS = 4
#: characters of IR that all copies together may have; a larger kernel keeps its states in one function
_MOST_COPIED = 120_000
#: the same, for another set of copies
_MOST_LISTED = 40_000
#: what frames are aligned to at least, and what libmusart's memory for them is: a cache line, and the widest vector
_LEAST_ALIGNMENT, _MOST_ALIGNMENT = 16, 64


class _Split(NamedTuple):
    """What LLVM made of one coroutine: the function that starts a thread, and the threads' code by their states.

    A thread's state is its place, or a byte in its frame, or there is one code for all.
    """

    start: Function
    frame_size: int
    codes: Mapping[int, str]  # by place, state or 0
    by_place: bool = False
    state_offset: int = 0


def _read_split(defined: Mapping[str, Function], name: str) -> _Split | None:
    resume, start = defined.get(f"{name}.resume"), defined.get(name)
    if resume is None or start is None:
        return None
    layout = frame_layout(start.text, Parameter(start.parameters[1]).value)
    if layout is None or layout[1] > _MOST_ALIGNMENT:
        return None
    size, alignment = layout
    unit = max(alignment, _LEAST_ALIGNMENT)
    padded = -(-size // unit) * unit
    passed = _passed_parameters(start)
    started = Function(start.name, without_own_functions(start.text))

    def together() -> _Split:
        return _Split(started, padded, {0: _with_passed(resume.code, passed)})

    kept = state(start.text, resume.text)
    if reads_state(resume.text) and (kept is None or kept.bits > 8):
        return together()
    by_place = states_by_place(start.code, resume.code, kept, ENDED)
    if by_place:

        def from_place(value: str) -> str:
            return without_own_state(_with_passed(at_state(resume.code, kept, value) if kept else resume.code, passed))

        codes = _unless_large(by_place, from_place)
        if codes is None:
            return together()
        text = without_spills(without_own_state(_with_passed(start.text, passed)), list(codes.values()), list(passed))
        return _Split(Function(start.name, text), padded, codes, by_place=True)
    if kept is None:
        return together()
    states = kept.stored
    if any(value.startswith("%") for value in states):
        # LLVM merged two stores: any value that fits may come
        if kept.distinguished:
            states = kept.distinguished
        elif kept.bits > _MOST_STATE_BITS:
            return together()
        else:
            states = tuple(map(str, range(2**kept.bits))) if kept.bits > 1 else ("false", "true")
    found = kept
    by_state = {found.number(value): value for value in states}
    codes = _unless_large(by_state, lambda value: _with_passed(at_state(resume.code, found, value), passed))
    return _Split(started, padded, codes, state_offset=kept.offset) if codes else together()


def _unless_large(states: Mapping[int, str], code: Callable[[str], str]) -> dict[int, str] | None:
    """Return the code for each state; None, early, if there would be too much of it."""
    codes: dict[int, str] = {}
    left = _MOST_COPIED
    for number, value in states.items():
        codes[number] = code(value)
        left -= len(codes[number])
        if left < 0:
            return None
    return codes


def block_drivers(ir: str, cuts: Sequence[Cut]) -> tuple[str, frozenset[str]]:
    """Give a module whose coroutines LLVM has split a function per kernel that runs a whole block.

    Returns the module and the names of the kernels that have one now.
    """
    defined = functions(ir)
    added: list[str] = []
    done: set[str] = set()
    changed: dict[str, str] = {}
    for cut in cuts:
        kernel = cut.kernel
        split = _read_split(defined, f"{COROUTINE_PREFIX}{kernel.name}")
        if split is None:
            continue
        if cut.has_rest:
            added += [body(defined[kernel.name]), loop(kernel, f"{_REST_PREFIX}{kernel.name}", skip_first=True)]
        changed |= {
            split.start.name: split.start.text,
            f"{split.start.name}.resume": "",
            f"{split.start.name}.destroy": "",
        }
        added += [_start(cut, split), _regions(cut, split), _driver(cut, split)]
        done.add(kernel.name)
    # they had to be visible so that the optimiser kept them before they had a caller
    ir = make_internal(replace_functions(ir, changed), COROUTINE_PREFIX)
    if added:
        ir = declare(ir, declaration(RUN_BLOCK)) + "".join(added)
    return ir, frozenset(done)


def _name(what: str, kernel: Kernel) -> str:
    return f"@__musa_sim_{what}_{kernel.name}"


def _passed_parameters(start: Function) -> dict[str, str]:
    """Return the types of the coroutine's parameters by their names, less the first two."""
    parameters = (Parameter(text) for text in start.parameters[2:])
    return {parameter.value: parameter.type for parameter in parameters}


def _with_passed(code: str, passed: Mapping[str, str]) -> str:
    """Return a thread's code with what its driver knows in place of what it has in its frame.

    That is what is the same for all threads (the kernel's parameters, blockIdx and the like), and the thread's indices.
    """
    return replace_reloads(code, passed)


def _regions(cut: Cut, split: _Split) -> str:
    """Write the resume function once per state, the state a constant: LLVM keeps only what runs from there on."""
    kernel = cut.kernel
    copies: list[str] = []
    parameters = ", ".join(
        ["ptr %coro.frame", *(f"{kind} {name}" for name, kind in _passed_parameters(split.start).items())]
    )
    for at, code in split.codes.items():
        one = _name(f"thread_{at}", kernel)
        copies.append(f"define internal fastcc void {one}({parameters}) alwaysinline nounwind {code}")
        has_indices = any(index in code for index in THREAD_INDEX_PARAMETERS)
        call = f"  call fastcc void {one}(ptr %frame{_arguments(cut, has_indices=has_indices)})\n"
        copies.append((_row if has_indices else _line)(cut, f"region_{at}", call, split))
        if _has_listed(cut, split):
            copies.append(_listed(cut, f"listed_{at}", call, split, has_indices=has_indices))
    return "".join(copies)


def _start(cut: Cut, split: _Split) -> str:
    """Write the function that starts the threads of a row, or of a part of it."""
    coroutine = f"@{COROUTINE_PREFIX}{cut.kernel.name}"
    call = f"  %made = call ptr {coroutine}(ptr nonnull %frame, ptr %size.at{_arguments(cut, has_indices=True)})\n"
    return _row(cut, "start", call, split)


def _arguments(cut: Cut, *, has_indices: bool) -> str:
    """Return what follows the frame, or the frame and the address of its size, in a call.

    Without indices, those of the thread are not known, nor asked for.
    """
    _, call = unpack_arguments(cut.kernel)
    call = without_byval(call)
    own = [f"i32 %{axis}" if has_indices else "i32 poison" for axis in "xyz"]
    indices = own + [f"i32 %{short(name)}" for name in BLOCK_INDICES]
    shared = [f"ptr {name}" for name in cut.shared]
    return "".join(f", {text}" for text in [*([call] if call else []), *indices, "i32 %rank", "ptr %exchange", *shared])


def _row(cut: Cut, what: str, body: str, split: _Split) -> str:
    """Write a function that runs `body` for `%count` threads from the one of rank `%first` on, whose index is given."""
    return f"""{_row_head(cut, what)}  %size.at = alloca [2 x i64], align 8
  br label %row
row:
  %x.begin = phi i32 [ %x.first, %entry ], [ 0, %row.end ]
  %y = phi i32 [ %y.first, %entry ], [ %y.next, %row.end ]
  %z = phi i32 [ %z.first, %entry ], [ %z.next, %row.end ]
  %rank.begin = phi i32 [ %first, %entry ], [ %rank.next, %row.end ]
  %left = phi i32 [ %count, %entry ], [ %left.next, %row.end ]
  %fits = sub i32 %block_dim_x, %x.begin
  %is.last = icmp ule i32 %left, %fits
  %length = select i1 %is.last, i32 %left, i32 %fits
  br label %thread
thread:
  %at = phi i32 [ 0, %row ], [ %at.next, %thread ]
  %x = add nuw nsw i32 %x.begin, %at
  %rank = add nuw nsw i32 %rank.begin, %at
{_frame_address(split)}{body}  %at.next = add nuw nsw i32 %at, 1
  %more = icmp ult i32 %at.next, %length
  br i1 %more, label %thread, label %row.end
row.end:
  %rank.next = add nuw nsw i32 %rank.begin, %length
  %left.next = sub i32 %left, %length
  %y.more = add nuw nsw i32 %y, 1
  %y.wraps = icmp eq i32 %y.more, %block_dim_y
  %y.next = select i1 %y.wraps, i32 0, i32 %y.more
  %z.more = add nuw nsw i32 %z, 1
  %z.next = select i1 %y.wraps, i32 %z.more, i32 %z
  br i1 %is.last, label %done, label %row
done:
  ret void
}}
"""


def _line(cut: Cut, what: str, body: str, split: _Split) -> str:
    """Write a function like _row's for a `body` that asks for no index of its thread: its rank is enough."""
    return f"""{_row_head(cut, what)}  br label %thread
thread:
  %at = phi i32 [ 0, %entry ], [ %at.next, %thread ]
  %rank = add nuw nsw i32 %first, %at
{_frame_address(split)}{body}  %at.next = add nuw nsw i32 %at, 1
  %more = icmp ult i32 %at.next, %count
  br i1 %more, label %thread, label %done
done:
  ret void
}}
"""


def _row_head(cut: Cut, what: str) -> str:
    load_args, _ = unpack_arguments(cut.kernel)
    return f"""define internal void {_name(what, cut.kernel)}(ptr %args, ptr %frames, ptr %exchange, i32 %first, \
i32 %count, i32 %x.first, i32 %y.first, i32 %z.first) nounwind {{
entry:
{load_args}  %context = {CONTEXT_ADDRESS}
{_shared_addresses(cut)}{block_indices()}"""


def _has_listed(cut: Cut, split: _Split) -> bool:
    """Whether lanes of a warp that diverge go on in a loop of their own: a third copy of the kernel."""
    diverges = any(place.varies & Varies.MASK or place.operation is Operation.CONVERGE for place in cut.places)
    return split.by_place and diverges and sum(map(len, split.codes.values())) <= _MOST_LISTED


def _listed(cut: Cut, what: str, body: str, split: _Split, *, has_indices: bool) -> str:
    """Write a function that runs `body` for the `%count` lanes that are listed by their distance from `%first`."""
    load_args, _ = unpack_arguments(cut.kernel)
    indices = """  %is.short = icmp ult i32 %rank, %block_dim_x
  br i1 %is.short, label %run, label %divide
divide:
  %x.far = urem i32 %rank, %block_dim_x
  %row = udiv i32 %rank, %block_dim_x
  %y.far = urem i32 %row, %block_dim_y
  %z.far = udiv i32 %row, %block_dim_y
  br label %run
run:
  %x = phi i32 [ %rank, %thread ], [ %x.far, %divide ]
  %y = phi i32 [ 0, %thread ], [ %y.far, %divide ]
  %z = phi i32 [ 0, %thread ], [ %z.far, %divide ]
"""
    without = "  br label %run\nrun:\n"
    return f"""define internal void {_name(what, cut.kernel)}(ptr %args, ptr %frames, ptr %exchange, i32 %first, \
i32 %count, ptr %lanes) nounwind {{
entry:
{load_args}  %context = {CONTEXT_ADDRESS}
{_shared_addresses(cut)}{block_indices()}  br label %thread
thread:
  %at = phi i32 [ 0, %entry ], [ %at.next, %run ]
  %at.wide = zext nneg i32 %at to i64
  %lane.at = getelementptr i8, ptr %lanes, i64 %at.wide
  %lane.byte = load i8, ptr %lane.at, align 1
  %lane = zext i8 %lane.byte to i32
  %rank = add nuw nsw i32 %first, %lane
{indices if has_indices else without}{_frame_address(split)}{body}  %at.next = add nuw nsw i32 %at, 1
  %more = icmp ult i32 %at.next, %count
  br i1 %more, label %thread, label %done
done:
  ret void
}}
"""


def _shared_addresses(cut: Cut) -> str:
    return "".join(
        f"  {name} = call ptr @llvm.threadlocal.address.p0(ptr {variable})\n" for name, variable in cut.shared.items()
    )


def _frame_address(split: _Split) -> str:
    """Write the address of the frame of the thread of rank `%rank`."""
    return (
        "  %rank.wide = zext nneg i32 %rank to i64\n"
        f"  %offset = mul nuw nsw i64 %rank.wide, {split.frame_size}\n"
        "  %frame = getelementptr i8, ptr %frames, i64 %offset\n"
    )


def _driver(cut: Cut, split: _Split) -> str:
    """Write the tables of the kernel, and the function that runs a block by them."""
    kernel = cut.kernel
    places = ", ".join(place.constant for place in cut.places)
    count = max(split.codes) + 1
    regions = ", ".join(
        f"ptr {_name(f'region_{number}', kernel)}" if number in split.codes else "ptr null" for number in range(count)
    )
    listed = ", ".join(
        f"ptr {_name(f'listed_{number}', kernel)}" if number in split.codes else "ptr null" for number in range(count)
    )
    has_listed = _has_listed(cut, split)
    listed_table = f"{_name('listed', kernel)} = internal constant [{count} x ptr] [{listed}]\n" if has_listed else ""
    operations = {place.operation for place in cut.places}
    fields = ", ".join(
        (
            f"i64 {split.frame_size}",
            f"i32 {split.state_offset}",
            f"i32 {count}",
            f"i8 {int(any(operation.is_of_warp for operation in operations))}",
            f"i8 {int(any(operation.reduces for operation in operations))}",
            f"i8 {int(split.by_place)}",
            "[5 x i8] zeroinitializer",
            f"ptr {_name('places', kernel)}",
            f"ptr {_name('start', kernel)}",
            f"ptr {_name('regions', kernel)}",
            f"ptr {_name('listed', kernel)}" if has_listed else "ptr null",
            f"ptr @{_REST_PREFIX}{kernel.name}" if cut.has_rest else "ptr null",
        )
    )
    return f"""{_name("places", kernel)} = internal constant [{len(cut.places)} x {PLACE_TYPE}] [{places}]
{_name("regions", kernel)} = internal constant [{count} x ptr] [{regions}]
{listed_table}{_name("cut", kernel)} = internal constant {KERNEL_TYPE} {{ {fields} }}
define void @{LOOP_PREFIX}{kernel.name}(ptr %args) nounwind {{
  call void @{RUN_BLOCK}(ptr {_name("cut", kernel)}, ptr %args)
  ret void
}}
"""
