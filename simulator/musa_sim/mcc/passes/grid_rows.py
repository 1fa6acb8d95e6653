"""Rows of threads that need no bounds check, and grid-stride loops as loops over such rows.

*The bounds check* that most kernels begin with, `if (i < n)` with i = blockIdx.x * blockDim.x + threadIdx.x, is true
for every thread of every block except the last. Evaluated per thread, it keeps LLVM from vectorising across threads,
because there is no masked store before AVX. If it holds for the first and the last thread of a row, it holds for the
row, which then runs without it.

*Grid-stride loops*:

    for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) ...

Iteration k of block b does the same work as the first iteration of block b + k * gridDim.x. So a row of threads
can run the body without the loop, repeatedly, each time with another blockIdx.x, and LLVM vectorises each run across
the threads. That holds if the kernel does nothing else with blockIdx.x, carries nothing but i from one iteration to the
next, and leaves the loop at its end only. When the bounds check does not hold for the whole row, or i might soon not
fit into 31 bits, the row continues with the unchanged kernel, loop included, from the blockIdx.x that was reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..ir.blocks import Block, Loop, by_name, derived, instructions_of, loops, results_of
from ..ir.instructions import Compare, Instruction, is_constant

_BLOCK, _GRID, _SIZE, _THREAD = (f"%musa.{name}_x" for name in ("block_idx", "grid_dim", "block_dim", "thread_idx"))
#: the beginnings of the names of functions that only read an index
_OWN_FUNCTIONS = "__musa_sim_"
#: no block is longer, so a bound this far from the end of its type cannot make i wrap round in between
_LONGEST_ROW = 1024
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
#: term -> its coefficient in a sum; a term is a tuple of factors
_Sum = Counter[tuple[str, ...]]


class BoundsCheck(NamedTuple):
    """A check that holds for all threads of a row if it holds for the first and the last."""

    blocks: tuple[Block, ...]  # the first one up to the comparison, ending in `ret i1`
    without: tuple[Block, ...]  # the kernel's blocks, if the check holds
    compared: Compare  # its left side grows with the thread's index


def bounds_check(blocks: Sequence[Block]) -> BoundsCheck | None:
    """Find the check at the top of a kernel (with indices as parameters), if there is one."""
    same_as_thread = {_THREAD}
    depends_on_thread = {_THREAD}
    items = blocks[0].instructions
    for at, item in enumerate(items[:-1]):
        if not item.result:
            return None  # a store, a call or a branch on something else comes first
        compared, branch = item.compare, items[at + 1].branch
        if compared and branch and branch[0] == item.result:
            return _check(blocks, at, compared.with_index_left(), same_as_thread, depends_on_thread)
        if not item.is_pure(_OWN_FUNCTIONS):
            return None
        if _is_same_number(item, same_as_thread) or _is_base_plus_thread(item, same_as_thread, depends_on_thread):
            same_as_thread.add(item.result)
        if not depends_on_thread.isdisjoint(item.uses):
            depends_on_thread.add(item.result)
    return None


def _is_same_number(item: Instruction, same: Collection[str]) -> bool:
    """Whether a value equals one in `same`, maybe in a wider type."""
    widened = item.cast if item.opcode in ("zext", "sext") else None
    if widened:
        return (widened.type, widened.target) == ("i32", "i64") and widened.value in same
    added = item.binary if item.opcode == "add" else None
    return added is not None and (added.type, added.left, added.right) == ("i32", _THREAD, "0")


def _is_base_plus_thread(item: Instruction, same: Collection[str], depends: Collection[str]) -> bool:
    """Whether a value grows as the thread's index does, by one."""
    total = item.binary if item.opcode == "add" or item.body.startswith("or disjoint ") else None
    if total is None or total.type not in ("i32", "i64") or not (total.left[0] == total.right[0] == "%"):
        return False
    return (total.left in same and total.right not in depends) or (total.right in same and total.left not in depends)


