"""Read from the host module how each launch packs a kernel's arguments.

clang makes a host function for each kernel, its stub, which calls `musaLaunchKernel` with an array of pointers, one per
C++ parameter. The device function's IR signature has one value per register instead. Only the code of the stub shows
which register comes from which parameter, at which offset. So this module reads that code: unoptimised IR, one store
per value. A stub of another form raises InternalError.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..errors import InternalError
from ..ir.functions import arguments_of_calls, calls_of, functions, local_variable_type
from ..ir.instructions import cast, element_address, instruction, memory_intrinsic, variable
from ..ir.memory import access
from ..ir.parameters import Parameter
from ..ir.text import bare, enclosed, last_word, split_list
from ..ir.variables import strings
from ..kernel import Argument, KernelStub, Passing


class _Place(NamedTuple):
    """Where in a variable of a stub."""

    variable: str  # its address; a parameter may be one
    offset: int


class _StubBody(NamedTuple):
    """The dataflow of one stub, as far as arguments need it."""

    allocated: dict[str, str]  # a variable's address -> its type
    slots: dict[str, int]  # a variable's address -> index in the launch's array
    fields: dict[str, _Place]  # an address that is computed -> what it points to
    stores: dict[str, _Place]  # a value -> where it is stored
    copies: dict[_Place, _Place]  # what is stored in one place -> where it is copied to
    widened: dict[str, str]  # a bool or a vector of three -> the value of whole bytes, or of four, made of it
    size: int  # of the launch's array

    @classmethod
    def read(cls, lines: Sequence[str]) -> _StubBody:
        """Read the lines of a stub."""
        items = [(line, item) for line in lines if (item := instruction(line))]
        made = [found for _, item in items if (found := variable(item))]
        # the launch's array is the only variable with a number of elements
        array = next((one for one in made if one.elements), None)
        elements = {array.address: 0} if array else {}
        size = int(array.elements) if array else 0
        body = cls({one.address: one.type for one in made}, {}, {}, {}, {}, {}, size)
        loaded: dict[str, _Place] = {}
        for line, item in items:
            address, touched = element_address(item), access(item)
            if address and address.base in elements and len(address.indices) == 1:
                elements[item.result] = int(address.indices[0])
            elif address and len(address.indices) == 2 and address.type[0] in "%{":
                # A value coerced into registers is stored through { i64, double }-like pairs, one eightbyte each; a
                # single-member struct is entered through its own type, always at field 0.
                body.enter(item.result, address.base, 8 * int(address.indices[1]) if address.type[0] == "{" else 0)
            elif address and address.type == "i8" and address.indices[0].isdigit():
                # a class whose first eightbyte holds nothing but empty classes: what it is coerced into starts later
                body.enter(item.result, address.base, int(address.indices[0]))
            elif memory_intrinsic(line) == "memcpy":
                target, source = map(last_word, split_list(enclosed(line, line.index("(")))[:2])
                body.copies.setdefault(body.place(source), body.place(target))
            elif item.opcode == "zext":
                widened = cast(item)
                if widened and (widened.type, widened.target) == ("i1", "i8"):
                    body.widened[widened.value] = item.result
            elif item.opcode == "shufflevector":
                body.widened[last_word(split_list(item.operands)[0])] = item.result
            elif touched and touched.opcode == "load":
                loaded[item.result] = body.place(touched.pointer)
            elif touched and touched.opcode == "store":
                value, pointer = last_word(touched.operands[1]), touched.pointer
                if pointer in elements:
                    body.slots[value] = elements[pointer]
                elif value in loaded:
                    body.copies.setdefault(loaded[value], body.place(pointer))
                else:
                    body.stores.setdefault(value, body.place(pointer))
        return body

    def enter(self, address: str, base: str, step: int) -> None:
        """Note an address that is computed from another one."""
        place = self.place(base)
        self.fields[address] = place._replace(offset=place.offset + step)

    def place(self, address: str) -> _Place:
        """Return what an address points to."""
        return self.fields.get(address, _Place(address, 0))

    def locate(self, place: _Place | None) -> tuple[int, int] | None:
        """Return (index, offset) of the parameter that a place belongs to, or is copied to."""
        for _ in range(len(self.copies) + 1):
            if place is None or place.variable in self.slots:
                return place and (self.slots[place.variable], place.offset)
            whole = self.copies.get(_Place(place.variable, 0))
            place = self.copies.get(place) or (whole and _Place(whole.variable, whole.offset + place.offset))
        return None

    def is_written(self, slot: int) -> bool:
        """Return whether anything is put into the variable that a slot of the launch's array points to."""
        return any(self.slots.get(place.variable) == slot for place in (*self.stores.values(), *self.copies.values()))


