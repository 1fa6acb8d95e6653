"""The bounds check that most kernels begin with, decided once for a whole row of threads.

`if (i < n)` with i = blockIdx.x * blockDim.x + threadIdx.x is true for every thread of every block but the last. Asked
per thread, it keeps LLVM from vectorising across threads (there is no masked store before AVX); asked for the first and
the last thread of a row, it lets the row run without it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_THREAD = "%musa.thread_idx_x"
_VALUE = re.compile(r"%[\w.$-]+")
_ASSIGNMENT = re.compile(r"^  (%[\w.$-]+) = (.*)$")
_COMPARE = re.compile(r"icmp (?:samesign )?(slt|ult) (i32|i64) (%[\w.$-]+), (%[\w.$-]+|\d+)$")
_SUM = re.compile(r"(?:add|or disjoint)(?: nuw| nsw)* i(?:32|64) (%[\w.$-]+), (%[\w.$-]+)$")
_SAME_NUMBER = re.compile(r"(?:zext|sext)(?: nneg)? i32 (%[\w.$-]+) to i64$|add i32 (%musa\.thread_idx_x), 0$")
_PURE = re.compile(
    r"(?:add|sub|mul|shl|or|and|lshr|ashr|zext|sext|trunc|icmp|load|getelementptr|call [^@]*@__musa_sim_)"
)

#: no block is longer, so a bound this far from the end of its type cannot make i wrap round in between
_LONGEST_ROW = 1024


@dataclass(frozen=True)
class BoundsCheck:
    """A check that holds for all threads of a row if it holds for the first and the last."""

    code: str  # the first block up to the comparison, ending in `ret i1`
    without: str  # the kernel's code with the check taken for true


def find(code: str) -> BoundsCheck | None:
    """The check at the top of a kernel's code (with indices as parameters, braces included), if there is one."""
    lines = code.split("\n")
    try:
        first = next(at for at, line in enumerate(lines) if line.startswith("  "))
    except StopIteration:
        return None
    same_as_thread = {_THREAD}
    depends_on_thread = {_THREAD}
    for at in range(first, len(lines)):
        line = lines[at]
        assignment = _ASSIGNMENT.match(line)
        if not assignment:
            return None  # a store, a call or a branch on something else comes first
        name, text = assignment.group(1), re.sub(r", !.*$", "", assignment.group(2))
        compare = _COMPARE.match(text)
        branch = re.match(rf"^  br i1 {re.escape(name)}, label (%[\w.$-]+), label ", lines[at + 1])
        if compare and branch:
            return _check(lines, at, name, compare, same_as_thread, depends_on_thread)
        if not _PURE.match(text):
            return None
        operands = set(_VALUE.findall(text))
        same = _SAME_NUMBER.match(text)
        if same and {same.group(1), same.group(2)} & same_as_thread:
            same_as_thread.add(name)
        total = _SUM.match(text)
        if total and _is_base_plus_thread(total.group(1), total.group(2), same_as_thread, depends_on_thread):
            same_as_thread.add(name)  # it grows as the thread's index does, by one
        if operands & depends_on_thread:
            depends_on_thread.add(name)
    return None


def _is_base_plus_thread(left: str, right: str, same: set[str], depends: set[str]) -> bool:
    return (left in same and right not in depends) or (right in same and left not in depends)


def _check(
    lines: list[str], at: int, name: str, compare: re.Match[str], same: set[str], depends: set[str]
) -> BoundsCheck | None:
    predicate, kind, index, bound = compare.groups()
    if index not in same or bound in depends:
        return None
    bits = int(kind[1:])
    largest = 2**bits - 1 if predicate == "ult" else 2 ** (bits - 1) - 1
    head = "\n".join(lines[: at + 1])
    code = (
        f"{head}\n  %musa.far = icmp {predicate} {kind} {bound}, {largest - _LONGEST_ROW}\n"
        f"  %musa.holds = and i1 {name}, %musa.far\n  ret i1 %musa.holds\n}}\n"
    )
    branch = lines[at + 1].replace(f"br i1 {name},", "br i1 true,", 1)
    return BoundsCheck(code, "\n".join([*lines[: at + 1], branch, *lines[at + 2 :]]))