def _check(
    blocks: Sequence[Block], at: int, compared: Compare, same: Collection[str], depends: Collection[str]
) -> BoundsCheck | None:
    if compared.predicate not in ("slt", "ult") or compared.type not in ("i32", "i64"):
        return None
    if compared.left not in same or compared.right in depends:
        return None
    first, *others = blocks
    before, branch = first.instructions[: at + 1], first.instructions[at + 1]
    holds = before[-1].result
    bits = int(compared.type[1:])
    largest = 2**bits - 1 if compared.predicate == "ult" else 2 ** (bits - 1) - 1
    far = f"icmp {compared.predicate} {compared.type} {compared.right}, {largest - _LONGEST_ROW}"
    end = (f"  %musa.far = {far}", f"  %musa.holds = and i1 {holds}, %musa.far", "  ret i1 %musa.holds")
    without = Instruction(branch.text.replace(f"br i1 {holds},", "br i1 true,", 1))
    return BoundsCheck(
        (first.with_instructions([*before, *map(Instruction, end)]),),
        (first.with_instructions([*before, without, *first.instructions[at + 2 :]]), *others),
        compared,
    )


class GridRows(NamedTuple):
    """A kernel whose grid-stride loop can be run row by row."""

    once: tuple[Block, ...]  # the kernel's blocks without the bounds check and without the back edge of its loop
    stride: str  # blockIdx.x is multiplied by it: blockDim.x, or a number


def find(blocks: Sequence[Block], check: BoundsCheck | None) -> GridRows | None:
    """Take a kernel (with indices as parameters) apart; None if it has another shape."""
    if check is None or not any(_GRID in item.uses for item in instructions_of(blocks)):
        return None
    parts = by_name(blocks)
    numbers = _Numbers(results_of(blocks))
    for loop in loops(parts):
        stride = _block_stride(parts, loop, numbers, check)
        if stride:
            return GridRows(_straightened(check.without, parts, loop), stride)
    return None


def _block_stride(parts: Mapping[str, Block], loop: Loop, numbers: _Numbers, check: BoundsCheck) -> str:
    """Return how far the loop's index advances per block; empty if the loop has another shape."""
    latch, *others = loop.latches
    if others or not parts[loop.header].phis:
        return ""
    end = parts[latch].instructions[-1].branch
    entry = next(iter(parts))
    start = numbers.of(check.compared.left)
    if end is None or entry in loop.blocks or not _only_exit(parts, loop, latch):
        return ""
    stride = next((stride for stride in (*_factors(start),) if start == _index(stride)), "")
    advanced = start + _by_stride(_GRID, stride)
    if not stride or not _advances(parts, loop, latch, numbers, start, advanced):
        return ""
    # In each iteration, each phi has the value of `start` in some other block.
    indices = {item.result: start for item in parts[loop.header].phis}
    if not _is_same_check(end, loop, _Numbers(numbers.made, indices), advanced, check):
        return ""
    before = [block for name, block in parts.items() if name not in loop.blocks and not _only_returns(block)]
    if not all(map(_is_harmless, instructions_of(before))):
        return ""
    return "" if _uses_block(parts, loop) else stride


def _factors(start: _Sum) -> list[str]:
    """Return the factor of blockIdx.x in a sum."""
    return [
        " ".join(name for name in factors if name != _BLOCK) or str(count)
        for factors, count in start.items()
        if _BLOCK in factors
    ]


def _by_stride(name: str, stride: str) -> _Sum:
    return Counter({(name,): int(stride)}) if is_constant(stride) else Counter({tuple(sorted((name, stride))): 1})


def _index(stride: str) -> _Sum:
    """Return blockIdx.x * stride + threadIdx.x; an empty sum if `stride` is neither blockDim.x nor a number."""
    return _by_stride(_BLOCK, stride) + Counter({(_THREAD,): 1}) if stride == _SIZE or stride.isdigit() else Counter()


def _only_exit(parts: Mapping[str, Block], loop: Loop, latch: str) -> bool:
    """Whether the loop is left at its latch only, and the kernel then returns."""
    outside = [(name, target) for name in loop.blocks for target in parts[name].successors if target not in loop.blocks]
    return [name for name, _ in outside] == [latch] and _only_returns(parts[outside[0][1]])


def _only_returns(block: Block) -> bool:
    return len(block.instructions) == 1 and block.instructions[0].returns_nothing


