"""Grid-stride loops as loops over rows of threads.

    for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) ...

What block b does in iteration k is what block b + k * gridDim.x would do in the first one. So a row of threads can
run the body once without the loop, again and again with another blockIdx.x, and LLVM vectorises each run across the
threads. That holds if the kernel does nothing else with blockIdx.x, carries nothing but i from one iteration to the
next, and leaves the loop at its end only. When the bounds check does not hold for the whole row, or i might soon not
fit into 31 bits, the row goes on with the kernel as it is, loop included, from the blockIdx.x that was reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..ir.blocks import Block, blocks, branch, incoming, is_phi, label, without_incoming
from ..ir.instructions import (
    Compare,
    Instruction,
    assignments,
    binary,
    cast,
    compare,
    instruction,
    is_constant,
    is_pure,
    is_return,
)

if TYPE_CHECKING:
    from .bounds_check import BoundsCheck

_BLOCK, _GRID, _SIZE, _THREAD = (f"%musa.{name}_x" for name in ("block_idx", "grid_dim", "block_dim", "thread_idx"))
_INVERSE = {
    "sge": "slt",
    "uge": "ult",
    "slt": "sge",
    "ult": "uge",
    "sgt": "sle",
    "ugt": "ule",
    "sle": "sgt",
    "ule": "ugt",
}
#: value -> how often it is in a sum; products are tuples of their factors
_Sum = Counter[tuple[str, ...]]


class GridRows(NamedTuple):
    """A kernel whose grid-stride loop can be run row by row."""

    once: str  # the kernel's code without the bounds check and without the way back of its loop
    row: str  # what blockIdx.x is multiplied with: blockDim.x, or a number


def find(code: str, check: BoundsCheck | None) -> GridRows | None:
    """Take a kernel's code (with indices as parameters, braces included) apart; None if it has another shape."""
    if check is None or _GRID not in code:
        return None
    parts = blocks(code)
    numbers = _Numbers({item.result: item for item in assignments(code)})
    for loop in _loops(parts):
        row = _row(parts, loop, numbers, check)
        if row:
            return GridRows(_straightened(check.without, parts, loop), row)
    return None


class _Loop(NamedTuple):
    """Blocks that can only be entered through the header, with one way back to it."""

    header: str
    latch: str
    blocks: frozenset[str]


def _loops(parts: Mapping[str, Block]) -> list[_Loop]:
    before: dict[str, set[str]] = {name: set() for name in parts}
    for name, block in parts.items():
        for target in block.successors:
            before[target].add(name)
    found: list[_Loop] = []
    for header, block in parts.items():
        lines = [line for line in block.lines if is_phi(line)]
        for latch in {name for line in lines for _, name in incoming(line)} if len(before[header]) == 2 else ():
            body = {header}
            todo = [latch]
            while todo:
                name = todo.pop()
                if name not in body:
                    body.add(name)
                    todo += before[name]
            if before[header] - body:  # control comes from outside as well, and to the header only
                found.append(_Loop(header, latch, frozenset(body)))
    return [loop for loop in found if all(before[name] <= loop.blocks for name in loop.blocks - {loop.header})]


def _row(parts: Mapping[str, Block], loop: _Loop, numbers: _Numbers, check: BoundsCheck) -> str:
    """Return by what the loop's index advances per block; empty if the loop does not fit."""
    latch = loop.latch
    end = branch(parts[latch].lines[-1])
    entry = next(iter(parts))
    start = numbers.of(check.compared.left)
    if end is None or entry in loop.blocks or not _only_exit(parts, loop, latch):
        return ""
    row = next((row for row in (*_factors(start),) if start == _index(row)), "")
    advanced = start + _times_row(_GRID, row)
    if not row or not _advances(parts, loop, latch, numbers, start, advanced):
        return ""
    # in an iteration each of them is what `start` would be in another block
    indices = {item.result: start for line in parts[loop.header].lines if is_phi(line) and (item := instruction(line))}
    if not _is_same_check(end, loop, _Numbers(numbers.made, indices), advanced, check):
        return ""
    before = [block for name, block in parts.items() if name not in loop.blocks and not _only_returns(block)]
    if not all(_is_harmless(line) for block in before for line in block.lines):
        return ""
    return "" if _uses_block(parts, loop) else row


def _factors(start: _Sum) -> list[str]:
    """Return what blockIdx.x is multiplied with in a sum."""
    return [
        " ".join(name for name in factors if name != _BLOCK) or str(count)
        for factors, count in start.items()
        if _BLOCK in factors
    ]


def _times_row(name: str, row: str) -> _Sum:
    return Counter({(name,): int(row)}) if is_constant(row) else Counter({tuple(sorted((name, row))): 1})


def _index(row: str) -> _Sum:
    """Return blockIdx.x * row + threadIdx.x, if a row is what one can be."""
    return _times_row(_BLOCK, row) + Counter({(_THREAD,): 1}) if row == _SIZE or row.isdigit() else Counter()


