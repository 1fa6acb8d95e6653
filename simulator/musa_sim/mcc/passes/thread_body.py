"""Write the loop over the threads of a block, and the kernel as its body, with the indices as parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..ir.blocks import Block
from ..ir.function import Function
from ..ir.instructions import Instruction
from ..ir.text import global_name
from ..ir.types import Parameter, without_byval
from ..runtime_abi.names import (
    BLOCK_PRINTED,
    CONTEXT_ADDRESS,
    INDICES,
    LOOP_THREAD_OFFSET,
    THREAD_INDICES,
    THREAD_KEPT,
)
from .context import INDEX_ARGUMENTS, INDEX_PARAMETERS, block_indices, index_value, unpack_arguments

if TYPE_CHECKING:
    from ..kernel import Kernel

#: Printed text cannot be taken back: a block that printed is not run a second time.
_PRINTING = frozenset(
    ("printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putc", "fputc", "putchar", "fwrite")
)
#: The fields of the context to store before a thread ends.
_INDICES_OF_THREAD = {
    **{INDICES[name]: index_value(name) for name in THREAD_INDICES},
    LOOP_THREAD_OFFSET: str(THREAD_KEPT),
}
#: Names of functions that a loop calls, before the kernel's: its body, its bounds check, its body without the check.
BODY_PREFIX = "__musa_sim_body_"
CHECK_PREFIX = "__musa_sim_check_"
UNCHECKED_PREFIX = "__musa_sim_unchecked_"
#: The kernel as a coroutine.
COROUTINE_PREFIX = "__musa_sim_coroutine_"


class Unfit(Exception):
    """The kernel keeps its fibers; the text says why."""


def with_index_parameters(function: Function) -> Function:
    """Return a copy of the kernel whose indices are parameters."""
    count = {"ends": 0, "prints": 0}

    def storing(name: str, values: Mapping[int, str]) -> Iterator[Instruction]:
        """Store these 32-bit values (by offset) in the context."""
        count[name] += 1
        context = f"%musa.{name}.{count[name]}"
        yield Instruction(f"  {context} = {CONTEXT_ADDRESS}")
        for offset, value in values.items():
            yield Instruction(f"  {context}.{offset} = getelementptr i8, ptr {context}, i64 {offset}")
            yield Instruction(f"  store i32 {value}, ptr {context}.{offset}, align 4")

    def changed(block: Block) -> Iterator[Instruction]:
        for item, following in zip(block.instructions, [*block.instructions[1:], Instruction("")]):
            if item.callee in INDICES and item.result:
                yield Instruction(f"  {item.result} = add i32 {index_value(item.callee)}, 0")
                continue
            # Functions that report the end of a thread (assert, __trap) read its index from the context. A loop over
            # threads stores it there only before such a call.
            if following.opcode == "unreachable" and item.is_call_without_result:
                yield from storing("ends", _INDICES_OF_THREAD)
            if item.callee in _PRINTING and item.opcode == "call":
                yield from storing("prints", {LOOP_THREAD_OFFSET: str(BLOCK_PRINTED)})
            yield item

    plain = function.without_attachments("dbg", "prof", "srcloc")
    return plain.with_parameters([*function.parameters, *INDEX_PARAMETERS]).with_blocks(
        [block.with_instructions(changed(block)) for block in plain.blocks]
    )


def body(function: Function) -> Function:
    """Write a copy of the kernel that takes its indices as parameters, to be inlined into a loop over them."""
    thread = with_index_parameters(function)
    return inlined(BODY_PREFIX, function.name, "void", thread.parameters, thread.blocks)


def inlined(prefix: str, kernel: str, kind: str, parameters: Iterable[str], blocks: Sequence[Block]) -> Function:
    """Write a function that is to be inlined into a loop over threads; `kind` is the type of its result."""
    head = f"define internal {kind} {global_name(prefix + kernel)}({', '.join(parameters)}) alwaysinline nounwind "
    return Function(head, blocks)


def loop(
    kernel: Kernel,
    name: str,
    *,
    callees_read_index: bool = False,
    skip_first: bool = False,
    bounds_checked: bool = False,
    block_stride: str = "",
    arguments: tuple[str, str] | None = None,
    latch_marks: tuple[str, str] = ("", ""),
) -> Function:
    """Write a function that runs the kernel's body for all threads of a block, or for all but thread (0, 0, 0).

    `skip_first`: the first thread has run already, as a coroutine that exited without waiting.
    `bounds_checked`: a row whose first and last thread pass the kernel's bounds check runs without the check.
    `block_stride`: how far the index advances per block (grid_rows.py): such a row runs once per iteration of the
    kernel's grid-stride loop.
    `arguments`: the code that loads the arguments and the argument list of the call, in place of the usual ones.
    `latch_marks`: the metadata of the back edges of the loop without the check, and of the loop with it
    (thread_independence.py).
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
    indices = ", ".join(INDEX_ARGUMENTS)
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
        advance, fits, after = _next_block(block_stride) if block_stride else ("", "true", "end.y")
        if block_stride:
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
    text = f"""{{
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
    return Function(f"define void {global_name(name)}(ptr %args) nounwind ", text)


def _next_block(stride: str) -> tuple[str, str, str]:
    """Write the start of a loop over blockIdx.x.

    Return its code, the value that says whether the indices of the next block fit into 31 bits, and its label.
    """
    size = stride if stride.isdigit() else "%block.size"
    code = f"""  %block.size = zext i32 %block_dim_x to i64
  br label %next.block
next.block:
  %block = phi i32 [ %block_idx_x, %loop.y ], [ %block.next, %all.x ]
  %block.next = add i32 %block, %grid_dim_x
  %block.wide = zext i32 %block to i64
  %grid.wide = zext i32 %grid_dim_x to i64
  %block.after = add nuw nsw i64 %block.wide, %grid.wide
  %block.end = mul i64 %block.after, {size}
  %block.fits = icmp ult i64 %block.end, {2**31 - 2048}
"""
    return code, "%block.fits", "next.block"


def with_shared_parameters(blocks: Sequence[Block]) -> tuple[list[Block], dict[str, str]]:
    """Turn the addresses of __shared__ variables into parameters: all threads of a block have the same ones.

    Return the code, and the variable for each parameter.
    """
    parameters: dict[str, str] = {}

    def changed(item: Instruction) -> Instruction:
        if not item.thread_local:
            return item
        parameter = parameters.setdefault(global_name(item.thread_local), f"%musa.shared.{len(parameters)}")
        return Instruction(f"  {item.result} = getelementptr i8, ptr {parameter}, i64 0")

    return [block.change(changed) for block in blocks], {name: variable for variable, name in parameters.items()}


def by_address(parameter: str) -> str:
    """Turn a `byval` parameter into a plain pointer to the launch's arguments.

    The copy that `byval` makes is gone when the call returns, and a coroutine continues after its first call. The
    argument itself lives as long as the launch, but all threads share it. Raises Unfit if the kernel writes to it.
    """
    if Parameter(parameter).byval and not Parameter(parameter).is_read_only:
        raise Unfit("it changes a parameter that was passed by value")
    return without_byval(parameter)
