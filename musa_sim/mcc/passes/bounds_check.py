"""The bounds check that most kernels begin with, evaluated once for a row of threads.

`if (i < n)` with i = blockIdx.x * blockDim.x + threadIdx.x is true for every thread of every block except the last.
Evaluated per thread, it keeps LLVM from vectorising across threads, because there is no masked store before AVX. If it
holds for the first and the last thread of a row, it holds for the row, which then runs without it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..ir.blocks import branch_condition
from ..ir.instructions import Compare, Instruction, binary, cast, compare, instruction, is_pure

_THREAD = "%musa.thread_idx_x"
#: what the names of functions that only read an index begin with
_OWN_FUNCTIONS = "__musa_sim_"
#: no block is longer, so a bound this far from the end of its type cannot make i wrap round in between
_LONGEST_ROW = 1024


class BoundsCheck(NamedTuple):
    """A check that holds for all threads of a row if it holds for the first and the last."""

    code: str  # the first block up to the comparison, ending in `ret i1`
    without: str  # the kernel's code with the check taken for true
    compared: Compare  # its left side grows with the thread's index


def find(code: str) -> BoundsCheck | None:
    """Find the check at the top of a kernel's code (with indices as parameters, braces included), if there is one."""
    lines = code.split("\n")
    first = next((at for at, line in enumerate(lines) if line.startswith("  ")), len(lines))
    same_as_thread = {_THREAD}
    depends_on_thread = {_THREAD}
    for at in range(first, len(lines)):
        item = instruction(lines[at])
        if item is None or not item.result:
            return None  # a store, a call or a branch on something else comes first
        compared = compare(item)
        if compared and branch_condition(lines[at + 1]) == item.result:
            return _check(lines, at, item.result, compared.with_index_left(), same_as_thread, depends_on_thread)
        if not is_pure(item, _OWN_FUNCTIONS):
            return None
        if _is_same_number(item, same_as_thread) or _is_base_plus_thread(item, same_as_thread, depends_on_thread):
            same_as_thread.add(item.result)
        if not depends_on_thread.isdisjoint(item.uses):
            depends_on_thread.add(item.result)
    return None


def _is_same_number(item: Instruction, same: Collection[str]) -> bool:
    """Whether a value is that of one in `same`, maybe wider."""
    widened = cast(item) if item.opcode in ("zext", "sext") else None
    if widened:
        return (widened.type, widened.target) == ("i32", "i64") and widened.value in same
    added = binary(item) if item.opcode == "add" else None
    return added is not None and (added.type, added.left, added.right) == ("i32", _THREAD, "0")


def _is_base_plus_thread(item: Instruction, same: Collection[str], depends: Collection[str]) -> bool:
    """Whether a value grows as the thread's index does, by one."""
    total = binary(item) if item.opcode == "add" or item.text.startswith("or disjoint ") else None
    if total is None or total.type not in ("i32", "i64") or not (total.left[0] == total.right[0] == "%"):
        return False
    return (total.left in same and total.right not in depends) or (total.right in same and total.left not in depends)


def _check(
    lines: Sequence[str], at: int, name: str, compared: Compare, same: Collection[str], depends: Collection[str]
) -> BoundsCheck | None:
    if compared.predicate not in ("slt", "ult") or compared.type not in ("i32", "i64"):
        return None
    if compared.left not in same or compared.right in depends:
        return None
    bits = int(compared.type[1:])
    largest = 2**bits - 1 if compared.predicate == "ult" else 2 ** (bits - 1) - 1
    head = "\n".join(lines[: at + 1])
    code = (
        f"{head}\n  %musa.far = icmp {compared.predicate} {compared.type} {compared.right}, {largest - _LONGEST_ROW}\n"
        f"  %musa.holds = and i1 {name}, %musa.far\n  ret i1 %musa.holds\n}}\n"
    )
    branch = lines[at + 1].replace(f"br i1 {name},", "br i1 true,", 1)
    return BoundsCheck(code, "\n".join([*lines[: at + 1], branch, *lines[at + 2 :]]), compared)
