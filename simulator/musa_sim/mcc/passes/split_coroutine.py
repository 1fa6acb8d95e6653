"""Read what LLVM's split makes of a coroutine: a function that starts it, and one that resumes it.

Both get the address of the *frame*, the memory that holds the coroutine's values. One field of the frame is the
*state*: LLVM's own number of where to resume. It differs from the number of the *suspend point*, which mcc chose. A
thread stores that one in the mailbox, just before LLVM's code stores the state.

No pass may have run since the split. Only then does each access to the frame compute the address of a field and load or
store it once; only then is each field the spill slot of one value, and has each suspend point a state of its own. An
optimiser makes one load of two, from an address that a phi chooses, and gives it the name of either.

If all fields are spill slots, there is no frame then: the slots lie in columns (spilled_values.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..ir.blocks import Block, by_name, without_unreachable
from ..ir.instructions import Instruction
from ..ir.text import last_word, pattern_of_names, replace_names
from ..ir.types import Parameter, byte_size, plain_size
from ..runtime_abi.split_kernels import MAX_THREADS
from .spilled_values import Column, FieldAccess, share_slots

if TYPE_CHECKING:
    from ..ir.function import Function

#: The rank of a thread in its block, of type i64: the last parameter of the code that starts it, if there are columns.
RANK = "%musa.rank"

#: the uses of the address of a frame, besides taking addresses of fields
_HARMLESS = frozenset(("icmp", "phi", "ret"))


class SplitCoroutine(NamedTuple):
    """A coroutine that has been split."""

    frame_size: int  # 0 if there are columns
    alignment: int
    columns: int  # bytes of the columns, for a block of MAX_THREADS; 0 if there are none
    columns_without_state: int
    frame: str  # the name of the address of the frame, or of the columns, in the code that resumes
    start: Function
    resume: Sequence[Block]  # the code that resumes it, at any suspend point
    start_without_state: Function
    resume_without_state: Sequence[Block]
    has_variables: bool  # whether a field is used by its address, in other ways than to load or store it
    switch: str  # the block that ends in a switch on the state; empty if there is one suspend point only
    targets: Mapping[int, str]  # the block to which it leads for each suspend point; empty if that is not known

    def resume_at(self, point: int) -> Sequence[Block]:
        """Return the code that resumes it at a suspend point."""
        if not self.switch:
            return self.resume_without_state
        always = Instruction(f"  br label {self.targets[point]}")
        return without_unreachable(
            [
                block.with_instructions([*block.instructions[:-1], always]) if block.name == self.switch else block
                for block in self.resume_without_state
            ]
        )


def split_coroutine(start: Function, resume: Function, passed: Mapping[str, str], exited: int) -> SplitCoroutine | None:
    """Read the two functions of a coroutine; None if they do not look as expected.

    `passed`: the parameters of `start` that the caller passes to `resume` as well, with their names there. The result
    does not keep them in the frame. `exited`: the number that a thread stores when it exits.
    """
    parameters = list(map(Parameter, start.parameters))
    address = Parameter(resume.parameters[0]).value
    layout = _frame_layout(start.blocks, parameters[1].value)
    begins, resumes = _Code.read(start.blocks, parameters[0].value), _Code.read(resume.blocks, address)
    if layout is None or begins is None or resumes is None:
        return None
    types = {parameter.value: parameter.type for parameter in parameters if parameter.value in passed}
    held = _parameter_fields(begins, resumes, types)
    own = {use.value: held[use.field] for use in begins.loads if use.field in held}
    values = {use.value: passed[held[use.field]] for use in resumes.loads if use.field in held}
    resumption = _resumption(begins, resumes, exited)
    state = resumption.state
    read = {use.field for part in (begins, resumes) for use in part.loads} | begins.variables | resumes.variables
    with_state, without_state = read - held.keys(), read - held.keys() - {state}
    columns = _columns(begins, resumes, resumption, without_state)
    if columns is None:
        frame_size, alignment = layout
    else:
        frame_size, alignment = 0, 1
        start = start.with_parameters([f"ptr noalias {parameters[0].value}", *start.parameters[1:], f"i64 {RANK}"])
    columns = columns or {}
    return SplitCoroutine(
        frame_size=frame_size,
        alignment=alignment,
        columns=max((column.end for column in columns.values()), default=0),
        columns_without_state=max((columns[field].end for field in columns.keys() - {state}), default=0),
        frame=address,
        start=start.with_blocks(begins.using(with_state, own, columns)),
        resume=resumes.using(with_state, values, columns),
        start_without_state=start.with_blocks(begins.using(without_state, own, columns)),
        resume_without_state=resumes.suspending_at(state).using(without_state, values, columns),
        has_variables=bool(begins.variables | resumes.variables),
        switch=resumption.switch,
        targets=resumption.targets,
    )


def _frame_layout(start: Sequence[Block], parameter: str) -> tuple[int, int] | None:
    """Return the size and the alignment of a frame; None if they are not found.

    The function that starts the coroutine stores both where `parameter` points (coroutines.py).
    """
    numbers: dict[str, str] = {}
    second = ""
    for block in start:
        for item in block.instructions:
            address = item.element_address if parameter in item.uses else None
            if address and (address.base, address.indices) == (parameter, ("8",)):
                second = item.result
            elif item.opcode == "store" and item.operands.startswith("i64 ") and item.access:
                numbers.setdefault(item.access.pointer, last_word(item.access.operands[1]))
    size, align = numbers.get(parameter, ""), numbers.get(second, "")
    return (int(size), int(align)) if size.isdigit() and align.isdigit() else None


class _Use(NamedTuple):
    """An instruction that takes the address of a field, loads the field or stores it."""

    item: Instruction
    opcode: str
    field: str
    value: str  # the result, or the value that is stored
    type: str  # the type of the value that is loaded or stored

    @property
    def is_address(self) -> bool:
        """Whether it takes the address."""
        return not self.type


class _Code(NamedTuple):
    """A function's code, and its uses of the frame."""

    blocks: Sequence[Block]
    uses: tuple[_Use, ...]
    variables: frozenset[str]  # the fields whose addresses are used in other ways

    @classmethod
    def read(cls, blocks: Sequence[Block], frame: str) -> _Code | None:
        """Read a function's code; `frame` is the name of the frame's address.

        None if the code uses that address for anything else than to compute addresses of fields.
        """
        # an instruction that uses an address says so: the others need not be taken apart
        items = [item for block in blocks for item in block.instructions if "ptr" in item.text]
        fields: dict[str, str] = {}
        uses: list[_Use] = []
        for item in items:
            if frame not in item.uses:
                continue
            address = item.element_address
            if address and address.base == frame and len(address.indices) == 2 and address.indices[0] == "0":
                fields[item.result] = address.indices[1]
                uses.append(_Use(item, item.opcode, address.indices[1], item.result, ""))
            elif item.opcode not in _HARMLESS:
                return None
        variables: set[str] = set()
        for item in items:
            used = [name for name in item.uses if name in fields]
            if not used:
                continue
            found = item.access
            if found and found.opcode in ("load", "store") and used == [found.pointer]:
                value = item.result or last_word(found.operands[1])
                uses.append(_Use(item, item.opcode, fields[found.pointer], value, found.type))
            else:
                variables.update(fields[name] for name in used)
        return cls(blocks, tuple(uses), frozenset(variables))

    @property
    def loads(self) -> list[_Use]:
        """The instructions that load a field."""
        return [use for use in self.uses if use.opcode == "load"]

    @property
    def stores(self) -> list[_Use]:
        """The instructions that store a field."""
        return [use for use in self.uses if use.opcode == "store"]

    def suspending_at(self, field: str) -> _Code:
        """Return the code with a return right after each store of a field, the state.

        LLVM returns later, in a block that all suspend points share. By that block, the code before each suspend point
        seems to lead to the code after all of them.
        """
        stores = {use.item for use in self.stores if use.field == field}

        def exited(block: Block) -> Block:
            at = next((at for at, item in enumerate(block.instructions) if item in stores), None)
            if at is None:
                return block
            return block.with_instructions([*block.instructions[: at + 1], Instruction("  ret void")])

        return self._replace(blocks=tuple(map(exited, self.blocks)))

    def using(self, fields: Collection[str], values: Mapping[str, str], columns: Mapping[str, Column]) -> list[Block]:
        """Return the code without the uses of other fields, and with some values replaced.

        `columns`: where the fields are; those that are not given stay where LLVM put them.
        """
        dropped = {use.item for use in self.uses if use.field not in fields}
        moved = {use.item: columns[use.field] for use in self.uses if use.is_address and use.field in columns}
        named = pattern_of_names(values) if values else None

        def changed(item: Instruction) -> Instruction:
            if item in moved:
                return _slot_address(item, moved[item])
            return Instruction(replace_names(item.text, values)) if named and named.search(item.text) else item

        return [
            block.with_instructions([changed(item) for item in block.instructions if item not in dropped])
            for block in self.blocks
        ]


