"""Make LLVM spill, at a suspend point, values that it would otherwise rematerialise after it.

When LLVM splits a coroutine, it keeps few values in the frame: it computes a value again from its operands, if it can.
That is good for an index. It is bad for a sum to which each shuffle adds a term, in all lanes or in some: after each
shuffle the whole sum would be computed again, and the frame would hold all terms. So such a value passes through a call
of a function that LLVM does not know, the mark. The marks are removed after the split.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from ..ir.blocks import Block, results_of
from ..ir.instructions import Instruction
from ..ir.text import bare, leading_type, local_name, split_list
from ..ir.types import integer_bits

if TYPE_CHECKING:
    from ..ir.module import Module

_MARK = "__musa_sim_spill_"
#: instructions that LLVM rematerialises
_REPEATED = {"select", "icmp", "fcmp", "zext", "sext", "trunc", "bitcast", "sitofp", "uitofp", "fptosi", "fptoui"} | {
    *("fpext", "fptrunc", "fneg", "freeze"),
}
_SOURCES = {"load", "phi", "call", "extractvalue"}
_FLOATS = ("float", "double", "half", "bfloat")


def mark_spilled(blocks: Sequence[Block], split_at: Collection[str]) -> tuple[list[Block], frozenset[str]]:
    """Return a function's blocks with the values marked that must be spilled, and the types of these values.

    `split_at`: the functions whose calls become suspend points.
    """
    made = results_of(blocks)
    where: dict[str, int] = {}
    used: dict[str, set[int]] = {}
    segment = 0
    for block in blocks:
        segment += 1
        for item in block.instructions:
            segment += item.callee in split_at
            for name in item.uses:
                # a phi reads a value in the block that control comes from; most of its integers are indices
                if not item.is_phi or item.operands.startswith(_FLOATS):
                    used.setdefault(name, set()).add(segment)
            if item.result:
                where[item.result] = segment
    chosen: dict[str, str] = {}
    depends: dict[str, bool] = {}
    for name, item in made.items():
        kind = _computed_type(item)
        if not _is_number(kind):
            continue
        if used.get(name, set()) <= {where[name]}:
            continue
        if kind in _FLOATS or _depends(name, made, depends):
            chosen[name] = kind
    marked = [
        block.with_instructions([each for item in block.instructions for each in _marked(item, chosen)])
        for block in blocks
    ]
    return marked, frozenset(chosen.values())


def _computed_type(item: Instruction) -> str:
    """Return the type of the result of an arithmetic instruction or a select; empty for any other instruction."""
    if item.opcode == "select":
        return leading_type(split_list(item.operands)[1])
    return item.binary.type if item.binary else ""


def _is_number(kind: str) -> bool:
    """Return whether a type is an integer, or floating point of at most 64 bits."""
    return bool(integer_bits(kind)) or kind in _FLOATS


def _depends(name: str, made: Mapping[str, Instruction], known: dict[str, bool]) -> bool:
    """Whether a value is computed from one that a load, a phi or a call brought."""
    if name not in known:
        known[name] = False
        item = made.get(name)
        if item is not None:
            repeated = item.binary is not None or item.opcode in _REPEATED
            known[name] = any(_depends(use, made, known) for use in item.uses) if repeated else _is_source(item)
    return known[name]


def _is_source(item: Instruction) -> bool:
    return item.opcode in _SOURCES and not item.callee.startswith("__musa_sim_thread_idx")


def _marked(item: Instruction, chosen: Mapping[str, str]) -> list[Instruction]:
    kind = chosen.get(item.result)
    if kind is None:
        return [item]
    once = local_name(f"coro.once.{bare(item.result)}")
    return [
        Instruction(item.text.replace(f"  {item.result} = ", f"  {once} = ", 1)),
        Instruction(f"  {item.result} = call {kind} @{_MARK}{kind}({kind} {once})"),
    ]


def declare_marks(kinds: frozenset[str]) -> list[str]:
    """Declare the marks for values of these types."""
    return [
        f"declare {kind} @{_MARK}{kind}({kind}) nounwind willreturn nosync nofree memory(none)"
        for kind in sorted(kinds)
    ]


def remove_marks(module: Module) -> Module:
    """Return a module without the marks: a cast to its own type instead of each call."""

    def cast(item: Instruction) -> str:
        if not item.callee.startswith(_MARK):
            return item.text
        kind, value = item.arguments[0].split(" ")[0], item.arguments[0].split(" ")[-1]
        return f"  {item.result} = bitcast {kind} {value} to {kind}"

    changed = {
        name: function.rewrite({"call": cast})
        for name, function in module.functions.items()
        if any(called.startswith(_MARK) for called in function.calls)
    }
    kept = {name for name in module.declarations if name.startswith(_MARK)}
    return module.change_functions(changed).without_declarations(kept)
