"""Split a kernel at its suspend points: a thread stores operands in the warp mailbox, and later loads its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..ir.blocks import Block, instructions_of, parse_blocks
from ..ir.function import INDIRECT
from ..ir.instructions import Instruction, is_constant
from ..ir.text import last_word
from ..runtime_abi.functions import BARRIER
from ..runtime_abi.names import THREAD_INDICES
from ..runtime_abi.split_kernels import (
    ARGUMENTS,
    EXITED,
    MASKS,
    POINTS,
    RESULTS,
    VALUES,
    WARP_WIDTH,
    WIDTHS,
    SuspendOperation,
    SuspendPoint,
    Varies,
)
from .thread_body import Unfit

if TYPE_CHECKING:
    from ..ir.module import Module
    from ..kernel import Kernel

#: The last parameters of every coroutine.
MAILBOX_PARAMETERS = ("i32 %coro.rank", "ptr %coro.mailbox")
#: `warpSize`.
_WARP_SIZE = "__musa_sim_warp_size"
_LANES = (
    *(SuspendOperation.SYNC, SuspendOperation.SHUFFLE, SuspendOperation.BALLOT),
    *(SuspendOperation.MATCH_ANY, SuspendOperation.MATCH_ALL, SuspendOperation.GROUP_SYNC, SuspendOperation.TOGETHER),
)


class SplitKernel(NamedTuple):
    """A kernel that became a coroutine."""

    kernel: Kernel
    suspend_points: tuple[SuspendPoint, ...]  # number 1 comes first
    spilled: frozenset[str]  # types of values that must not be rematerialised (spilled_values.py)
    shared: Mapping[str, str]  # the shared variable for each parameter that holds its address
    has_fallback: bool  # no thread waits: a plain loop can run it too, if no thread makes a second step


class _Operands(NamedTuple):
    """The operands of one call: constants, or names of values."""

    point: SuspendPoint
    value: str = ""  # `i64 %v`
    mask: str = ""
    argument: str = ""
    width: str = ""


def _number(text: str) -> int:
    value = last_word(text)
    if not is_constant(value):
        raise Unfit("an operation is chosen at run time")
    return int(value == "true") if value in ("true", "false") else int(value)


def _chosen(operations: Sequence[SuspendOperation], text: str) -> SuspendOperation:
    at = _number(text)
    if not 0 <= at < len(operations):
        raise Unfit("an operation is chosen at run time")
    return operations[at]


def _barrier(_: Sequence[str]) -> _Operands:
    return _Operands(SuspendPoint(SuspendOperation.BARRIER))


def _reduction(given: Sequence[str]) -> _Operands:
    operations = (SuspendOperation.BARRIER_COUNT, SuspendOperation.BARRIER_ALL, SuspendOperation.BARRIER_ANY)
    return _Operands(SuspendPoint(_chosen(operations, given[0])), value=given[1])


def _sync(given: Sequence[str]) -> _Operands:
    return _Operands(SuspendPoint(SuspendOperation.SYNC), mask=given[0])


def _shuffle(given: Sequence[str]) -> _Operands:
    mask, value, kind, argument, width = given
    return _Operands(SuspendPoint(SuspendOperation.SHUFFLE, kind=_number(kind)), value, mask, argument, width)


def _ballot(given: Sequence[str]) -> _Operands:
    return _Operands(SuspendPoint(SuspendOperation.BALLOT), value=given[1], mask=given[0])


def _vote(given: Sequence[str]) -> _Operands:
    operation = _chosen((SuspendOperation.VOTE_ALL, SuspendOperation.VOTE_ANY), given[1])
    return _Operands(SuspendPoint(operation), value=given[2], mask=given[0])


def _match(given: Sequence[str]) -> _Operands:
    operation = SuspendOperation.MATCH_ALL if _number(given[2]) else SuspendOperation.MATCH_ANY
    return _Operands(SuspendPoint(operation), value=given[1], mask=given[0])


def _converge(_: Sequence[str]) -> _Operands:
    return _Operands(SuspendPoint(SuspendOperation.CONVERGE), mask="i32 -1")


def _lanes(given: Sequence[str]) -> _Operands:
    mask, operation, value, source = given
    point = SuspendPoint(_chosen(_LANES, operation), own_lanes=True)
    is_shuffle = point.operation is SuspendOperation.SHUFFLE
    return _Operands(point, value, mask, source if is_shuffle else "", "i32 32" if is_shuffle else "")


_SPLIT: Mapping[str, Callable[[Sequence[str]], _Operands]] = {
    BARRIER: _barrier,
    "__musa_sim_sync_threads_reduce": _reduction,
    "__musa_sim_sync_warp": _sync,
    "__musa_sim_sync_shuffle": _shuffle,
    "__musa_sim_sync_ballot": _ballot,
    "__musa_sim_sync_vote": _vote,
    "__musa_sim_sync_match": _match,
    "__musa_sim_sync_converge": _converge,
    "__musa_sim_sync_lanes": _lanes,
}
#: The functions at which a kernel can be split.
SPLIT_AT = frozenset(_SPLIT)


class SplitCall(NamedTuple):
    """One call at which the kernel is split: its suspend point, and the code before and after it."""

    point: SuspendPoint
    before: str
    after: str


def address(array: int, size: int, name: str) -> str:
    """Write the address of this thread's element in an array of the mailbox, of `size` bits."""
    return (
        f"  {name}.lane = zext i32 %coro.rank to i64\n"
        f"  {name}.array = getelementptr i8, ptr %coro.mailbox, i64 {array}\n"
        f"  {name} = getelementptr i{size}, ptr {name}.array, i64 {name}.lane\n"
    )


