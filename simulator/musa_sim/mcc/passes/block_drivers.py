"""Write the functions that run rows of threads of a split kernel, and the table by which libmusart calls them.

The split (coroutines.py) makes two functions of a kernel. One starts a thread. The other resumes it at its suspend
point; the state in its frame names that point. A resume block is a copy of the second function for one state:
the code from that suspend point to the next. libmusart (runtime/blocks/split_kernels.cpp) starts all threads, then
calls one resume block after another, for all threads or for a single one. The second function itself is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..ir.blocks import code_of
from ..ir.function import Function
from ..ir.text import global_name, local_names, split_list
from ..ir.types import Parameter, without_byval
from ..runtime_abi.functions import RUN_BLOCK, declaration
from ..runtime_abi.names import CONTEXT_ADDRESS, LOOP_PREFIX
from ..runtime_abi.split_kernels import EXITED, SPLIT_KERNEL_TYPE, SUSPEND_POINT_TYPE, SuspendOperation, Varies
from .context import INDEX_ARGUMENTS, THREAD_INDEX_PARAMETERS, block_indices, unpack_arguments
from .split_coroutine import RANK, SplitCoroutine, split_coroutine
from .thread_body import COROUTINE_PREFIX, body, loop

if TYPE_CHECKING:
    from ..ir.module import Module
    from ..kernel import Kernel
    from .suspend_points import SplitKernel

_FALLBACK_PREFIX = "__musa_sim_fallback_"

#: The rank of a thread, of type i64, in a loop over threads.
_WIDE_RANK = "%rank.wide"
_RESERVED = frozenset(THREAD_INDEX_PARAMETERS)

#: The most characters of IR of all resume blocks of a kernel. A larger kernel has one function for all its states.
_MOST_COPIED = 120_000
#: The same for a kernel that gets each resume block once more, for lists of lanes.
_MOST_DIVERGED = 40_000
#: Characters of all functions of a source that resume threads. From this size on, LLVM does not vectorise their loops:
#: that would take as long as all else.
_MANY_STATES = 2_000_000
#: Metadata numbers far above clang's, and below the marks of independent loops.
_AS_IT_IS, _PROPERTY = 999_999_998, 999_999_999
#: The least alignment of frames, and the alignment of libmusart's memory for them: a cache line, the widest vector.
_LEAST_ALIGNMENT, _MOST_ALIGNMENT = 16, 64


class _Split(NamedTuple):
    """A coroutine that LLVM has split: the function that starts a thread, and the code after each suspend point."""

    start: Function
    passed: Sequence[_Passed]
    address: str  # the parameters of `codes` for the address of the frame or of the columns
    frame_size: int  # 0 if there are columns
    columns: int  # the bytes of the columns
    codes: Mapping[int, str]  # by suspend point
    by_point: bool  # False: `codes` has one code for all suspend points, which reads the state
    latch: str  # the metadata of the back edge of a loop over threads

    @property
    def where(self) -> str:
        """The arguments for `address`, in a loop over threads."""
        return "ptr %frame" if self.frame_size else f"ptr %frames, i64 {_WIDE_RANK}"


def _read_split(module: Module, name: str, latch: str) -> _Split | None:
    resume, start = module.functions.get(f"{name}.resume"), module.functions.get(name)
    if resume is None or start is None:
        return None
    passed = _passed_parameters(start)
    split = split_coroutine(start, resume, {parameter.value: parameter.name for parameter in passed}, EXITED)
    if split is None or split.alignment > _MOST_ALIGNMENT:
        return None
    unit = max(split.alignment, _LEAST_ALIGNMENT)
    size = -(-split.frame_size // unit) * unit
    # A field that holds a variable may be reached by a pointer that another field holds. Spill slots are not.
    address = f"ptr {'' if split.has_variables else 'noalias '}{split.frame}{'' if size else f', i64 {RANK}'}"
    codes = _unless_large(split)
    if codes:
        start, columns = split.start_without_state, split.columns_without_state
    else:
        start, columns = split.start, split.columns
    return _Split(
        start,
        passed,
        address,
        frame_size=size,
        columns=columns,
        codes=codes or {0: code_of(split.resume)},
        by_point=bool(codes),
        latch=latch,
    )


def _unless_large(split: SplitCoroutine) -> dict[int, str]:
    """Return the code after each suspend point; none if it would be too long."""
    codes: dict[int, str] = {}
    left = _MOST_COPIED
    for point in split.targets:
        codes[point] = code_of(split.resume_at(point))
        left -= len(codes[point])
        if left < 0:
            return {}
    return codes


def block_drivers(module: Module, kernels: Sequence[SplitKernel]) -> tuple[Module, frozenset[str]]:
    """Add one function per kernel, which runs a whole block, to a module whose coroutines LLVM has split.

    Returns the module and the names of the kernels that have one now.
    """
    texts: list[str] = []
    done: set[str] = set()
    changed: dict[str, Function | None] = {}
    resumed = (module.functions.get(f"{COROUTINE_PREFIX}{made.kernel.name}.resume") for made in kernels)
    latch = f", !llvm.loop !{_AS_IT_IS}" if sum(map(len, filter(None, resumed))) > _MANY_STATES else ""
    for made in kernels:
        kernel = made.kernel
        split = _read_split(module, f"{COROUTINE_PREFIX}{kernel.name}", latch)
        if split is None:
            continue
        if made.has_fallback:
            plain = (
                body(module.functions[kernel.name]),
                loop(kernel, f"{_FALLBACK_PREFIX}{kernel.name}", skip_first=True),
            )
            texts += [function.text for function in plain]
        name = split.start.name
        changed |= {name: split.start, f"{name}.resume": None, f"{name}.destroy": None}
        texts += [_start(made, split), _resume_blocks(made, split), _driver(made, split)]
        done.add(kernel.name)
    # They were not internal before: the optimiser drops internal functions without a caller.
    for name, function in module.functions.items():
        if name.startswith(COROUTINE_PREFIX):
            now = changed.get(name, function)
            changed[name] = now and now.with_head(now.head.replace("define hidden ", "define internal ", 1))
    module = module.change_functions(changed)
    if latch:
        texts.append(f"!{_AS_IT_IS} = distinct !{{!{_AS_IT_IS}, !{_PROPERTY}}}\n")
        texts.append(f'!{_PROPERTY} = !{{!"llvm.loop.disable_nonforced"}}\n')
    return (module.declare(declaration(RUN_BLOCK)).add(*texts) if texts else module), frozenset(done)


def _name(what: str, kernel: Kernel) -> str:
    return global_name(f"__musa_sim_{what}_{kernel.name}")


class _Passed(NamedTuple):
    """A parameter of the coroutine that is passed again whenever a thread is resumed, so that no frame has to hold it.

    All threads have the same one (the kernel's parameters, blockIdx and the like), or it is an index of the thread.
    """

    type: str
    value: str  # its name in the function that starts a thread
    name: str  # its name in the code that resumes one: different from all names that LLVM gave values there


def _passed_parameters(start: Function) -> list[_Passed]:
    """Return the coroutine's parameters after the first two."""
    parameters = [Parameter(text) for text in start.parameters[2:]]
    return [
        _Passed(each.type, each.value, each.value if each.value in _RESERVED else f"%musa.argument.{at}")
        for at, each in enumerate(parameters)
    ]


def _resume_blocks(made: SplitKernel, split: _Split) -> str:
    """Write the resume blocks: functions that resume several threads, one per suspend point."""
    kernel = made.kernel
    copies: list[str] = []
    passed = list(zip(split.passed, _arguments(made)))
    for at, code in split.codes.items():
        one = _name(f"thread_{at}", kernel)
        # of a kernel's dozens of parameters, the code between two suspend points uses a few
        names = frozenset(local_names(code))
        used = [(parameter, argument) for parameter, argument in passed if parameter.name in names]
        parameters = ", ".join([split.address, *(f"{parameter.type} {parameter.name}" for parameter, _ in used)])
        copies.append(f"define internal fastcc void {one}({parameters}) alwaysinline nounwind {code}")
        has_indices = not names.isdisjoint(THREAD_INDEX_PARAMETERS)
        arguments = ", ".join([split.where, *(argument for _, argument in used)])
        call = f"  call fastcc void {one}({arguments})\n"
        copies.append((_emit_indexed_loop if has_indices else _emit_rank_loop)(made, f"resume_{at}", call, split))
        if _has_lane_lists(made, split):
            copies.append(_lane_list(made, f"resume_lanes_{at}", call, split, has_indices=has_indices))
    return "".join(copies)


def _start(made: SplitKernel, split: _Split) -> str:
    """Write the function that starts the threads of a row, or of a part of it."""
    coroutine = global_name(COROUTINE_PREFIX + made.kernel.name)
    address, *rank = split_list(split.where)
    arguments = ", ".join([address, "ptr %size.at", *_arguments(made), *rank])
    call = f"  %made = call ptr {coroutine}({arguments})\n"
    return _emit_indexed_loop(made, "start", call, split)


def _arguments(made: SplitKernel) -> list[str]:
    """Return the arguments of a call that starts or resumes a thread, without those that concern the frame."""
    _, call = unpack_arguments(made.kernel)

    shared = [f"ptr {name}" for name in made.shared]
    return [*split_list(without_byval(call)), *INDEX_ARGUMENTS, "i32 %rank", "ptr %mailbox", *shared]


def _emit_indexed_loop(made: SplitKernel, what: str, body: str, split: _Split) -> str:
    """Write a function that runs `body` for `%count` threads from rank `%first` on. It gets the thread's index."""
    return f"""{_loop_head(made, what, body)}  %size.at = alloca [2 x i64], align 8
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
  %rank.begin.wide = zext nneg i32 %rank.begin to i64
  br label %thread
thread:
  %at = phi i32 [ 0, %row ], [ %at.next, %thread ]
  %rank.wide = phi i64 [ %rank.begin.wide, %row ], [ %rank.wide.next, %thread ]
  %x = add nuw nsw i32 %x.begin, %at
  %rank = add nuw nsw i32 %rank.begin, %at
{_frame_address(split)}{body}  %at.next = add nuw nsw i32 %at, 1
  %rank.wide.next = add nuw nsw i64 %rank.wide, 1
  %more = icmp ult i32 %at.next, %length
  br i1 %more, label %thread, label %row.end{split.latch}
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


def _emit_rank_loop(made: SplitKernel, what: str, body: str, split: _Split) -> str:
    """Write a function that runs `body` for `%count` threads, from rank `%first` on. The body reads no index."""
    return f"""{_loop_head(made, what, body)}  %first.wide = zext nneg i32 %first to i64
  br label %thread
thread:
  %at = phi i32 [ 0, %entry ], [ %at.next, %thread ]
  %rank.wide = phi i64 [ %first.wide, %entry ], [ %rank.wide.next, %thread ]
  %rank = add nuw nsw i32 %first, %at
{_frame_address(split)}{body}  %at.next = add nuw nsw i32 %at, 1
  %rank.wide.next = add nuw nsw i64 %rank.wide, 1
  %more = icmp ult i32 %at.next, %count
  br i1 %more, label %thread, label %done{split.latch}
done:
  ret void
}}
"""


def _loop_head(made: SplitKernel, what: str, body: str) -> str:
    # every row needs the block's width and height
    return f"""define internal void {_name(what, made.kernel)}(ptr %args, ptr nonnull %frames, ptr %mailbox, \
i32 %first, i32 %count, i32 %x.first, i32 %y.first, i32 %z.first) nounwind {{
entry:
{_loads(made, body, "%block_dim_x %block_dim_y")}"""


def _loads(made: SplitKernel, *uses: str) -> str:
    """Write the code for the values that these texts use: arguments, addresses of shared variables, indices."""
    load_args, _ = unpack_arguments(made.kernel)
    used = {name for text in uses for name in local_names(text)}
    kept: list[str] = []
    lines = f"{load_args}  %context = {CONTEXT_ADDRESS}\n{_shared_addresses(made)}{block_indices()}".splitlines()
    for line in reversed(lines):
        result, _, made_of = line.strip().partition(" = ")
        if result in used:
            kept.append(f"{line}\n")
            used.update(local_names(made_of))
    return "".join(reversed(kept))


def _has_lane_lists(made: SplitKernel, split: _Split) -> bool:
    """Whether lanes of a warp that diverge are resumed in a loop of their own: a third copy of the kernel."""
    diverges = any(
        point.varies & Varies.MASK or point.operation is SuspendOperation.CONVERGE for point in made.suspend_points
    )
    return split.by_point and diverges and sum(map(len, split.codes.values())) <= _MOST_DIVERGED


def _lane_list(made: SplitKernel, what: str, body: str, split: _Split, *, has_indices: bool) -> str:
    """Write a function that runs `body` for the `%count` lanes of a list, given as distances from `%first`."""
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
    return f"""define internal void {_name(what, made.kernel)}(ptr %args, ptr nonnull %frames, ptr %mailbox, \
i32 %first, i32 %count, ptr %lanes) nounwind {{
entry:
{_loads(made, body, "%block_dim_x %block_dim_y")}  br label %thread
thread:
  %at = phi i32 [ 0, %entry ], [ %at.next, %run ]
  %at.wide = zext nneg i32 %at to i64
  %lane.at = getelementptr i8, ptr %lanes, i64 %at.wide
  %lane.byte = load i8, ptr %lane.at, align 1
  %lane = zext i8 %lane.byte to i32
  %rank = add nuw nsw i32 %first, %lane
{indices if has_indices else without}  %rank.wide = zext nneg i32 %rank to i64
{_frame_address(split)}{body}  %at.next = add nuw nsw i32 %at, 1
  %more = icmp ult i32 %at.next, %count
  br i1 %more, label %thread, label %done{split.latch}
done:
  ret void
}}
"""


def _shared_addresses(made: SplitKernel) -> str:
    return "".join(
        f"  {name} = call ptr @llvm.threadlocal.address.p0(ptr {variable})\n" for name, variable in made.shared.items()
    )


def _frame_address(split: _Split) -> str:
    """Write the address of the frame of the thread of rank `%rank.wide`; nothing if there are columns."""
    if not split.frame_size:
        return ""
    return (
        f"  %offset = mul nuw nsw i64 %rank.wide, {split.frame_size}\n"
        "  %frame = getelementptr inbounds i8, ptr %frames, i64 %offset\n"
    )


def _driver(made: SplitKernel, split: _Split) -> str:
    """Write the tables of the kernel, and the function that runs a block by them."""
    kernel = made.kernel
    points = ", ".join(point.constant for point in made.suspend_points)
    count = max(split.codes) + 1

    def table(name: str) -> str:
        """Write the table of the functions with this name and the number of a suspend point."""
        blocks = (f"{name}_{number}" if number in split.codes else "" for number in range(count))
        pointers = ", ".join(f"ptr {_name(block, kernel)}" if block else "ptr null" for block in blocks)
        return f"{_name(name, kernel)} = internal constant [{count} x ptr] [{pointers}]\n"

    has_lane_lists = _has_lane_lists(made, split)
    lanes_table = table("resume_lanes") if has_lane_lists else ""
    operations = {point.operation for point in made.suspend_points}
    fields = ", ".join(
        (
            f"i64 {split.frame_size}",
            f"i32 {split.columns}",
            f"i32 {count}",
            f"i8 {int(any(operation.is_of_warp for operation in operations))}",
            f"i8 {int(any(operation.reduces for operation in operations))}",
            f"i8 {int(split.by_point)}",
            "[5 x i8] zeroinitializer",
            f"ptr {_name('suspend_points', kernel)}",
            f"ptr {_name('start', kernel)}",
            f"ptr {_name('resume', kernel)}",
            f"ptr {_name('resume_lanes', kernel)}" if has_lane_lists else "ptr null",
            f"ptr {global_name(_FALLBACK_PREFIX + kernel.name)}" if made.has_fallback else "ptr null",
        )
    )
    points = f"[{len(made.suspend_points)} x {SUSPEND_POINT_TYPE}] [{points}]"
    return f"""{_name("suspend_points", kernel)} = internal constant {points}
{table("resume")}{lanes_table}{_name("split", kernel)} = internal constant {SPLIT_KERNEL_TYPE} {{ {fields} }}
define void {global_name(LOOP_PREFIX + kernel.name)}(ptr %args) nounwind {{
  call void @{RUN_BLOCK}(ptr {_name("split", kernel)}, ptr %args)
  ret void
}}
"""
