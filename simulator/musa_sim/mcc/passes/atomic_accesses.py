"""Choose which accesses are atomic: more than the program says in memory that blocks share, fewer in shared memory.

**Whole accesses.** A GPU reads and writes an aligned float4, int2 or uchar4 at once. Programs rely on it: cub's
decoupled look-back has a status and a value in one such word. clang copies these classes by llvm.memcpy. LLVM takes
the copy apart into the members, and a thread of another block may see half of it. LLVM never takes an atomic access
apart. Its weakest kind, `unordered`, promises nothing else. Intel and AMD say that an aligned access to a vector of 16
bytes is atomic on every CPU with AVX. Without AVX this holds for 8 bytes, and each half of 16 bytes is one access.

A larger class is copied in parts, each as large as the alignment of the class, as on GPUs. A kernel without any atomic
or volatile access or fence is not changed. Its threads may not race (thread_independence.py), and LLVM makes vectors
of a loop over threads only if it has no atomic accesses.

**Atomic operations on shared memory** become plain ones. A block runs on one thread of the operating system, and its
shared memory belongs to that thread. No other thread can come between, and fibers switch at calls only. The
processor's locked instructions would cost some 5 ns each. An operation stays atomic if its address is not known to be
in shared memory, if it is volatile, or if it has no plain form here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..ir.blocks import Block, results_of
from ..ir.function import ATOMIC, INDIRECT, ORDERED, WIDE
from ..ir.instructions import Instruction
from ..ir.text import split_list
from ..ir.types import Parameter, byte_size, element_type
from ..runtime_abi.names import CONTEXT, DYNAMIC_SHARED_OFFSET

if TYPE_CHECKING:
    from ..ir.function import Function
    from ..ir.instructions import Access
    from ..ir.module import Module

#: bytes of the largest class that is copied by parts; double4 and longlong4 have as many
_LARGEST = 32
_BINARY = {"add", "sub", "and", "or", "xor"}
_CHOOSING = {"max": "sgt", "min": "slt", "umax": "ugt", "umin": "ult"}


def with_whole_accesses(module: Module, kernels: Collection[str], widest: int) -> Module:
    """Return a prepared module in which copies of small classes are accesses of up to `widest` bytes."""
    changed = {name: _with_whole(module.functions[name], widest) for name in _of_communicating(module, kernels)}
    return module.change_functions(changed)


def _of_communicating(module: Module, kernels: Collection[str]) -> set[str]:
    """Return the functions of all kernels in which anything is volatile, atomic or a fence."""
    names = module.functions.keys()
    communicating = {name for name, function in module.functions.items() if function.has(ORDERED)}
    found: set[str] = set()
    for kernel in kernels if communicating else ():
        reached = {kernel, *module.reached(kernel)}
        if INDIRECT in reached:
            reached.update(names)
        if not reached.isdisjoint(communicating):
            found |= reached & names
    return found


class _Side(NamedTuple):
    """The source or the target of a copy."""

    pointer: str
    align: int
    is_private: bool  # no thread of another block sees it

    def address(self, offset: int, name: str, debug: str) -> tuple[str, str]:
        """Return the address of a part, and the code that computes it."""
        if not offset:
            return self.pointer, ""
        return name, f"  {name} = getelementptr i8, ptr {self.pointer}, i64 {offset}{debug}\n"

    def words(self, offset: int, volatile: str) -> tuple[str, str]:
        """Return the words before the type and behind the address in an access to a part."""
        align = min(self.align, offset & -offset) if offset else self.align
        return ("", f", align {align}") if self.is_private else (f" atomic{volatile}", f" unordered, align {align}")


class _Addresses:
    """Says which addresses in a function are private: only the block itself uses them.

    A block runs on one thread of the operating system, so no other thread accesses the block's own variables.
    """

    def __init__(self, function: Function) -> None:
        self._made = results_of(function.blocks)
        self._own = {each.value for each in map(Parameter, function.parameters) if each.byval}

    def is_private(self, pointer: str) -> bool:
        """Return whether an address is in a variable of the function, or a static one of the block."""
        item = self._made.get(pointer)
        while item is not None and (element := item.element_address) is not None:
            pointer = element.base
            item = self._made.get(pointer)
        if item is None:
            return pointer in self._own
        return item.opcode == "alloca" or bool(item.thread_local)


def _with_whole(function: Function, widest: int) -> Function:
    if not function.has(WIDE):
        return function
    addresses, count = _Addresses(function), 0

    def whole(item: Instruction) -> Iterable[Instruction]:
        nonlocal count
        name = f"%musa.whole.{count}"
        texts = _copy(item, addresses, widest, name) if item.memory_intrinsic == "memcpy" else None
        texts = texts or (_vector(item, addresses, widest, name) if item.opcode in ("load", "store") else None)
        count += texts is not None
        return [item] if texts is None else map(Instruction, texts)

    changed = function.replacing(whole)
    return changed if count else function


def _copy(item: Instruction, addresses: _Addresses, widest: int, name: str) -> list[str] | None:
    """Return a copy of a small class as loads and stores; None if it stays as it is."""
    to, source, size, is_volatile = map(Parameter, item.arguments)
    if not size.value.isdigit() or not 1 < int(size.value) <= _LARGEST or not (to.pointer and source.pointer):
        return None
    sides = [_Side(each.pointer, each.align, addresses.is_private(each.pointer)) for each in (source, to)]
    align = min((side.align for side in sides if not side.is_private), default=1)
    if align < 2:
        return None
    volatile = " volatile" if is_volatile.value == "true" else ""
    return [
        line
        for offset, part in _parts(int(size.value), min(align, widest))
        for line in _moved(sides, offset, part, volatile, f"{name}.{offset}", item.debug_words)
    ]


def _parts(size: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the offset and the size of each part; no part is larger than `most` bytes."""
    offset = 0
    while offset < size:
        part = min(most, 1 << (size - offset).bit_length() - 1)
        yield offset, part
        offset += part


