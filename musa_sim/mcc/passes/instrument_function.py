"""Instrument one function: write the calls before its memory accesses."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..contract.functions import CHECK_ACCESS, CHECK_COPY, CHECK_LOCAL
from ..contract.names import ATOMIC, CARRY, CONTEXT, CONTEXT_ADDRESS, LOCATION_OFFSET, READ, WRITE
from ..ir import instructions, memory
from ..ir.functions import callee
from ..ir.metadata import debug_attachment
from ..ir.parameters import Parameter
from ..ir.text import enclosed, split_list
from ..ir.types import scalar_size, size_of

if TYPE_CHECKING:
    from .source_places import ReportTexts


class _Report(NamedTuple):
    """What libmusart is told of one access."""

    pointer: str
    size: str  # an i64 constant or value
    element: int  # bytes of one scalar in it; 0 when not known
    align: int
    flags: int

    @property
    def word(self) -> int:
        """Flags, size of a scalar and alignment in one number (runtime/base/device_abi.h)."""
        return self.flags | _log2(self.element) << 8 | _log2(self.align) << 16

    @classmethod
    def of(cls, access: memory.Access) -> _Report:
        """Describe an access that is an instruction."""
        flags = (READ if access.reads else 0) | (WRITE if access.writes else 0) | (ATOMIC if access.is_atomic else 0)
        return cls(access.pointer, size_of(access.type), scalar_size(access.type), access.align, flags)


def _log2(value: int) -> int:
    return max(value, 1).bit_length() - 1


class _Variable(NamedTuple):
    """A variable of a function: its address, its bytes as an i64 constant or value, what the source calls it."""

    address: str
    size: str
    name: str


def _bounds(variable: instructions.Variable) -> _Variable | None:
    """Return the bounds of a variable; None where the number of its elements is known at run time only."""
    if variable.elements:
        return None
    return _Variable(variable.address, size_of(variable.type), instructions.source_name(variable.address))


class FunctionInstrumenter:
    """Instruments the lines of one function.

    `suspends`: functions at which a thread may be suspended. `first_number`: from which new values are numbered.
    """

    def __init__(self, places: ReportTexts, suspends: Collection[str], first_number: int) -> None:
        self._places = places
        self._suspends = suspends
        # addresses in its own variables, and in the context, whose bounds are not looked at
        self._own: dict[str, _Variable | None] = {}
        self.number = first_number

    def line(self, line: str) -> Iterator[str]:
        """Yield the lines that replace one line."""
        item = instructions.instruction(line)
        if item is not None:
            self._note(item)
            called = callee(line) if item.opcode == "call" else ""
            intrinsic = instructions.memory_intrinsic(line) if called.startswith("llvm.mem") else ""
            access = memory.access(item)
            if intrinsic:
                yield from self._memory_intrinsic(line, intrinsic)
            elif called in self._suspends:
                yield from self._tell_place(line)
            elif access is not None:
                yield from self._check(_Report.of(access), line)
        yield line

    def _note(self, item: instructions.Instruction) -> None:
        """Remember whose address a value is."""
        variable = instructions.variable(item)
        step = instructions.element_address(item)
        if variable:
            self._own[item.result] = _bounds(variable)
        elif item.text.endswith(f"@{CONTEXT})"):
            self._own[item.result] = None
        elif step and step.base in self._own:
            self._own[item.result] = self._own[step.base]

    def _check(self, report: _Report, line: str) -> Iterator[str]:
        if not report.pointer:
            return
        told = f"ptr {report.pointer}, i64 {report.size}, i32 {report.word}, {self._places.operand(line)}"
        if report.pointer not in self._own:
            yield f"  call void @{CHECK_ACCESS}({told}){debug_attachment(line)}"
            return
        variable = self._own[report.pointer]
        if variable is not None and (report.pointer != variable.address or report.size.startswith("%")):
            bounds = f"ptr {variable.address}, i64 {variable.size}, {self._places.text(variable.name)}"
            yield f"  call void @{CHECK_LOCAL}({told}, {bounds}){debug_attachment(line)}"

    def _memory_intrinsic(self, line: str, name: str) -> Iterator[str]:
        arguments = [Parameter(text) for text in split_list(enclosed(line, line.index("(")))]
        target, size = arguments[0], arguments[2].value
        write = _Report(target.pointer, size, 1, target.align, WRITE)
        if name == "memset":
            yield from self._check(write, line)
            return
        source = arguments[1]
        # with one side in the function's own variables, only the other is of interest
        if target.pointer in self._own or source.pointer in self._own:
            yield from self._check(_Report(source.pointer, size, 1, source.align, READ | CARRY), line)
            yield from self._check(write, line)
            return
        aligns = _log2(target.align) << 16 | _log2(source.align) << 24
        yield (
            f"  call void @{CHECK_COPY}(ptr {target.pointer}, ptr {source.pointer}, i64 {size}, i32 {aligns}, "
            f"{self._places.operand(line)}){debug_attachment(line)}"
        )

    def _tell_place(self, line: str) -> Iterator[str]:
        """Let a thread that waits say where: in the context's last field."""
        name = f"%musa.check.{self.number}"
        self.number += 1
        debug = debug_attachment(line)
        yield f"  {name} = {CONTEXT_ADDRESS}{debug}"
        yield f"  {name}.at = getelementptr i8, ptr {name}, i64 {LOCATION_OFFSET}{debug}"
        yield f"  store {self._places.operand(line)}, ptr {name}.at, align 8{debug}"
