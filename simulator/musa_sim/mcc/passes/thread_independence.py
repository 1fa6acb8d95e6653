"""Tell LLVM by metadata that the threads in a loop over a block do not depend on each other.

Threads that do not wait for each other may not race. So no access of one thread depends on another thread, and their
loop has no dependence through memory: LLVM needs no check whether `c[i] = c[i] * a[i]` overlaps itself. That does not
hold for atomic and volatile accesses, nor for variables of the kernel itself, which all iterations share. A small class
that the kernel gets by value and does not change is copied once, to memory that nothing else points to: LLVM then keeps
its members in registers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..ir.blocks import Block, instructions_of
from ..ir.instructions import Instruction
from ..ir.text import split_list
from ..ir.types import Parameter, most_bytes, size_of, without_byval

if TYPE_CHECKING:
    from ..ir.function import Function

MEMCPY = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
#: Metadata numbers far above clang's.
_GROUP, _PROPERTY, _FIRST_LOOP = 1_000_000_000, 1_000_000_001, 1_000_000_002
#: The most bytes of a class that is copied: a larger one takes too many registers (PyTorch's OffsetCalculator has 704).
_MOST_BYTES = 256


def is_independent(kernel: Function, thread: Function) -> bool:
    """Return whether no access of a kernel can depend on another thread's; `thread` has its indices as parameters."""
    changed = any(parameter.byval and not parameter.is_read_only for parameter in map(Parameter, kernel.parameters))
    # no use of shared memory is independent: atomics there may be plain accesses by now (atomic_accesses.py)
    return not changed and not any(map(_is_dependent, instructions_of(thread.blocks)))


def _is_dependent(item: Instruction) -> bool:
    return item.may_synchronise or item.opcode == "alloca" or bool(item.thread_local) or " asm " in item.body


def marked_accesses(blocks: Sequence[Block]) -> list[Block]:
    """Return a kernel's code with its accesses marked as independent of other threads'."""
    mark = f", !llvm.access.group !{_GROUP}"
    return [block.change(lambda item: Instruction(item.text + mark) if item.access else item) for block in blocks]


class IndependentLoops:
    """Marks the marked accesses of loops over threads as independent; gives each loop its own metadata node."""

    def __init__(self) -> None:
        self._count = 0

    def latch(self) -> str:
        """Return the metadata of the back edge of the next loop."""
        self._count += 1
        return f", !llvm.loop !{_FIRST_LOOP + self._count - 1}"

    def nodes(self) -> str:
        """Write the metadata of all of them."""
        if not self._count:
            return ""
        loops = range(_FIRST_LOOP, _FIRST_LOOP + self._count)
        return f'!{_GROUP} = distinct !{{}}\n!{_PROPERTY} = !{{!"llvm.loop.parallel_accesses", !{_GROUP}}}\n' + "".join(
            f"!{node} = distinct !{{!{node}, !{_PROPERTY}}}\n" for node in loops
        )


def unchanged_classes(function: Function) -> dict[int, Parameter]:
    """Return the classes that the kernel gets by value and does not change, by the position of the parameter."""
    parameters = dict(enumerate(map(Parameter, function.parameters)))
    return {at: parameter for at, parameter in parameters.items() if parameter.byval and parameter.is_read_only}


def unchanged_arguments(
    unchanged: Mapping[int, Parameter], types: Mapping[str, str], code: str, call: str
) -> tuple[str, str]:
    """Return the code that loads a kernel's arguments, and the argument list of a call that copies no such class.

    Small ones are copied once for all threads. Of the others the launch's own copy is used. `types`: the module's named
    types.
    """
    copies: list[str] = []
    arguments = split_list(call)
    for at, parameter in unchanged.items():
        kind, align = parameter.byval, parameter.align
        if most_bytes(types, kind) > _MOST_BYTES:
            arguments[at] = f"ptr align {align} %at{at}"
            continue
        copies.append(
            f"  %copy{at} = alloca {kind}, align {align}\n"
            f"  call void @llvm.memcpy.p0.p0.i64(ptr align {align} %copy{at}, ptr %at{at}, "
            f"i64 {size_of(kind)}, i1 false)\n"
        )
        arguments[at] = f"ptr %copy{at}"
    return code + "".join(copies), ", ".join(arguments)


def with_plain_pointers(unchanged: Mapping[int, Parameter], parameters: Iterable[str]) -> list[str]:
    """Return a kernel's parameters with plain pointers to these classes, to which nothing else points."""
    texts = list(parameters)
    for at in unchanged:
        texts[at] = without_byval(texts[at]).replace("ptr ", "ptr noalias ", 1)
    return texts
