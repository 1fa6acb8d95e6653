"""Write a kernel's code as the body of a loop over threads, with its indices as plain values, and that loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..contract.names import (
    BLOCK_INDICES,
    BLOCK_PRINTED,
    CONTEXT_ADDRESS,
    INDICES,
    LOOP_THREAD_OFFSET,
    THREAD_INDICES,
    THREAD_KEPT,
)
from ..ir.functions import Function, callee, is_call_without_result, replace_results
from ..ir.instructions import is_unreachable
from ..ir.metadata import remove_attachments
from ..ir.text import global_name
from ..kernel import Kernel
from .entry import unpack_arguments
from .indices import INDEX_PARAMETERS, block_indices, index_value, short

#: What a kernel prints cannot be taken back: a block that printed is not run a second time.
_PRINTING = frozenset(
    ("printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putc", "fputc", "putchar", "fwrite")
)
#: Names of functions that a loop calls, before the kernel's: its body, its bounds check, its body without the check.
BODY_PREFIX = "__musa_sim_body_"
CHECK_PREFIX = "__musa_sim_check_"
UNCHECKED_PREFIX = "__musa_sim_unchecked_"
#: The kernel as a coroutine.
COROUTINE_PREFIX = "__musa_sim_coroutine_"


def with_index_parameters(function: Function) -> tuple[str, str]:
    """Return parameters and code of a copy of the kernel whose indices are parameters."""
    code = function.code
    for accessor in INDICES:
        code = replace_results(code, accessor, "  {} = add i32 " + index_value(accessor) + ", 0")
    code = remove_attachments(code, "dbg", "prof", "srcloc")
    code = _noting_output(_naming_the_thread(code))
    return ", ".join([*function.parameters, *INDEX_PARAMETERS]), code


def body(function: Function) -> str:
    """Write a copy of the kernel that takes its indices as parameters, to be inlined into a loop over them."""
    return inlined(BODY_PREFIX, function.name, "void", *with_index_parameters(function))


def inlined(prefix: str, kernel: str, kind: str, parameters: str, code: str) -> str:
    """Write a function that is to be inlined into a loop over threads; `kind` is the type of its result."""
    return f"define internal {kind} {global_name(prefix + kernel)}({parameters}) alwaysinline nounwind {code}"


def loop(
    kernel: Kernel,
    name: str,
    *,
    callees_read_index: bool = False,
    skip_first: bool = False,
    bounds_checked: bool = False,
    grid_row: str = "",
    arguments: tuple[str, str] | None = None,
    latch_marks: tuple[str, str] = ("", ""),
) -> str:
    """Write a function that runs the kernel's body for all threads of a block, or for all but thread (0, 0, 0).

    With `bounds_checked`, a row whose first and last thread pass the kernel's bounds check runs without it. With
    `grid_row` (grid_rows.py) it does so for one block after another, as far as its grid-stride loop goes. `arguments`:
    other code that loads the arguments, and what is passed then. `latch_marks` end the branches back of the loop
    without the check, and of the one with it (thread_independence.py).
    """
    code, call = arguments or unpack_arguments(kernel)
    # functions that were not inlined still read threadIdx from the context
    kept = {INDICES[name]: f"%{axis}" for name, axis in zip(THREAD_INDICES, "xyz")}
    kept[LOOP_THREAD_OFFSET] = str(THREAD_KEPT)
    stores = "".join(
        f"  %to.{offset} = getelementptr i8, ptr %context, i64 {offset}\n"
        f"  store i32 {value}, ptr %to.{offset}, align 4\n"
        for offset, value in (kept.items() if callees_read_index else ())
    )
    indices = ", ".join(f"i32 %{axis}" for axis in "xyz") + "".join(f", i32 %{short(name)}" for name in BLOCK_INDICES)
    comma = ", " if call else ""
    run = f"{stores}  call void {global_name(BODY_PREFIX + kernel.name)}({call}{comma}{indices})\n"
    latch = "loop.x"
    if skip_first:
        latch = "next"
        run = (
            "  %xy = or i32 %x, %y\n  %xyz = or i32 %xy, %z\n  %first = icmp eq i32 %xyz, 0\n"
            f"  br i1 %first, label %next, label %run\nrun:\n{run}  br label %next\nnext:\n"
        )
    row = "  br label %some\nsome:\n"
    if bounds_checked:
        advance, fits, after = _next_block(grid_row) if grid_row else ("", "true", "end.y")
        if grid_row:
            indices = indices.replace("%block_idx_x", "%block")
            run = run.replace("i32 %block_idx_x", "i32 %block")
        check, unchecked = (global_name(prefix + kernel.name) for prefix in (CHECK_PREFIX, UNCHECKED_PREFIX))
        ends = [indices.replace("%x", index, 1) for index in ("0", "%last")]
        row = f"""{advance}  %last = sub i32 %block_dim_x, 1
  %first.holds = call i1 {check}({call}{comma}{ends[0]})
  %last.holds = call i1 {check}({call}{comma}{ends[1]})
  %both.hold = and i1 %first.holds, %last.holds
  %all.hold = and i1 %both.hold, {fits}
  br i1 %all.hold, label %all, label %some