def _moved(sides: list[_Side], offset: int, part: int, volatile: str, name: str, debug: str) -> list[str]:
    (source, first), (to, second) = (
        side.address(offset, f"{name}.{which}", debug) for side, which in zip(sides, ("from", "to"))
    )
    (load, behind), (store, at) = (side.words(offset, volatile) for side in sides)
    kind = f"i{8 * part}"
    return [
        *(text.rstrip("\n") for text in (first, second) if text),
        f"  {name} = load{load} {kind}, ptr {source}{behind}{debug}",
        f"  store{store} {kind} {name}, ptr {to}{at}{debug}",
    ]


def _vector(item: Instruction, addresses: _Addresses, widest: int, name: str) -> list[str] | None:
    """Return an access to a vector or an i128 as one that stays whole; None if LLVM keeps it whole anyway."""
    found = item.access
    if found is None or not _may_split(found, widest) or addresses.is_private(found.pointer):
        return None
    kind, debug = f"i{8 * byte_size(found.type)}", item.debug_words
    where = f"ptr {found.pointer} unordered, align {found.align}{debug}"
    if found.opcode == "load":
        return [f"  {name} = load atomic {kind}, {where}", _cast(item.result, kind, name, found.type, debug)]
    value = found.operands[1][len(found.type) + 1 :]
    return [_cast(name, found.type, value, kind, debug), f"  store atomic {kind} {name}, {where}"]


def _may_split(found: Access, widest: int) -> bool:
    size = byte_size(found.type)
    is_vector = found.type == "i128" or (found.type.startswith("<") and element_type(found.type) is not None)
    # LLVM keeps a volatile access whole if the CPU has an instruction for it
    is_plain = not (found.is_atomic or found.is_volatile or found.is_whole) and bool(found.pointer)
    return is_plain and is_vector and 1 < size <= min(widest, found.align) and size & (size - 1) == 0


def _cast(result: str, kind: str, value: str, target: str, debug: str) -> str:
    return f"  {result} = bitcast {kind} {value} to {target}{debug}"


def plain_shared_atomics(module: Module) -> Module:
    """Return an optimised module with plain operations in place of the atomic ones on shared memory."""
    shared = frozenset(module.shared_variables)
    changed: dict[str, Function | None] = {
        name: _with_plain(function, shared) for name, function in module.functions.items() if function.has(ATOMIC)
    }
    return module.change_functions(changed)


