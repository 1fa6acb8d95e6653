"""The suspensions of a kernel that becomes a coroutine: what a thread leaves in the exchange and finds there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..contract.cuts import (
    ARGUMENTS,
    ENDED,
    MASKS,
    PLACES,
    RESULTS,
    VALUES,
    WARP_WIDTH,
    WIDTHS,
    Operation,
    Place,
    Varies,
)
from ..contract.functions import BARRIER
from ..contract.names import THREAD_INDICES
from ..ir.blocks import label, replace_incoming
from ..ir.functions import INDIRECT, arguments_of_calls, callee, reachable
from ..ir.instructions import assignments, instruction, is_constant, is_return, variable
from .cut import Unfit

#: The parameters that every coroutine gets in the end.
EXCHANGE_PARAMETERS = ("i32 %coro.rank", "ptr %coro.exchange")
#: `warpSize`.
_WARP_SIZE = "__musa_sim_warp_size"
_LANES = (
    *(Operation.SYNC, Operation.SHUFFLE, Operation.BALLOT),
    *(Operation.MATCH_ANY, Operation.MATCH_ALL, Operation.GROUP_SYNC),
)


class _Operands(NamedTuple):
    """The operands of one call: constants, or names of values."""

    place: Place
    value: str = ""  # `i64 %v`
    mask: str = ""
    argument: str = ""
    width: str = ""


def _number(text: str) -> int:
    value = text.rpartition(" ")[2]
    if not is_constant(value):
        raise Unfit("an operation is chosen at run time")
    return int(value == "true") if value in ("true", "false") else int(value)


def _chosen(operations: Sequence[Operation], text: str) -> Operation:
    at = _number(text)
    if not 0 <= at < len(operations):
        raise Unfit("an operation is chosen at run time")
    return operations[at]


def _barrier(_: Sequence[str]) -> _Operands:
    return _Operands(Place(Operation.BARRIER))


def _reduction(given: Sequence[str]) -> _Operands:
    operations = (Operation.BARRIER_COUNT, Operation.BARRIER_ALL, Operation.BARRIER_ANY)
    return _Operands(Place(_chosen(operations, given[0])), value=given[1])


def _sync(given: Sequence[str]) -> _Operands:
    return _Operands(Place(Operation.SYNC), mask=given[0])


def _shuffle(given: Sequence[str]) -> _Operands:
    mask, value, kind, argument, width = given
    return _Operands(Place(Operation.SHUFFLE, kind=_number(kind)), value, mask, argument, width)


def _ballot(given: Sequence[str]) -> _Operands:
    return _Operands(Place(Operation.BALLOT), value=given[1], mask=given[0])


def _vote(given: Sequence[str]) -> _Operands:
    operation = _chosen((Operation.VOTE_ALL, Operation.VOTE_ANY), given[1])
    return _Operands(Place(operation), value=given[2], mask=given[0])


def _match(given: Sequence[str]) -> _Operands:
    operation = Operation.MATCH_ALL if _number(given[2]) else Operation.MATCH_ANY
    return _Operands(Place(operation), value=given[1], mask=given[0])


def _converge(_: Sequence[str]) -> _Operands:
    return _Operands(Place(Operation.CONVERGE), mask="i32 -1")


def _lanes(given: Sequence[str]) -> _Operands:
    mask, operation, value, source = given
    place = Place(_chosen(_LANES, operation), own_lanes=True)
    is_shuffle = place.operation is Operation.SHUFFLE
    return _Operands(place, value, mask, source if is_shuffle else "", "i32 32" if is_shuffle else "")


_CUT: Mapping[str, Callable[[Sequence[str]], _Operands]] = {
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
#: The functions at which a kernel can be cut.
CUT_AT = frozenset(_CUT)


class Suspension(NamedTuple):
    """One call at which the kernel is cut: what the thread does before it and after it."""

    place: Place
    before: str
    after: str


def address(array: int, size: int, name: str) -> str:
    """Write the address of this thread's element in an array of the exchange, of `size` bits."""
    return (
        f"  {name}.lane = zext i32 %coro.rank to i64\n"
        f"  {name}.array = getelementptr i8, ptr %coro.exchange, i64 {array}\n"
        f"  {name} = getelementptr i{size}, ptr {name}.array, i64 {name}.lane\n"
    )


def _leave(array: int, kind: str, value: str, name: str) -> str:
    return f"{address(array, int(kind[1:]), name)}  store {kind} {value}, ptr {name}, align {int(kind[1:]) // 8}\n"


def arrival(number: int, name: str) -> str:
    """Write the code by which a thread says at which place it is; names start with `name`."""
    return _leave(PLACES, "i8", str(number), f"%{name}.place")