def _parameter_fields(start: _Code, resume: _Code, types: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that hold parameters, each with its parameter.

    The function that starts the coroutine stores the parameter in such a field. There is no other store to the field,
    and it is only loaded as a whole. So it holds the parameter, whatever name LLVM gave it.
    """
    stores = Counter(use.field for part in (start, resume) for use in part.stores)
    held = {use.field: use.value for use in start.stores if types.get(use.value) == use.type and stores[use.field] == 1}
    loads = (use for part in (start, resume) for use in part.loads)
    misread = {use.field for use in loads if use.type != types.get(held.get(use.field, ""))}
    unfit = misread | start.variables | resume.variables
    return {field: name for field, name in held.items() if field not in unfit}


def _slot_address(item: Instruction, column: Column) -> Instruction:
    """Return the instruction that takes the address of this thread's slot instead of that of a field."""
    address = item.element_address
    kind = f"{{ [{column.offset} x i8], [{MAX_THREADS} x [{column.size} x i8]] }}"
    base = address.base if address else ""
    return Instruction(f"  {item.result} = getelementptr inbounds {kind}, ptr {base}, i64 0, i32 1, i64 {RANK}")


def _columns(start: _Code, resume: _Code, found: _Resumption, fields: Collection[str]) -> dict[str, Column] | None:
    """Return where to keep these fields, and the state behind them.

    None if they stay in a frame: if one is a variable or of a type whose size only LLVM knows, or if it is not known
    where the coroutine continues.
    """
    if not found.targets or start.variables or resume.variables:
        return None
    accesses: dict[Instruction, FieldAccess] = {}
    sizes: dict[str, int] = {}
    kept = {*fields, found.state}
    for use in (*start.uses, *resume.uses):
        if use.is_address or use.field not in kept:
            continue
        size = _slot_size(use)
        if not size or sizes.setdefault(use.field, size) != size:
            return None
        if use.field != found.state:
            accesses[use.item] = FieldAccess(use.field, use.opcode == "load", size)
    suspends = [use for use in (*start.stores, *resume.stores) if use.field == found.state]
    columns = share_slots(
        start.suspending_at(found.state).blocks,
        resume.suspending_at(found.state).blocks,
        accesses,
        {use.item: found.by_state[use.value].removeprefix("%") for use in suspends},
    )
    if found.state:
        end = max((column.end for column in columns.values()), default=0)
        columns[found.state] = Column(end, sizes[found.state])
    return columns


def _slot_size(use: _Use) -> int:
    """Return the bytes of a slot for the value that is loaded or stored; 0 if that is not known."""
    # neighbours in an array may be farther apart than their sizes
    size = plain_size(use.type) if use.type.startswith("[") else byte_size(use.type)
    access = use.item.access
    align = access.align if access else 0
    # columns begin at cache lines
    return -(-size // align) * align if 0 < align <= 64 else 0


class _Resumption(NamedTuple):
    """How a coroutine finds the code to go on with."""

    switch: str = ""  # the block that ends in a switch on the state; empty if there is one suspend point only
    state: str = ""  # the field that holds the state
    by_state: Mapping[str, str] = {}  # the block to which the switch leads for each state
    targets: Mapping[int, str] = {}  # the same for each suspend point; empty if that is not known


def _resumption(start: _Code, resume: _Code, exited: int) -> _Resumption:
    """Return the block that chooses where to resume, the field of the state, and the block for each suspend point.

    The function that resumes begins with a switch on the state:

        %index = load i2, ptr %index.addr
        switch i2 %index, label %unreachable [ i2 0, label %resume.0
                                               i2 1, label %resume.1 ]

    At suspend point 7 a thread stores 7, and then the state in the same block or in the next one:

        store i8 7, ptr %coro.7.point
        store i2 1, ptr %index.addr

    So suspend point 7 resumes at %resume.1. No blocks are returned unless each suspend point has one state of its own.
    """
    loaded = {use.value: use.field for use in resume.loads}
    switch, state, labels = "", "", dict[str, str]()
    for block in resume.blocks:
        value, cases = block.instructions[-1].cases if block.instructions else ("", {})
        if value in loaded:
            switch, state, labels = block.name, loaded[value], cases
            break
    points: dict[str, set[str]] = {}
    states: set[str] = set()
    for part in (start, resume):
        stored = {use.item: use.value for use in part.stores if use.field == state}
        states.update(stored.values())
        parts = by_name(part.blocks)
        for block in parts.values():
            for point in filter(None, map(_stored_number, block.instructions)):
                near = [block, *(parts[name] for name in block.successors)]
                following = [stored[item] for each in near for item in each.instructions if item in stored]
                points.setdefault(point, set()).update(following or [""])
    points.pop(str(exited), None)
    if not all(map(str.isdigit, points)):
        return _Resumption()
    if len(points) == 1 and not states:
        return _Resumption(targets={int(point): "" for point in points})
    by_number = {int(point): labels.get(at.pop(), "") for point, at in points.items() if len(at) == 1}
    targets = set(by_number.values())
    if switch and "" not in targets and len(targets) == len(states) == len(points):
        return _Resumption(switch, state, labels, by_number)
    return _Resumption()


def _stored_number(item: Instruction) -> str:
    """Return the number of the suspend point that an instruction stores in the mailbox; empty for any other."""
    found = item.access if item.opcode == "store" else None
    if found is None or found.type != "i8":
        return ""
    pointer, dot, rest = found.pointer.removeprefix("%coro.").partition(".point")
    is_store = dot and (pointer.isdigit() or pointer == "end") and (not rest or rest.isdigit())
    return last_word(found.operands[1]) if is_store and found.pointer.startswith("%coro.") else ""