def _argument(body: _StubBody, parameter: Parameter) -> Argument | None:
    value = parameter.value
    if value in body.slots:
        return Argument(body.slots[value], 0, Passing.MEMORY)
    kind = Passing.MEMORY if parameter.byval else Passing.BOOL if parameter.type == "i1" else Passing.VALUE
    stored = _Place(value, 0) if parameter.byval else body.stores.get(body.widened.get(value, value))
    place = body.locate(stored)
    return place and Argument(*place, kind)


def _type_at_launches(host_ir: str, stub: str, position: int) -> str:
    """Return the type of what callers pass by address at this position: that of the temporary they make for it."""
    for at, arguments in calls_of(host_ir, stub):
        kind = local_variable_type(host_ir, last_word(arguments[position]), at)
        if kind:
            return kind
    return ""


def _parameter_types(
    body: _StubBody, parameters: Sequence[Parameter], type_by_address: Callable[[int], str]
) -> tuple[str, ...]:
    positions = {parameter.value: at for at, parameter in enumerate(parameters)}
    types = [""] * len(body.slots)
    for address, index in body.slots.items():
        if address in positions:
            at = positions[address]
            types[index] = parameters[at].byval or type_by_address(at)
        else:
            types[index] = body.allocated.get(address, "")
    return tuple(types)


def _refuse_unclaimed(body: _StubBody, arguments: Sequence[Argument], kernel: str) -> None:
    """Raise InternalError if a slot of the launch's array belongs to no parameter: another one has its place then.

    A parameter of an empty class is passed nowhere, and nothing is written to its slot.
    """
    slots = set(body.slots.values())
    lost = [slot for slot in slots - {argument.parameter for argument in arguments} if body.is_written(slot)]
    # an array has at least one element
    if lost or slots != set(range(body.size if slots else 0)):
        raise InternalError(f"cannot tell which parameter of kernel {kernel} argument {min(lost, default=0)} is")


def read_kernels(host_ir: str) -> tuple[KernelStub, ...]:
    """Return the kernels that a host module registers, in the order of registration.

    Raises InternalError when a stub does not look as clang 16 to 22 write it.
    """
    registered = arguments_of_calls(host_ir, "__cudaRegisterFunction")
    if not registered:
        return ()
    names = strings(host_ir)
    defined = functions(host_ir)
    kernels: list[KernelStub] = []
    for _, stub_argument, name_argument, *_rest in registered:
        stub, text = last_word(stub_argument), last_word(name_argument)
        if bare(stub) not in defined or text not in names:
            raise InternalError(f"kernel stub {stub} is registered but not defined")
        function = defined[bare(stub)]
        parameters = [Parameter(parameter) for parameter in function.parameters]
        body = _StubBody.read(function.code.split("\n"))
        arguments: list[Argument] = []
        for parameter in parameters:
            argument = _argument(body, parameter)
            if argument is None:
                raise InternalError(f"cannot tell where '{parameter.text}' of kernel {names[text]} comes from")
            arguments.append(argument)
        _refuse_unclaimed(body, arguments, names[text])
        types = _parameter_types(body, parameters, functools.partial(_type_at_launches, host_ir, stub))
        kernels.append(KernelStub(names[text], tuple(arguments), types))
    return tuple(kernels)