def _only_exit(parts: Mapping[str, Block], loop: _Loop, latch: str) -> bool:
    """Whether the loop is left at its latch only, and the kernel then returns."""
    outside = [(name, target) for name in loop.blocks for target in parts[name].successors if target not in loop.blocks]
    return [name for name, _ in outside] == [latch] and _only_returns(parts[outside[0][1]])


def _only_returns(block: Block) -> bool:
    return len(block.lines) == 1 and is_return(block.lines[0])


def _is_harmless(line: str) -> bool:
    item = instruction(line)
    return item is not None and (item.opcode in ("br", "phi") or (bool(item.result) and is_pure(item, "__musa_sim_")))


def _is_same_check(
    end: tuple[str, str, str], loop: _Loop, numbers: _Numbers, advanced: _Sum, check: BoundsCheck
) -> bool:
    """Whether the loop goes on if the bounds check holds for the next index."""
    item = numbers.made.get(end[0])
    compared = compare(item) if item else None
    if compared is None:
        return False
    if end[1] != loop.header:
        compared = Compare(_INVERSE.get(compared.predicate, ""), compared.type, compared.left, compared.right)
    compared = compared.with_index_left()
    if compared.predicate != check.compared.predicate or numbers.of(compared.left) != advanced:
        return False
    signed = compared.predicate == "slt"
    return numbers.plain(compared.right, signed) == numbers.plain(check.compared.right, signed)


def _advances(
    parts: Mapping[str, Block], loop: _Loop, latch: str, numbers: _Numbers, start: _Sum, advanced: _Sum
) -> bool:
    """Whether the loop carries only its index, which begins as the first one does and advances by the grid's size."""
    for line in parts[loop.header].lines:
        if not is_phi(line):
            continue
        item = instruction(line)
        ways = {block: value for value, block in incoming(line)}
        if item is None or len(ways) != 2 or latch not in ways:
            return False
        following = ways.pop(latch)
        (first,) = ways.values()
        step = advanced - start
        if numbers.of(first) != start or numbers.of(following) != Counter({(item.result,): 1}) + step:
            return False
    return True


def _uses_block(parts: Mapping[str, Block], loop: _Loop) -> bool:
    """Whether the loop uses blockIdx.x, or what was made of it before, other than as its index."""
    made = {_BLOCK}
    outside = [line for name, block in parts.items() if name not in loop.blocks for line in block.lines]
    items = [item for item in map(instruction, outside) if item is not None and item.result]
    while True:
        more = {item.result for item in items if not made.isdisjoint(item.uses)}
        if more <= made:
            break
        made |= more
    return any(
        not made.isdisjoint(item.uses)
        for name in loop.blocks
        for line in parts[name].lines
        if not (name == loop.header and is_phi(line)) and (item := instruction(line)) is not None
    )


class _Numbers:
    """Values as sums of products of other values. Conversions to wider types count as nothing: i fits into 31 bits."""

    def __init__(self, made: Mapping[str, Instruction], known: Mapping[str, _Sum] | None = None) -> None:
        self.made = made
        self._known = known or {}

    def of(self, value: str, depth: int = 12) -> _Sum:
        if value in self._known:
            return self._known[value]
        if is_constant(value):
            return Counter({(): int(value)}) if value.lstrip("-").isdigit() else Counter({(value,): 1})
        item = self.made.get(value)
        taken = binary(item) if item and item.opcode in ("add", "mul", "shl", "or") else None
        if item and item.opcode in ("zext", "sext") and depth:
            widened = cast(item)
            return self.of(widened.value, depth - 1) if widened else Counter({(value,): 1})
        if item is None or taken is None or not depth:
            return Counter({(value,): 1})
        left, right = self.of(taken.left, depth - 1), self.of(taken.right, depth - 1)
        if item.opcode == "add" or item.text.startswith("or disjoint "):
            return _without_zeros(left + right)
        if item.opcode == "mul":
            return _times(left, right)
        if item.opcode == "shl" and is_constant(taken.right):
            return _times(left, Counter({(): 1 << int(taken.right)}))
        return Counter({(value,): 1})

    def plain(self, value: str, signed: bool) -> str:
        """Return what a value is before it was widened in the way that keeps its order."""
        item = self.made.get(value)
        widened = cast(item) if item and item.opcode == ("sext" if signed else "zext") else None
        return self.plain(widened.value, signed) if widened else value


def _times(left: _Sum, right: _Sum) -> _Sum:
    result: _Sum = Counter()
    for one, count in left.items():
        for other, times in right.items():
            result[tuple(sorted((*one, *other)))] += count * times
    return _without_zeros(result)


def _without_zeros(numbers: _Sum) -> _Sum:
    return Counter({name: count for name, count in numbers.items() if count})


def _straightened(code: str, parts: Mapping[str, Block], loop: _Loop) -> str:
    """Return the code without the loop's way back."""
    latch = loop.latch
    leave = next(target for target in parts[latch].successors if target not in loop.blocks)
    lines: list[str] = []
    block = next(iter(parts))
    for line in code.split("\n"):
        block = label(line) or block
        if block == latch and branch(line) is not None:
            line = f"  br label %{leave}"
        elif block == loop.header and is_phi(line):
            line = without_incoming(line, latch)
        lines.append(line)
    return "\n".join(lines)
