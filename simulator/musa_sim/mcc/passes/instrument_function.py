"""Instrument one function: write the calls before its memory accesses."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..ir.instructions import Instruction, source_name
from ..ir.types import Parameter, scalar_size, size_of
from ..runtime_abi.functions import CHECK_ACCESS, CHECK_COPY, CHECK_FREE, CHECK_LOCAL, CHECK_MALLOC, CHECK_OPERAND
from ..runtime_abi.names import ATOMIC, CARRY, CONTEXT, CONTEXT_ADDRESS, LOCATION_OFFSET, READ, WRITE

if TYPE_CHECKING:
    from ..ir.instructions import Access, Alloca
    from .source_locations import SourceLocations


class _Report(NamedTuple):
    """An access, in the form in which libmusart gets it."""

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
    def of(cls, access: Access, validated: Collection[str]) -> _Report:
        """Describe an access that is an instruction."""
        is_atomic = access.is_atomic or (not access.writes and access.pointer in validated)
        flags = (READ if access.reads else 0) | (WRITE if access.writes else 0) | (ATOMIC if is_atomic else 0)
        return cls(access.pointer, size_of(access.type), scalar_size(access.type), access.align, flags)


def _log2(value: int) -> int:
    return max(value, 1).bit_length() - 1


#: functions of the C library, and those of libmusart that do the same for checked code
_REDIRECTED = {"malloc": CHECK_MALLOC, "free": CHECK_FREE}


class FunctionInstrumenter:
    """Instruments the instructions of one function.

    `suspends`: functions at which a thread may be suspended. `validated`: addresses that the function compares and
    exchanges (atomicCAS). A plain read of such an address counts as atomic, because the exchange compares the value
    that was read with the current one. `first_number`: the number of the first new value.
    """

    def __init__(
        self, locations: SourceLocations, suspends: Collection[str], validated: Collection[str], first_number: int
    ) -> None:
        self._locations = locations
        self._suspends = suspends
        self._validated = validated
        # The own variable that each address is in. Bounds are not checked (None) in the context, and in variables whose
        # number of elements is known at run time only.
        self._own: dict[str, Alloca | None] = {}
        self.number = first_number

    def checked(self, item: Instruction) -> Iterator[Instruction]:
        """Yield the replacement of an instruction."""
        self._note(item)
        called = item.callee if item.opcode == "call" else ""
        if item.memory_intrinsic:
            yield from self._memory_intrinsic(item)
        elif called in self._suspends or called == CHECK_OPERAND:
            yield from self._report_location(item)
        elif item.access is not None:
            yield from self._check(_Report.of(item.access, self._validated), item)
        elif item.callee in _REDIRECTED:
            item = Instruction(item.text.replace(f"@{item.callee}(", f"@{_REDIRECTED[item.callee]}(", 1))
        yield item

    def _note(self, item: Instruction) -> None:
        """Remember which variable a value is an address in."""
        variable = item.alloca
        step = item.element_address
        if variable:
            self._own[item.result] = None if variable.elements else variable
        elif item.body.endswith(f"@{CONTEXT})"):
            self._own[item.result] = None
        elif step and step.base in self._own:
            self._own[item.result] = self._own[step.base]

    def _check(self, report: _Report, item: Instruction) -> Iterator[Instruction]:
        if not report.pointer:
            return
        arguments = f"ptr {report.pointer}, i64 {report.size}, i32 {report.word}, {self._locations.operand(item)}"
        if report.pointer not in self._own:
            yield _beside(item, f"call void @{CHECK_ACCESS}({arguments})")
            return
        variable = self._own[report.pointer]
        if variable is not None and (report.pointer != variable.address or report.size.startswith("%")):
            name = self._locations.text(source_name(variable.address))
            bounds = f"ptr {variable.address}, i64 {size_of(variable.type)}, {name}"
            yield _beside(item, f"call void @{CHECK_LOCAL}({arguments}, {bounds})")

    def _memory_intrinsic(self, item: Instruction) -> Iterator[Instruction]:
        arguments = [Parameter(text) for text in item.arguments]
        target, size = arguments[0], arguments[2].value
        write = _Report(target.pointer, size, 1, target.align, WRITE)
        if item.memory_intrinsic == "memset":
            yield from self._check(write, item)
            return
        source = arguments[1]
        # if one side is in a variable of the function, the two are checked one by one
        if target.pointer in self._own or source.pointer in self._own:
            yield from self._check(_Report(source.pointer, size, 1, source.align, READ | CARRY), item)
            yield from self._check(write, item)
            return
        aligns = _log2(target.align) << 16 | _log2(source.align) << 24
        operands = (
            f"ptr {target.pointer}, ptr {source.pointer}, i64 {size}, i32 {aligns}, {self._locations.operand(item)}"
        )
        yield _beside(item, f"call void @{CHECK_COPY}({operands})")

    def _report_location(self, item: Instruction) -> Iterator[Instruction]:
        """Tell libmusart where a call is: in the context's last field."""
        name = f"%musa.check.{self.number}"
        self.number += 1
        yield _beside(item, f"{name} = {CONTEXT_ADDRESS}")
        yield _beside(item, f"{name}.at = getelementptr i8, ptr {name}, i64 {LOCATION_OFFSET}")
        yield _beside(item, f"store {self._locations.operand(item)}, ptr {name}.at, align 8")


def _beside(item: Instruction, text: str) -> Instruction:
    """Return an instruction with the debug info of another one."""
    return Instruction(f"  {text}{item.debug_words}")