def shared_addresses(made: Mapping[str, Instruction], shared: frozenset[str]) -> frozenset[str]:
    """Return the values of a function that are addresses in shared memory; a phi or a select is not looked through."""
    found: set[str] = set()
    for item in made.values():
        base = _origin(item, made)
        if base is not None and (_is_static(base, shared) or _is_dynamic(base, made)):
            found.add(item.result)
    return frozenset(found)


def _origin(item: Instruction, made: Mapping[str, Instruction]) -> Instruction | None:
    """Return the array that an address is an element of; the instruction itself if it computes no element."""
    here: Instruction | None = item
    while here is not None and (address := here.element_address) is not None:
        here = made.get(address.base)
    return here


def _is_static(item: Instruction, shared: frozenset[str]) -> bool:
    return item.thread_local in shared


def _is_dynamic(item: Instruction, made: Mapping[str, Instruction]) -> bool:
    """Whether an instruction reads where the launch's dynamic shared memory is."""
    read = item.access
    if read is None or read.opcode != "load" or read.type != "ptr":
        return False
    field = made.get(read.pointer)
    address = field.element_address if field else None
    if address is None or (address.type, address.indices) != ("i8", (str(DYNAMIC_SHARED_OFFSET),)):
        return False
    context = made.get(address.base)
    return context is not None and f"@{CONTEXT})" in context.body


def _with_plain(function: Function, variables: frozenset[str]) -> Function:
    shared = shared_addresses(results_of(function.blocks), variables)
    line = 0  # names are made of it

    def plain(item: Instruction) -> list[Instruction]:
        found = item.access
        if found is None or found.is_volatile or found.pointer not in shared or not (found.is_atomic or found.is_whole):
            return [item]
        made = _PLAIN[found.opcode](item, found, f"%musa.atomic.{line}")
        return [Instruction(text) for text in made] or [item]

    blocks: list[Block] = []
    for block in function.blocks if shared else ():
        line += block.head.count("\n")
        items: list[Instruction] = []
        for item in block.instructions:
            line += 1 + item.text.count("\n")
            items += plain(item)
        blocks.append(block.with_instructions(items))
    return function.with_blocks(blocks) if shared else function


def _load(item: Instruction, found: Access, _: str) -> list[str]:
    return [f"  {item.result} = load {found.type}, ptr {found.pointer}, align {found.align}"]


def _store(_: Instruction, found: Access, __: str) -> list[str]:
    return [f"  store {found.operands[1]}, ptr {found.pointer}, align {found.align}"]


def _update(item: Instruction, found: Access, name: str) -> list[str]:
    result, kind, value = item.result, found.type, _value(found.operands[1])
    if found.operation in _BINARY:
        made = [f"  {name} = {found.operation} {kind} {result}, {value}"]
    elif found.operation in _CHOOSING:
        made = [
            f"  {name}.is = icmp {_CHOOSING[found.operation]} {kind} {result}, {value}",
            f"  {name} = select i1 {name}.is, {kind} {result}, {kind} {value}",
        ]
    elif found.operation == "xchg":
        made, name = [], value
    else:
        return []
    where = f"ptr {found.pointer}, align {found.align}"
    return [f"  {result} = load {kind}, {where}", *made, f"  store {kind} {name}, {where}"]


def _swap(item: Instruction, found: Access, name: str) -> list[str]:
    kind, where = found.type, f"ptr {found.pointer}, align {found.align}"
    expected, new = (_value(operand) for operand in split_list(item.operands)[1:3])
    return [
        f"  {name}.old = load {kind}, {where}",
        f"  {name}.same = icmp eq {kind} {name}.old, {expected}",
        f"  {name}.new = select i1 {name}.same, {kind} {new}, {kind} {name}.old",
        f"  store {kind} {name}.new, {where}",
        f"  {name}.pair = insertvalue {{ {kind}, i1 }} poison, {kind} {name}.old, 0",
        f"  {item.result} = insertvalue {{ {kind}, i1 }} {name}.pair, i1 {name}.same, 1",
    ]


def _value(operand: str) -> str:
    """Return the value of an operand: a type of one word comes before it, and an ordering may come behind it."""
    return operand.split(" ")[1]


_PLAIN: dict[str, Callable[[Instruction, Access, str], list[str]]] = {
    "load": _load,
    "store": _store,
    "atomicrmw": _update,
    "cmpxchg": _swap,
}