def _is_harmless(item: Instruction) -> bool:
    return item.opcode in ("br", "phi") or (bool(item.result) and item.is_pure(_OWN_FUNCTIONS))


def _is_same_check(
    end: tuple[str, str, str], loop: Loop, numbers: _Numbers, advanced: _Sum, check: BoundsCheck
) -> bool:
    """Return whether the loop continues if the bounds check holds for the next index."""
    item = numbers.made.get(end[0])
    compared = item.compare if item else None
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
    parts: Mapping[str, Block], loop: Loop, latch: str, numbers: _Numbers, start: _Sum, advanced: _Sum
) -> bool:
    """Whether the loop carries its index alone, which begins at `start` and is `advanced` in the next iteration."""
    for item in parts[loop.header].phis:
        ways = {block: value for value, block in item.incoming}
        if len(ways) != 2 or latch not in ways:
            return False
        following = ways.pop(latch)
        (first,) = ways.values()
        step = advanced - start
        if numbers.of(first) != start or numbers.of(following) != Counter({(item.result,): 1}) + step:
            return False
    return True


def _uses_block(parts: Mapping[str, Block], loop: Loop) -> bool:
    """Whether the loop uses blockIdx.x, or a value made of it before the loop, other than as its index."""
    outside = [block for name, block in parts.items() if name not in loop.blocks]
    made = derived(results_of(outside).values(), {_BLOCK})
    return any(
        not made.isdisjoint(item.uses)
        for name in loop.blocks
        for item in parts[name].instructions
        if not (name == loop.header and item.is_phi)
    )


class _Numbers:
    """Values as sums of products of other values. Conversions to wider types are ignored, as i fits into 31 bits."""

    def __init__(self, made: Mapping[str, Instruction], known: Mapping[str, _Sum] | None = None) -> None:
        self.made = made
        self._known = known or {}

    def of(self, value: str, depth: int = 12) -> _Sum:
        if value in self._known:
            return self._known[value]
        if is_constant(value):
            return Counter({(): int(value)}) if value.lstrip("-").isdigit() else Counter({(value,): 1})
        item = self.made.get(value)
        taken = item.binary if item and item.opcode in ("add", "mul", "shl", "or") else None
        if item and item.opcode in ("zext", "sext") and depth:
            widened = item.cast
            return self.of(widened.value, depth - 1) if widened else Counter({(value,): 1})
        if item is None or taken is None or not depth:
            return Counter({(value,): 1})
        left, right = self.of(taken.left, depth - 1), self.of(taken.right, depth - 1)
        if item.opcode == "add" or item.body.startswith("or disjoint "):
            return _without_zeros(left + right)
        if item.opcode == "mul":
            return _times(left, right)
        if item.opcode == "shl" and is_constant(taken.right):
            return _times(left, Counter({(): 1 << int(taken.right)}))
        return Counter({(value,): 1})

    def plain(self, value: str, signed: bool) -> str:
        """Return a value as it was before a widening that keeps its order."""
        item = self.made.get(value)
        widened = item.cast if item and item.opcode == ("sext" if signed else "zext") else None
        return self.plain(widened.value, signed) if widened else value


def _times(left: _Sum, right: _Sum) -> _Sum:
    result: _Sum = Counter()
    for one, count in left.items():
        for other, times in right.items():
            result[tuple(sorted((*one, *other)))] += count * times
    return _without_zeros(result)


def _without_zeros(numbers: _Sum) -> _Sum:
    return Counter({name: count for name, count in numbers.items() if count})


def _straightened(blocks: Sequence[Block], parts: Mapping[str, Block], loop: Loop) -> tuple[Block, ...]:
    """Return the blocks without the loop's back edge."""
    (latch,) = loop.latches
    leave = next(target for target in parts[latch].successors if target not in loop.blocks)

    def once(block: Block) -> Block:
        if block.name == loop.header:
            block = block.change(
                lambda item: (
                    item.with_incoming([way for way in item.incoming if way[1] != latch]) if item.is_phi else item
                )
            )
        if block.name == latch:
            block = block.with_instructions([*block.instructions[:-1], Instruction(f"  br label %{leave}")])
        return block

    return tuple(map(once, blocks))