all:
  br label %all.x
all.x:
  %ax = phi i32 [ 0, %all ], [ %ax.next, %all.x ]
  call void {unchecked}({call}{comma}{indices.replace("%x", "%ax", 1)})
  %ax.next = add nuw nsw i32 %ax, 1
  %ax.more = icmp ult i32 %ax.next, %block_dim_x
  br i1 %ax.more, label %all.x, label %{after}{latch_marks[0]}
some:
"""
    return f"""define void {global_name(name)}(ptr %args) nounwind {{
entry:
{code}  %context = {CONTEXT_ADDRESS}
{block_indices()}  br label %loop.z
loop.z:
  %z = phi i32 [ 0, %entry ], [ %z.next, %end.z ]
  br label %loop.y
loop.y:
  %y = phi i32 [ 0, %loop.z ], [ %y.next, %end.y ]
{row}  br label %loop.x
loop.x:
  %x = phi i32 [ 0, %some ], [ %x.next, %{latch} ]
{run}  %x.next = add nuw nsw i32 %x, 1
  %x.more = icmp ult i32 %x.next, %block_dim_x
  br i1 %x.more, label %loop.x, label %end.y{latch_marks[1]}
end.y:
  %y.next = add nuw nsw i32 %y, 1
  %y.more = icmp ult i32 %y.next, %block_dim_y
  br i1 %y.more, label %loop.y, label %end.z
end.z:
  %z.next = add nuw nsw i32 %z, 1
  %z.more = icmp ult i32 %z.next, %block_dim_z
  br i1 %z.more, label %loop.z, label %done
done:
  ret void
}}
"""


def _next_block(row: str) -> tuple[str, str, str]:
    """Write the start of a loop over blockIdx.x: (code, whether the next one's indices fit, label of the loop)."""
    size = row if row.isdigit() else "%block.size"
    code = f"""  %block.size = zext i32 %block_dim_x to i64
  br label %row
row:
  %block = phi i32 [ %block_idx_x, %loop.y ], [ %block.next, %all.x ]
  %block.next = add i32 %block, %grid_dim_x
  %block.wide = zext i32 %block to i64
  %grid.wide = zext i32 %grid_dim_x to i64
  %block.after = add nuw nsw i64 %block.wide, %grid.wide
  %block.end = mul i64 %block.after, {size}
  %block.fits = icmp ult i64 %block.end, {2**31 - 2048}
"""
    return code, "%block.fits", "row"


def _naming_the_thread(code: str) -> str:
    """Store the thread's index in the context before a call that does not return (assert, __trap).

    What reports it finds the thread there; elsewhere in a loop over threads nobody keeps it.
    """

    def ends_the_thread(line: str, following: str) -> bool:
        return is_unreachable(following) and is_call_without_result(line)

    values = {INDICES[name]: index_value(name) for name in THREAD_INDICES}
    return _storing({**values, LOOP_THREAD_OFFSET: str(THREAD_KEPT)}, ends_the_thread, "ends", code)


def _noting_output(code: str) -> str:
    """Leave a mark in the context before the code prints."""

    def prints(line: str, _: str) -> bool:
        return " call " in line and callee(line) in _PRINTING

    return _storing({LOOP_THREAD_OFFSET: str(BLOCK_PRINTED)}, prints, "prints", code)


def _storing(values: Mapping[int, str], before: Callable[[str, str], bool], name: str, code: str) -> str:
    """Store these 32-bit values (by offset) in the context before every line that `before` chooses.

    It is given the line and the one that follows.
    """

    def lines() -> Iterator[str]:
        count = 0
        given = code.split("\n")
        for line, following in zip(given, [*given[1:], ""]):
            if before(line, following):
                count += 1
                context = f"%musa.{name}.{count}"
                yield f"  {context} = {CONTEXT_ADDRESS}"
                for offset, value in values.items():
                    yield f"  {context}.{offset} = getelementptr i8, ptr {context}, i64 {offset}"
                    yield f"  store i32 {value}, ptr {context}.{offset}, align 4"
            yield line

    return "\n".join(lines())