def the_end() -> str:
    """Write the code by which a thread says that it has ended."""
    return arrival(ENDED, "coro.end")


def warp_sizes(code: str) -> frozenset[str]:
    """Return the values in a function that are warpSize."""
    return frozenset(
        item.result for item in assignments(code) if item.opcode == "call" and callee(item.text) == _WARP_SIZE
    )


def suspension(line: str, number: int, widths: frozenset[str]) -> Suspension:
    """Take a call of one of the functions CUT_AT apart. `widths`: the values that are warpSize.

    Raises Unfit if it does not say which operation it is.
    """
    function = callee(line)
    given = arguments_of_calls(line, function)[0]
    operands = _CUT[function](given)
    name = f"%coro.{number}"
    before = ""
    if operands.value:
        kind, value = operands.value.split(" ")[0], operands.value.rpartition(" ")[2]
        if kind == "i32":
            before += f"  {name}.wide = zext i32 {value} to i64\n"
            value = f"{name}.wide"
        before += _leave(VALUES, "i64", value, f"{name}.value")
    given_by_threads = Varies.NONE
    numbers: dict[str, int] = {}
    for text, field, array, flag in (
        (operands.mask, "mask", MASKS, Varies.MASK),
        (operands.argument, "argument", ARGUMENTS, Varies.ARGUMENT),
        (operands.width, "width", WIDTHS, Varies.WIDTH),
    ):
        value = text.rpartition(" ")[2]
        if not value or (field == "width" and value in widths):
            continue
        if is_constant(value):
            numbers[field] = int(value)
        else:
            given_by_threads |= flag
            before += _leave(array, "i32", value, f"{name}.{field}")
    place = operands.place._replace(
        varies=given_by_threads,
        mask=numbers.get("mask", 0),
        argument=numbers.get("argument", 0),
        width=numbers.get("width", WARP_WIDTH),
    )
    before += arrival(number, name[1:])
    return Suspension(place, before, _result(line, name))


def _result(line: str, name: str) -> str:
    """Write what makes the result of a call from the exchange."""
    item = instruction(line)
    if item is None or not item.result:
        return ""
    kind = "i64" if " i64 @" in line else "i32"
    found = address(RESULTS, 64, f"{name}.result")
    return f"{found}  {item.result} = load {kind}, ptr {name}.result, align 8\n"


def split(code: str) -> tuple[str, str, list[Place]]:
    """Make every call at which a thread waits a suspension; a function body without braces.

    Return the static allocas, the rest, and the places.
    """
    allocas: list[str] = []
    lines: list[str] = []
    block = ""  # label of the basic block at hand, as the source has it
    tails: dict[str, str] = {}  # block -> label of its last part after splitting
    places: list[Place] = []
    entry = ""
    widths = warp_sizes(code)
    for line in code.split("\n"):
        started = label(line)
        if started:
            block = started
            entry = entry or block
        elif not block and line.strip():
            raise Unfit("its first block has no name")
        allocated = variable(instruction(line)) if " = alloca " in line else None
        if allocated:
            if block != entry or allocated.elements.startswith("%"):
                raise Unfit("it allocates a variable amount of stack")
            allocas.append(line)
        elif " call " in line and callee(line) in CUT_AT:
            count = len(places) + 1
            cut = suspension(line, count, widths)
            places.append(cut.place)
            lines += [
                f"{cut.before}  %coro.at.{count} = call i8 @llvm.coro.suspend(token none, i1 false)",
                f"  switch i8 %coro.at.{count}, label %coro.suspended "
                f"[ i8 0, label %coro.after.{count} i8 1, label %coro.cleanup ]",
                f"coro.after.{count}:\n{cut.after}".rstrip("\n"),
            ]
            tails[block] = f"coro.after.{count}"
        elif is_return(line):
            lines.append("  br label %coro.finished")
        else:
            lines.append(line)
    text = "\n".join(lines)
    for name, tail in tails.items():
        # control now leaves the block from its last part
        text = replace_incoming(text, name, tail)
    return "\n".join(allocas), f"  br label %{entry}\n{text}", places


def can_be_cut(kernel: str, calls: Mapping[str, frozenset[str]], suspends: frozenset[str]) -> bool:
    """Whether everything that may suspend a thread stands in the kernel itself, and is one of CUT_AT."""
    own = calls[kernel]
    if INDIRECT in own or not own.isdisjoint(suspends - CUT_AT):
        return False
    for called in own - CUT_AT:
        reached = {called, *reachable(called, calls)}
        if INDIRECT in reached or not reached.isdisjoint(suspends):
            return False
        # it would read threadIdx from the context, which the driver does not keep up to date
        if any(not calls.get(name, frozenset()).isdisjoint(THREAD_INDICES) for name in reached):
            return False
    return True