def _store(array: int, kind: str, value: str, name: str) -> str:
    return f"{address(array, int(kind[1:]), name)}  store {kind} {value}, ptr {name}, align {int(kind[1:]) // 8}\n"


def arrival(number: int, name: str) -> str:
    """Write the store of the suspend point's number; names start with `name`."""
    return _store(POINTS, "i8", str(number), f"%{name}.point")


def the_end() -> str:
    """Write the store of EXITED, at the end of a thread."""
    return arrival(EXITED, "coro.end")


def split_call(item: Instruction, number: int, widths: frozenset[str]) -> SplitCall:
    """Take apart a call of one of the functions SPLIT_AT. `widths`: the values that are warpSize.

    Raises Unfit if the operation is not a constant.
    """
    operands = _SPLIT[item.callee](item.arguments)
    name = f"%coro.{number}"
    before = ""
    if operands.value:
        kind, value = operands.value.split(" ")[0], last_word(operands.value)
        if kind == "i32":
            before += f"  {name}.wide = zext i32 {value} to i64\n"
            value = f"{name}.wide"
        before += _store(VALUES, "i64", value, f"{name}.value")
    given_by_threads = Varies.NONE
    numbers: dict[str, int] = {}
    for text, field, array, flag in (
        (operands.mask, "mask", MASKS, Varies.MASK),
        (operands.argument, "argument", ARGUMENTS, Varies.ARGUMENT),
        (operands.width, "width", WIDTHS, Varies.WIDTH),
    ):
        value = last_word(text)
        if not value or (field == "width" and value in widths):
            continue
        if is_constant(value):
            numbers[field] = int(value)
        else:
            given_by_threads |= flag
            before += _store(array, "i32", value, f"{name}.{field}")
    point = operands.point._replace(
        varies=given_by_threads,
        mask=numbers.get("mask", 0),
        argument=numbers.get("argument", 0),
        width=numbers.get("width", WARP_WIDTH),
    )
    before += arrival(number, name[1:])
    return SplitCall(point, before, _result(item, name))


def _result(item: Instruction, name: str) -> str:
    """Write the load of a call's result from the mailbox."""
    if not item.result:
        return ""
    kind = "i64" if "i64 @" in item.operands else "i32"
    found = address(RESULTS, 64, f"{name}.result")
    return f"{found}  {item.result} = load {kind}, ptr {name}.result, align 8\n"


def split(blocks: Sequence[Block]) -> tuple[list[Instruction], list[Block], list[SuspendPoint]]:
    """Split a kernel's blocks at every call at which a thread waits.

    Return the static allocas, the blocks without them, and the suspend points.
    """
    if not blocks[0].name:
        raise Unfit("its first block has no name")
    widths = frozenset(item.result for item in instructions_of(blocks) if item.callee == _WARP_SIZE)
    allocas: list[Instruction] = []
    suspend_points: list[SuspendPoint] = []
    made: list[Block] = []
    tails: dict[str, str] = {}  # block -> its last part after splitting
    for block in blocks:
        items: list[Instruction] = []
        part = block
        for item in block.instructions:
            if allocated := item.alloca:
                if block is not blocks[0] or allocated.elements.startswith("%"):
                    raise Unfit("it allocates a variable amount of stack")
                allocas.append(item)
            elif item.callee in SPLIT_AT:
                count = len(suspend_points) + 1
                point = split_call(item, count, widths)
                suspend_points.append(point.point)
                text = (
                    f"{point.before}  %coro.at.{count} = call i8 @llvm.coro.suspend(token none, i1 false)\n"
                    f"  switch i8 %coro.at.{count}, label %coro.suspended "
                    f"[ i8 0, label %coro.after.{count} i8 1, label %coro.cleanup ]\n"
                    f"coro.after.{count}:\n{point.after}"
                )
                before, after = parse_blocks(text)
                made.append(part.with_instructions([*items, *before.instructions]))
                part, items = after, list(after.instructions)
                tails[block.name] = part.name
            else:
                items.append(Instruction("  br label %coro.finished") if item.returns_nothing else item)
        made.append(part.with_instructions(items))
    for name, tail in tails.items():
        # control now leaves the block from its last part
        made = [block.coming_from(name, tail) for block in made]
    return allocas, made, suspend_points


def can_be_split(kernel: str, module: Module, suspends: frozenset[str]) -> bool:
    """Whether every call that may suspend a thread is in the kernel itself, and is one of SPLIT_AT."""
    calls = module.edges
    own = calls[kernel]
    if INDIRECT in own or not own.isdisjoint(suspends - SPLIT_AT):
        return False
    for called in own - SPLIT_AT:
        reached = {called, *module.reached(called)}
        if INDIRECT in reached or not reached.isdisjoint(suspends):
            return False
        # it reads threadIdx from the context, where the driver does not store it
        if any(not calls.get(name, frozenset()).isdisjoint(THREAD_INDICES) for name in reached):
            return False
    return True
