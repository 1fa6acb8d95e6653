"""Atomic operations on shared memory as plain ones.

A block runs on one thread of the operating system, and its shared memory belongs to that thread. No other thread can
come between, and fibers switch at calls only. The processor's locked instructions would cost some 5 ns each. An
operation stays atomic if its address is not known to be in shared memory, if it is volatile, or if it has no plain form
here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..contract.names import CONTEXT, DYNAMIC_SHARED_OFFSET
from ..ir.blocks import Block, results_of
from ..ir.instructions import Instruction
from ..ir.text import bare, global_names, split_list

if TYPE_CHECKING:
    from ..ir.function import Function
    from ..ir.instructions import Access
    from ..ir.module import Module

_BINARY = {"add", "sub", "and", "or", "xor"}
_CHOOSING = {"max": "sgt", "min": "slt", "umax": "ugt", "umin": "ult"}


def plain_shared_atomics(module: Module) -> Module:
    """Return an optimised module with the atomic operations on shared memory as plain ones."""
    variables = module.variables.items()
    shared = frozenset(name for name, each in variables if each.is_thread_local and each.is_defined)
    changed: dict[str, Function | None] = {
        name: _rewritten(function, shared) for name, function in module.functions.items() if function.has_atomics
    }
    return module.change_functions(changed)


def _shared_addresses(made: Mapping[str, Instruction], shared: frozenset[str]) -> frozenset[str]:
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
    return item.callee == "llvm.threadlocal.address.p0" and bare(global_names(item.body)[-1]) in shared


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


def _rewritten(function: Function, variables: frozenset[str]) -> Function:
    shared = _shared_addresses(results_of(function.blocks), variables)
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
    """Return the value of an operand, which has a type of one word before it and maybe the ordering behind it."""
    return operand.split(" ")[1]


_PLAIN: dict[str, Callable[[Instruction, Access, str], list[str]]] = {
    "load": _load,
    "store": _store,
    "atomicrmw": _update,
    "cmpxchg": _swap,
}
